#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Direct I/O on files: random operations against a model, on every file system of dio_files.sh.
#
# The first 64 MiB of a scsi_debug disk (or DIO_SCRATCH) get each file system in turn. After the
# operations it is mounted anew and compared with the model once more. Then a write whose memory ends
# early must leave the rest alone, reads must drop each pin that they take, and not wait if told not
# to, and dio_pin runs on it, from a disk that holds reads back. What was synced is on a copy of the
# disk. The bare disk has the cases of pins, too, and one where memory ends inside a sector. The
# operations are repeated with sectors of 4096 bytes, and on a loop device that passes direct I/O on
# to a file (memory that is the kernel's own, in bio_vecs).
# DIO_OPS scales the number of operations.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"
# shellcheck source=dio_files.sh
. "$(dirname "$0")/dio_files.sh"

ops=${DIO_OPS:-200}
big_sectors="ext2:mke2fs -q -F -t ext2
jfs:mkfs.jfs -q
vfat:mkfs.vfat -S 4096
exfat:mkfs.exfat"
say_nowait="jfs vfat ocfs2 ext4 xfs"
case $(uname -r) in
6.1.*)	;;	# udf finds blocks in another way there
*)	say_nowait="$say_nowait udf" ;;
esac
on_loop="ext2-1k:mke2fs -q -F -t ext2 -b 1024
vfat:mkfs.vfat"

# on_system DISK UNIT NAME MAKER LESS: the model on a fresh file system
on_system()
{
	# ntfs3 of 6.1 lets asynchronous direct reads see what was on the disk, where a truncate has
	# made the file longer.
	words=
	[ "$3" != ntfs3 ] || words=without=truncate
	# shellcheck disable=SC2086 # a word or none
	dio_fs_model "$3" "$4" "$1" "unit=$2" "n=$((ops / $5))" $words
}

# pin_on NAME: what was made last, mounted from the slow disk
pin_on()
{
	dio_fs_mount "$1" "$slow" "$DIO_TMP/mnt" || return
	"$DIO_DIR/dio_pin" "$DIO_TMP/mnt/pin"
	pinned=$?
	umount "$DIO_TMP/mnt" || return
	return $pinned
}

# alone_on NAME bad|nowait: one word of dio_ops, on what was made last
alone_on()
{
	dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	"$DIO_DIR/dio_ops" unit=512 "$2" "$DIO_TMP/mnt/$2"
	alone=$?
	umount "$DIO_TMP/mnt" && return $alone
}

# count_on NAME: on what was made last
count_on()
{
	dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	dd if=/dev/zero of="$DIO_TMP/mnt/count" bs=64k count=1 status=none && sync &&
		"$DIO_DIR/dio_pin" count "$DIO_TMP/mnt/count" &&
		"$DIO_DIR/dio_pin" over "$DIO_TMP/mnt/count"
	counted=$?
	umount "$DIO_TMP/mnt" || return
	return $counted
}

# synced_on NAME: on what was made last; a copy of the disk, taken behind a write that fsync() or
# O_DSYNC says is safe, must have it: in a hole, and at the end of a file
synced_on()
{
	dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" || return
	sync_both "$1"
	synced=$?
	umount "$DIO_TMP/mnt" && return $synced
}

sync_both()
{
	truncate -s 256K "$DIO_TMP/mnt/hole" && : >"$DIO_TMP/mnt/end" && sync || return
	head -c 64K /dev/urandom >"$DIO_TMP/data" || return
	dd if="$DIO_TMP/data" of="$DIO_TMP/mnt/hole" bs=64K seek=2 oflag=direct conv=notrunc,fsync \
		status=none && power_cut "$1" hole 128K || return
	dd if="$DIO_TMP/data" of="$DIO_TMP/mnt/end" bs=64K oflag=direct,dsync conv=notrunc \
		status=none && power_cut "$1" end 0
}

# power_cut NAME FILE POSITION: what is in FILE if the disk is no more than it is now
power_cut()
{
	dd if="$disk" of="$DIO_TMP/cut" bs=1M iflag=direct status=none || return
	umount "$DIO_TMP/mnt" && attach "$DIO_TMP/cut" && dio_fs_mount "$1" "$loop" "$DIO_TMP/mnt" || return
	cmp -n 65536 -i "0:$3" "$DIO_TMP/data" "$DIO_TMP/mnt/$2"
	cut=$?
	umount "$DIO_TMP/mnt" && detach "$loop" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" && return $cut
}

# check_synced CASE NAME
check_synced()
{
	case $2 in
	jfs|ntfs3)
		why=${why:-"$2 mounts no disk that was not unmounted"}
		;;
	reiserfs)
		why=${why:-"reiserfs does not commit the size that an O_DSYNC write by O_DIRECT makes"}
		;;
	esac
	if [ -n "$why" ]; then
		dio_skip "$1" "$why"
	else
		dio_check "$1" synced_on "$2"
	fi
}

