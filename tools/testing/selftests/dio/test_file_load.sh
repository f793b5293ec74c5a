#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Direct I/O on files under load, on every file system of dio_files.sh: the races of dio_race, of
# which those of writes beside others have more cases on vfat with sectors larger than the disk's;
# and fio, which verifies what several jobs write at once (test_file_load.fio). On ocfs2 the readers
# get a CPU of their own.
#
# A case fails on data that is wrong, now or once the file system has been mounted anew, and on
# processes that hang. DIO_OPS scales dio_race's operations; DIO_FS=NAME,... is for some.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"

ops=${DIO_OPS:-100}
fio=
command -v fio >/dev/null || fio="program fio is missing"
one_cpu=
[ "$(nproc)" -gt 1 ] || one_cpu="one CPU"

# steadiness NAME: the word for dio_race, for faults that stock has, too. udf, and exfat of 6.1,
# have no inode_dio_wait() before they free blocks; on udf wrong data was seen. reiserfs waits with
# a lock held that a buffered reader wants, whose page the end of a direct write waits for. ntfs3,
# and exfat by iomap, count blocks as valid when an AIO write to them has been sent, not when it is
# done: who reads them meanwhile has what lay on the disk; ntfs3 puts that back if it is the page
# that it zeroes the end of.
steadiness()
{
	case $1-$(uname -r) in
	ntfs3-*|exfat-[7-9].*)		echo whole ;;
	exfat-*|udf-*|reiserfs-*)	echo steady ;;
	esac
}

# race_on NAME MAKER LESS [WORD...]
race_on()
{
	dio_fs_make "$1" "$2" "$disk" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	bad=0
	fs=$1
	n=$((ops / $3))
	shift 3
	"$DIO_DIR/dio_race" "n=$n" "$@" "$DIO_TMP/mnt/file" || bad=1
	# What it had to kill may take a while to end.
	dio_wait 30 dio_umount "$DIO_TMP/mnt" || return
	dio_fs_on "$fs" "$disk" "$DIO_DIR/dio_race" check "$DIO_TMP/mnt/file" && return $bad
}

# on_slow NAME MAKER READ WRITE WORD DD-ARGS...: dio_race WORD on the file that dd writes, while the
# disk keeps each read and each write for so many milliseconds
on_slow()
{
	fs=$1
	table="0 $DIO_SECTORS delay $DIO_DISK 0 $3 $DIO_DISK 0 $4"
	word=$5
	dio_fs_make "$fs" "$2" "$disk" || return
	shift 5
	dio_fs_on "$fs" "$disk" slowly "$@"
}

slowly()
{
	if [ "$word" = aligned ] && [ -d "/sys/fs/ext4/${disk##*/}" ]; then
		echo "ext2 is ext4 in this kernel"
		return 4
	fi
	fill_file "$@" && sync || return
	# vfat knows where the data of a file ends to the byte only if it did not write that itself.
	case $word in
	extend|beyond)
		umount "$DIO_TMP/mnt" && dio_fs_mount "$fs" "$disk" "$DIO_TMP/mnt" || return ;;
	esac
	dio_dm_table files "$table" || return
	bad=0
	# shellcheck disable=SC2086 # words
	"$DIO_DIR/dio_race" $word "$DIO_TMP/mnt/file" || bad=1
	dio_dm_table files "0 $DIO_SECTORS linear $DIO_DISK 0" && return $bad
}

# fill_file DD-ARGS...: the file, with its pieces of 16 KiB apart if the first is "apart"
fill_file()
{
	if [ "$1" != apart ]; then
		dd bs=64k "$@" of="$DIO_TMP/mnt/file" status=none
		return
	fi
	shift
	for n in $(seq 0 15); do
		dd bs=16k "$@" of="$DIO_TMP/mnt/file" count=1 skip="$n" seek="$n" conv=notrunc \
			status=none && head -c 16384 /dev/zero >>"$DIO_TMP/mnt/between" || return
	done
}

# clean_on NAME MAKER
clean_on()
{
	on_slow "$1" "$2" 4000 0 clean if="$DIO_TMP/stamps" &&
		dio_fs_on "$1" "$disk" "$DIO_DIR/dio_race" check "$DIO_TMP/mnt/file.into"
}

