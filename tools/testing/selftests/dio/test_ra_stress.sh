#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Readahead while the ground moves: readers of several kinds check each byte of a file, and beside
# them caches are dropped, holes are punched, the end is cut off and put back, the file system is
# remounted, or memory is short. On file systems with large folios (xfs, on a loop device: it wants
# more than 64 MiB), bios of their own, and buffer heads, as far as they are at hand.
#
# Readers stay below the part that is cut off; in the part with holes they may see zeros. A broken
# kernel shows old pages, pages of another place, or fails under KASAN and lockdep.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

rounds=${DIO_ROUNDS:-3}
# name, what makes it
systems="ext2:mke2fs -q -F -t ext2 -b 1024
ext4:mke2fs -q -F -t ext4
xfs:mkfs.xfs -q -f
vfat:mkfs.vfat"

has_type()
{
	grep -qw "$1" /proc/filesystems || modprobe -q "$1" 2>/dev/null
}

# reader WORDS...: ra_load in the background, in the small cgroup if there is one
reader()
{
	(
		[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
		exec "$DIO_DIR/ra_load" "$@" disk=0 holes size=24m "$file"
	) >>"$DIO_TMP/readers" 2>&1 &
	pids="$pids $!"
}

start_readers()
{
	pids=""
	reader run len=64k bs=4k n=400 "seed=$1"
	reader geometric len=64k bs=16k n=200 "seed=$1"
	reader random bs=8k n=500 "seed=$1"
	reader streams k=4 bs=4k n=1000
	reader seq bs=128k n=192
	reader mix len=128k bs=4k n=60 "seed=$1"
	reader mmap-random n=500 "seed=$1"
	reader mmap-seq n=2000
}

still_reading()
{
	for _pid in $pids; do
		! kill -0 "$_pid" 2>/dev/null || return 0
	done
	return 1
}

# wait_readers: fails if one of them failed
wait_readers()
{
	_bad=0
	for _pid in $pids; do
		wait "$_pid" || _bad=1
	done
	return $_bad
}

# disturb N: one of the things that may happen to a file
disturb()
{
	case $(($1 % 5)) in
	0)	echo 3 >/proc/sys/vm/drop_caches ;;
	1)	fallocate -p -o $(((16 + $1 % 8) * 1048576)) -l 65536 "$file" 2>/dev/null || : ;;
	2)	truncate -s 25m "$file" ;;
	3)	truncate -s 32m "$file" ;;
	4)	mount -o remount,noatime "$DIO_TMP/mnt" ;;
	esac
}

# on_system NAME MAKER
on_system()
{
	# shellcheck disable=SC2086 # a command line
	$2 "$disk" >/dev/null 2>&1 || { echo "$2 failed"; return 1; }
	mount -t "$1" "$disk" "$DIO_TMP/mnt" || return
	file=$DIO_TMP/mnt/file
	"$DIO_DIR/disk_stamp" disk=0 size=32m "$file" >/dev/null || return
	_bad=0 _n=0 _round=0
	while [ "$_round" -lt "$rounds" ]; do
		_round=$((_round + 1))
		: >"$DIO_TMP/readers"
		start_readers "$_round"
		while still_reading; do
			_n=$((_n + 1))
			disturb "$_n" || { _bad=1; break; }
		done
		wait_readers || _bad=1
		grep -v '^{' "$DIO_TMP/readers" && _bad=1
	done
	umount "$DIO_TMP/mnt" && return $_bad
}

# loop_disk: sets $disk to a loop device of 320 MiB
loop_disk()
{
	truncate -s 320m "$DIO_TMP/image" || return
	disk=$(losetup -f --show "$DIO_TMP/image") || return
	dio_on_exit losetup -d "$disk"
}

on_xfs()
{
	_scratch=$disk
	loop_disk && on_system "$@"
	_rc=$?
	disk=$_scratch
	return $_rc
}

# The same readers and no disturbance but a cgroup with a quarter of the file's size
in_little_memory()
{
	mount -t cgroup2 none "$DIO_TMP/cgroup" 2>/dev/null || return
	dio_on_exit dio_umount "$DIO_TMP/cgroup"
	echo +memory >"$DIO_TMP/cgroup/cgroup.subtree_control" || return
	group=$DIO_TMP/cgroup/small
	mkdir "$group" || return
	dio_on_exit rmdir "$group"
	echo 8m >"$group/memory.max" || return
	file=$disk
	"$DIO_DIR/disk_stamp" disk=0 size=32m write-device "$disk" >/dev/null || return
	: >"$DIO_TMP/readers"
	start_readers 1
	_bad=0
	wait_readers || _bad=1
	grep -v '^{' "$DIO_TMP/readers" && _bad=1
	return $_bad
}

dio_init "$@"
dio_need dmsetup fallocate truncate losetup mke2fs
dio_get_part ra_stress
[ "$DIO_SECTORS" -eq 131072 ] || dio_skip_all "$DIO_DISK has less than 64 MiB"
disk=$DIO_DM
group=""
mkdir "$DIO_TMP/mnt" "$DIO_TMP/cgroup"
dio_on_exit dio_umount "$DIO_TMP/mnt"
dio_plan $(($(echo "$systems" | wc -l) + 1))

while IFS=: read -r name maker; do
	case="readers of a restless file on $name"
	if ! has_type "$name"; then
		dio_skip "$case" "this kernel has no $name"
	elif ! command -v "${maker%% *}" >/dev/null; then
		dio_skip "$case" "program ${maker%% *} is missing"
	elif [ "$name" = xfs ]; then
		dio_check "$case" on_xfs "$name" "$maker"
	else
		dio_check "$case" on_system "$name" "$maker"
	fi
done <<LIST
$systems
LIST

if grep -q '^memory.*1$' /proc/cgroups 2>/dev/null; then
	dio_check "readers in little memory" in_little_memory
else
	dio_skip "readers in little memory" "this kernel has no memory cgroups"
fi
