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

. "$(dirname "$0")/dio_common.sh"
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

# count FILE
count()
{
	dd if=/dev/zero of="$1" bs=64k count=1 status=none && sync &&
		"$DIO_DIR/dio_pin" count "$1"
}

# forks FILE: while reads of the disk below FILE take 200 ms, which a mount need not
forks()
{
	dio_dm_table slow_files "$slowly" || return
	dio_then "dio_dm_table slow_files '$fast'" "$DIO_DIR/dio_pin" "$1"
}

# sync_both NAME: a copy of the disk, taken behind a write that fsync() or O_DSYNC says is safe, must
# have it: in a hole, and at the end of a file
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
	umount "$DIO_TMP/mnt" && dio_fs_mount "$1" "$DIO_TMP/cut" "$DIO_TMP/mnt" || return
	cmp -n 65536 -i "0:$3" "$DIO_TMP/data" "$DIO_TMP/mnt/$2"
	cut=$?
	umount "$DIO_TMP/mnt" && dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt" && return $cut
}

# models UNIT WHERE SYSTEMS: random operations on each of these, on $loop
models()
{
	why=""
	[ -n "$loop" ] || why="no loop device"
	dio_fs_each "$why" "$3" "random operations on %$2" dio_fs_model "$loop" "unit=$1" "n=$ops"
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
	dio_wait 10 eval "losetup -d $1; ! losetup $1" >/dev/null 2>&1
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
no_slow=
slowly="0 $DIO_SECTORS delay $DIO_DISK 0 200 $DIO_DISK 0 0"
fast="0 $DIO_SECTORS linear $DIO_DISK 0"
dio_dm slow_files "$slowly" && dio_dm_table slow_files "$fast" || no_slow=$DIO_WHY
slow=$DIO_DM
mkdir "$DIO_TMP/outer"
dio_plan $((3 + $(lines "$dio_systems") * 5 + $(echo "$say_nowait" | wc -w) +
	$(lines "$big_sectors") + 1 + $(lines "$on_loop")))

# Device-mapper takes whole sectors of memory only.
dio_try "each pin is dropped, memory in pieces of sectors" "$DIO_DIR/dio_pin" pieces "$DIO_DISK"
dio_try "each pin is dropped and counted, the bare disk" "$DIO_DIR/dio_pin" count "$DIO_DISK"
dio_unless "$no_slow" "a fork while the disk writes into memory, the bare disk" \
	forks "$slow"

while IFS=: read -r name maker less; do
	why=$(dio_fs_lacks "$name" "$maker") || why=
	# ntfs3 of 6.1 lets asynchronous direct reads see what was on the disk, where a truncate has
	# made the file longer.
	without=
	[ "$name" != ntfs3 ] || without=without=truncate
	# shellcheck disable=SC2086 # a word or none
	dio_unless "$why" "random operations on $name" \
		dio_fs_model "$name" "$maker" "$disk" unit=512 "n=$((ops / ${less:-1}))" $without
	dio_unless "$why" "bad memory in mid-write, $name" \
		dio_fs_on "$name" "$disk" "$DIO_DIR/dio_ops" unit=512 bad "$DIO_TMP/mnt/bad"
	dio_unless "$why" "each pin is dropped and counted, $name" \
		dio_fs_on "$name" "$disk" count "$DIO_TMP/mnt/count"
	dio_unless "${why:-$no_slow}" "a fork while the disk writes into memory, $name" \
		dio_fs_on "$name" "$slow" forks "$DIO_TMP/mnt/pin"
	case " $say_nowait " in
	*" $name "*)
		dio_unless "$why" "reads that may not wait, $name" dio_fs_on "$name" "$disk" \
			"$DIO_DIR/dio_ops" unit=512 nowait "$DIO_TMP/mnt/nowait" ;;
	esac
	case $name in
	jfs|ntfs3)
		why=${why:-"$name mounts no disk that was not unmounted"} ;;
	reiserfs)
		why=${why:-"reiserfs does not commit the size that an O_DSYNC write makes"} ;;
	esac
	dio_unless "$why" "what was synced is on the disk, $name" \
		dio_fs_on "$name" "$disk" sync_both "$name"
done <<LIST
$dio_systems
LIST

loop=
attach "$disk" --sector-size=4096
models 4096 ", sectors of 4096 bytes" "$big_sectors"
[ -z "$loop" ] || detach "$loop"

loop=
dio_check "a loop device reads and writes its file directly" direct_loop
models 512 " on that loop device" "$on_loop"
