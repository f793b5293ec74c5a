#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Direct I/O on files under load, on every file system of dio_files.sh: on a slow disk a truncate
# while a read is on its way, a write beside another, and a sync of mapped memory that is read into;
# processes that truncate while others read and write (dio_race); and fio, which verifies what
# several jobs write at once (test_file_load.fio).
#
# A case fails on data that is wrong, now or once the file system has been mounted anew, and on
# processes that hang. DIO_OPS scales the operations of dio_race.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"
# shellcheck source=dio_files.sh
. "$(dirname "$0")/dio_files.sh"

ops=${DIO_OPS:-100}
fio=
command -v fio >/dev/null || fio="program fio is missing"

# steadiness NAME: the word for dio_race, for faults that stock has, too. exfat and udf of 6.1 have
# no inode_dio_wait() before they free blocks; on udf wrong data was seen. reiserfs waits with a
# lock held that a buffered reader wants, whose page the end of a direct write waits for. ntfs3
# counts blocks as valid when an AIO write to them has been sent, not when it is done: who reads
# them meanwhile has what lay on the disk, and puts that back if it is the page that it zeroes the
# end of.
no_wait="exfat udf reiserfs"
steadiness()
{
	case $1 in
	ntfs3)	echo whole ;;
	*)	! echo "$no_wait" | grep -qw "$1" || echo steady ;;
	esac
}

# race_on NAME MAKER LESS [steady|whole]
race_on()
{
	dio_fs_make "$1" "$2" "$disk" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	bad=0
	"$DIO_DIR/dio_race" unit=512 "n=$((ops / $3))" ${4:+"$4"} "$DIO_TMP/mnt/file" || bad=1
	umount "$DIO_TMP/mnt" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	"$DIO_DIR/dio_race" check "$DIO_TMP/mnt/file" || bad=1
	umount "$DIO_TMP/mnt" && return $bad
}

# on_slow NAME MAKER READ WRITE WORD DD-ARGS...: dio_race WORD on the file that dd writes, while the
# disk keeps each read and each write for so many milliseconds
on_slow()
{
	dio_fs_make "$1" "$2" "$disk" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	table="0 $DIO_SECTORS delay $DIO_DISK 0 $3 $DIO_DISK 0 $4"
	word=$5
	shift 5
	dd "$@" of="$DIO_TMP/mnt/file" bs=64k status=none && sync &&
		dio_dm_table files "$table" || return
	bad=0
	"$DIO_DIR/dio_race" "$word" "$DIO_TMP/mnt/file" || bad=1
	dio_dm_table files "0 $DIO_SECTORS linear $DIO_DISK 0" && umount "$DIO_TMP/mnt" &&
		return $bad
}

# clean_on NAME MAKER
clean_on()
{
	on_slow "$1" "$2" 1500 0 clean if="$DIO_TMP/stamps" &&
		dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	bad=0
	"$DIO_DIR/dio_race" check "$DIO_TMP/mnt/file.into" || bad=1
	umount "$DIO_TMP/mnt" && return $bad
}

# fio_on NAME MAKER LESS
fio_on()
{
	dio_fs_make "$1" "$2" "$disk" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	bad=0
	depth=16
	[ "$1" != ntfs3 ] || depth=1
	DIO_FIO_DIR=$DIO_TMP/mnt DIO_FIO_SIZE=$((1024 / $3))k DIO_FIO_NEW_DEPTH=$depth \
		fio --eta=never "$DIO_DIR/test_file_load.fio" || bad=1
	umount "$DIO_TMP/mnt" && return $bad
}

dio_init "$@"
dio_need dd mke2fs
dio_get_part files
disk=$DIO_DM
mkdir "$DIO_TMP/mnt"
dio_on_exit dio_umount "$DIO_TMP/mnt"
dio_plan $((1 + $(echo "$dio_systems" | wc -l) * 5 - $(echo "$no_wait" | wc -w)))

head -c 512 /dev/zero | tr '\0' '\333' >"$DIO_TMP/old"
dio_expect 1 "no stamp \(it begins db db" "dio_race knows old data of the disk" \
	"$DIO_DIR/dio_race" check "$DIO_TMP/old"

"$DIO_DIR/disk_stamp" disk=1 size=256k "$DIO_TMP/stamps" >/dev/null ||
	dio_skip_all "no stamps can be made"

while IFS=: read -r name maker less; do
	race="truncate while others read and write, $name"
	steady=$(steadiness "$name")
	[ -z "$steady" ] || race="read and write at once, $name"
	beside="a write into a hole beside an AIO write, $name"
	cut="truncate waits for a read, $name"
	clean="a sync while the disk reads into a mapped file, $name"
	load="fio verifies what it writes, $name"
	if why=$(dio_fs_lacks "$name" "$maker"); then
		dio_skip "$beside" "$why"
		[ "$steady" = steady ] || dio_skip "$cut" "$why"
		dio_skip "$clean" "$why"
		dio_skip "$race" "$why"
		dio_skip "$load" "$why"
		continue
	fi
	dio_check "$beside" on_slow "$name" "$maker" 0 1000 fallback if=/dev/zero seek=1 count=1
	[ "$steady" = steady ] ||
		dio_check "$cut" on_slow "$name" "$maker" 1500 0 cut if="$DIO_TMP/stamps"
	dio_check "$clean" clean_on "$name" "$maker"
	# shellcheck disable=SC2086 # a word or none
	dio_check "$race" race_on "$name" "$maker" "${less:-1}" $steady
	if [ -n "$fio" ]; then
		dio_skip "$load" "$fio"
	else
		dio_check "$load" fio_on "$name" "$maker" "${less:-1}"
	fi
done <<LIST
$dio_systems
LIST
