#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Direct I/O on files: random operations against a model, on every file system at hand that maps
# blocks with get_block, and ext4 (its own direct I/O) as a check of the test itself.
#
# The first 64 MiB of a scsi_debug disk (or DIO_SCRATCH) are filled with 0xdb, so that a new block
# that shows what was there before is noticed, and get each file system in turn. After the
# operations it is mounted anew and compared with the model once more. Then dio_pin runs on it, from
# a disk that holds reads back.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

ops=${DIO_OPS:-1500}
# name, what makes it, and the options that matter
systems="ext2-1k:mke2fs -q -F -t ext2 -b 1024
ext2-4k:mke2fs -q -F -t ext2 -b 4096
jfs:mkfs.jfs -q
vfat:mkfs.vfat
exfat:mkfs.exfat
udf:mkudffs --media-type=hd
reiserfs:mkfs.reiserfs -q -f
ext4:mke2fs -q -F -t ext4"

# has_type FS: does this kernel know it?
has_type()
{
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null
}

# on_system NAME MAKER: the model on a fresh file system
on_system()
{
	type=${1%%-*}
	tr '\0' '\333' </dev/zero |
		dd of="$disk" bs=1M count=$((DIO_SECTORS / 2048)) oflag=direct iflag=fullblock \
			status=none || return
	# shellcheck disable=SC2086 # a command line
	$2 "$disk" >/dev/null 2>&1 || { echo "$2 failed"; return 1; }
	mount -t "$type" "$disk" "$DIO_TMP/mnt" || return
	bad=0
	for seed in 1 2 3; do
		"$DIO_DIR/dio_model" unit=512 "n=$ops" "seed=$seed" "$DIO_TMP/mnt/file$seed" \
			"$DIO_TMP/copy$seed" || bad=1
	done
	umount "$DIO_TMP/mnt" || return
	mount -t "$type" "$disk" "$DIO_TMP/mnt" || return
	for seed in 1 2 3; do
		cmp "$DIO_TMP/mnt/file$seed" "$DIO_TMP/copy$seed" || bad=1
	done
	umount "$DIO_TMP/mnt" && return $bad
}

# pin_on NAME: what was made last, mounted from the slow disk
pin_on()
{
	mount -t "${1%%-*}" "$slow" "$DIO_TMP/mnt" || return
	"$DIO_DIR/dio_pin" "$DIO_TMP/mnt/pin"
	pinned=$?
	umount "$DIO_TMP/mnt" || return
	return $pinned
}

dio_init "$@"
dio_need dd mke2fs cmp
dio_get_part files
disk=$DIO_DM
slow=
if dio_dm slow_files "0 $DIO_SECTORS delay $DIO_DISK 0 100 $DIO_DISK 0 0"; then
	slow=$DIO_DM
fi
mkdir "$DIO_TMP/mnt"
dio_on_exit dio_umount "$DIO_TMP/mnt"
# ext4 has direct I/O of its own, which loses the data of dio_pin on 6.1.
dio_plan $(($(echo "$systems" | wc -l) * 2 - 1))

while IFS=: read -r name maker; do
	case="random operations on $name"
	pin="a fork while the disk writes into memory, $name"
	why=
	if ! has_type "${name%%-*}"; then
		why="this kernel has no ${name%%-*}"
	elif ! command -v "${maker%% *}" >/dev/null; then
		why="program ${maker%% *} is missing"
	fi
	if [ -n "$why" ]; then
		dio_skip "$case" "$why"
	else
		dio_check "$case" on_system "$name" "$maker"
	fi
	if [ "$name" = ext4 ]; then
		continue
	elif [ -n "$why" ]; then
		dio_skip "$pin" "$why"
	elif [ -z "$slow" ]; then
		dio_skip "$pin" "$DIO_WHY"
	else
		dio_check "$pin" pin_on "$name"
	fi
done <<LIST
$systems
LIST