# check_model CASE DISK UNIT NAME MAKER [LESS]: sets why to the reason if it is skipped
check_model()
{
	if ! why=$(dio_fs_lacks "$4" "$5"); then
		why=
		[ -n "$2" ] || why="no loop device"
	fi
	if [ -n "$why" ]; then
		dio_skip "$1" "$why"
	else
		dio_check "$1" on_system "$2" "$3" "$4" "$5" "${6:-1}"
	fi
}

# check_nowait NAME: of those that say so if they would have to wait
check_nowait()
{
	case " $say_nowait " in
	*" $1 "*)
		;;
	*)
		return
		;;
	esac
	if [ -n "$why" ]; then
		dio_skip "reads that may not wait, $1" "$why"
	else
		dio_check "reads that may not wait, $1" alone_on "$1" nowait
	fi
}

# check_pin CASE CMD...
check_pin()
{
	if [ -n "$why" ]; then
		dio_skip "$1" "$why"
	elif [ -z "$slow" ]; then
		dio_skip "$1" "$no_slow"
	else
		dio_check "$@"
	fi
}

# attach FILE [OPTION]: sets loop to a loop device
attach()
{
	loop=$(losetup -f --show ${2:+"$2"} "$1") || return
	dio_on_exit detach "$loop"
}

# It may be somebody else's for a moment, who looks what it is.
detach()
{
	! losetup "$1" >/dev/null 2>&1 || losetup -d "$1" && dio_wait 10 is_free "$1"
}

is_free()
{
	! losetup "$1" >/dev/null 2>&1
}

# direct_loop: sets loop to a loop device on a file of ext2, which it reads and writes directly
direct_loop()
{
	dio_fs_make ext2-4k "mke2fs -q -F -t ext2 -b 4096" "$disk" || return
	dio_fs_mount ext2-4k "$disk" "$DIO_TMP/outer" || return
	dio_on_exit dio_umount "$DIO_TMP/outer"
	dd if=/dev/zero of="$DIO_TMP/outer/image" bs=1M count=$((DIO_SECTORS * 3 / 8192)) \
		oflag=direct status=none || return
	attach "$DIO_TMP/outer/image" --direct-io=on || return
	grep -qx 1 "/sys/block/${loop##*/}/loop/dio" || { echo "$loop is not direct"; return 1; }
}

lines()
{
	echo "$1" | wc -l
}

dio_init "$@"
dio_need dd mke2fs cmp losetup
dio_get_part files
disk=$DIO_DM
dio_dm slow_files "0 $DIO_SECTORS delay $DIO_DISK 0 100 $DIO_DISK 0 0"
slow=$DIO_DM
no_slow=$DIO_WHY
mkdir "$DIO_TMP/mnt" "$DIO_TMP/outer"
dio_on_exit dio_umount "$DIO_TMP/mnt"
dio_plan $((3 + $(lines "$dio_systems") * 5 + $(echo "$say_nowait" | wc -w) +
	$(lines "$big_sectors") + 1 + $(lines "$on_loop")))

# Device-mapper takes whole sectors of memory only.
dio_try "each pin is dropped, memory in pieces of sectors" "$DIO_DIR/dio_pin" pieces "$DIO_DISK"
dio_try "each pin is dropped and counted, the bare disk" "$DIO_DIR/dio_pin" count "$DIO_DISK"
why=
check_pin "a fork while the disk writes into memory, the bare disk" "$DIO_DIR/dio_pin" "$slow"

while IFS=: read -r name maker less; do
	check_model "random operations on $name" "$disk" 512 "$name" "$maker" "$less"
	if [ -n "$why" ]; then
		dio_skip "bad memory in mid-write, $name" "$why"
		dio_skip "each pin is dropped and counted, $name" "$why"
	else
		dio_check "bad memory in mid-write, $name" alone_on "$name" bad
		dio_try "each pin is dropped and counted, $name" count_on "$name"
	fi
	check_pin "a fork while the disk writes into memory, $name" pin_on "$name"
	check_nowait "$name"
	check_synced "what was synced is on the disk, $name" "$name"
done <<LIST
$dio_systems
LIST

loop=
attach "$disk" --sector-size=4096
while IFS=: read -r name maker; do
	check_model "random operations on $name, sectors of 4096 bytes" "$loop" 4096 "$name" "$maker"
done <<LIST
$big_sectors
LIST
[ -z "$loop" ] || detach "$loop"

loop=
dio_check "a loop device reads and writes its file directly" direct_loop
while IFS=: read -r name maker; do
	check_model "random operations on $name on that loop device" "$loop" 512 "$name" "$maker"
done <<LIST
$on_loop
LIST