# locked_on NAME MAKER: with a file system on a device of its own, dio_other, mounted as $DIO_TMP/other
locked_on()
{
	truncate -s 8m "$DIO_TMP/image" && loop=$(losetup -f --show "$DIO_TMP/image") || return
	dio_on_exit losetup -d "$loop"
	dio_dm other "0 16384 linear $loop 0" || { echo "$DIO_WHY"; return 1; }
	mke2fs -q -F -t ext2 "$DIO_DM" && mkdir "$DIO_TMP/other" &&
		mount -t ext2 "$DIO_DM" "$DIO_TMP/other" || return
	bad_other=0
	on_slow "$1" "$2" 4000 0 "locked other=$DIO_TMP/other/file" apart if="$DIO_TMP/stamps" ||
		bad_other=1
	dmsetup resume --noudevrules --noudevsync dio_other
	# Whoever was stuck on it may keep both open until now.
	dio_wait 30 dio_umount "$DIO_TMP/mnt" && dio_wait 30 umount "$DIO_TMP/other" &&
		return $bad_other
}

# fio_on NAME LESS
fio_on()
{
	depth=16
	[ "$1" != ntfs3 ] || depth=1
	DIO_FIO_DIR=$DIO_TMP/mnt DIO_FIO_SIZE=$((1024 / $2))k DIO_FIO_SIZES=512-32k \
		DIO_FIO_NEW_DEPTH=$depth fio --eta=never "$DIO_DIR/test_file_load.fio"
}

dio_init "$@"
dio_need dd mke2fs mkfs.vfat losetup dmsetup truncate
dio_get_part files
disk=$DIO_DM
systems=$(echo "$dio_systems" | grep -E "^($(echo "${DIO_FS:-.*}" | tr , '|')):") ||
	dio_skip_all "no file system of DIO_FS=$DIO_FS is known"
dio_plan $((6 + $(echo "$systems" | wc -l) * 5 + $(echo "$systems" | grep -c '^ocfs2:')))

head -c 512 /dev/zero | tr '\0' '\333' >"$DIO_TMP/old"
dio_check "dio_race knows old data of the disk" \
	dio_says 5 "no stamp \(it begins db db" "$DIO_DIR/dio_race" check "$DIO_TMP/old"

"$DIO_DIR/disk_stamp" disk=1 size=256k "$DIO_TMP/stamps" >/dev/null ||
	dio_skip_all "no stamps can be made"

vfat_4k="mkfs.vfat -S 4096"
dio_check "a write from the end of a file on, beside an AIO write, vfat with sectors of 4096" \
	on_slow vfat "$vfat_4k" 0 1000 extend if=/dev/zero bs=2k count=1
dio_check "a write behind the end of a file, beside an AIO write, vfat with sectors of 4096" \
	on_slow vfat "$vfat_4k" 0 1000 beyond if=/dev/zero bs=2k count=1
dio_try "a write of whole blocks into a hole waits for no read of others" \
	on_slow ext2 "mke2fs -q -F -t ext2 -b 4096" 5000 0 aligned if=/dev/zero seek=1 count=1
dio_check "more O_DSYNC writes than a CPU has workers, and one that waits for them" \
	on_slow ext2 "mke2fs -q -F -t ext2 -b 4096" 0 500 behind if=/dev/zero seek=1 count=1
dio_check "a read in several bios, while a page of somebody else stays locked" \
	locked_on vfat mkfs.vfat

while IFS=: read -r name maker less; do
	race="truncate while others read and write, $name"
	steady=$(steadiness "$name")
	[ -z "$steady" ] || race="read and write at once, $name"
	why=$(dio_fs_lacks "$name" "$maker") || why=
	dio_unless "$why" "a write into a hole beside an AIO write, $name" \
		on_slow "$name" "$maker" 0 1000 fallback if=/dev/zero seek=1 count=1
	dio_unless "$why" "a page comes into the cache while it is written over, $name" \
		on_slow "$name" "$maker" 0 1000 over if=/dev/zero count=1
	dio_unless "$why" "a sync while the disk reads into a mapped file, $name" \
		clean_on "$name" "$maker"
	# shellcheck disable=SC2086 # a word or none
	dio_unless "$why" "$race" race_on "$name" "$maker" "${less:-1}" $steady
	[ "$name" != ocfs2 ] || dio_unless "${why:-$one_cpu}" \
		"readers and writers on a CPU each, ocfs2" race_on "$name" "$maker" 1 apart
	dio_unless "${why:-$fio}" "fio verifies what it writes, $name" \
		dio_fs_with "$name" "$maker" "$disk" fio_on "$name" "${less:-1}"
done <<LIST
$systems
LIST
