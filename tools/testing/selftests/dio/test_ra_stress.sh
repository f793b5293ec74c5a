#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Readahead while the ground moves: readers of several kinds check each byte of a file, 16 of them on
# one open file, and beside them caches are dropped, holes are punched, the end is cut off and put
# back, the file system is remounted, or memory is short. On file systems with large folios (xfs, on a
# loop device: it wants more than 64 MiB), bios of their own, and buffer heads, as far as they are at
# hand.
#
# Readers stay below the part that is cut off; where there are holes they may see zeros, and where
# there is one at last, it must be seen. A broken kernel shows old pages, pages of another place, or
# fails under KASAN and lockdep.
#
# Then memory is short: the same readers, and fio, which reads and writes at random and verifies
# what it wrote.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"

rounds=${DIO_ROUNDS:-3}
# name, what makes it, and whether holes can be punched into its files
systems="ext2:mke2fs -q -F -t ext2 -b 1024
ext4:mke2fs -q -F -t ext4:holes
xfs:mkfs.xfs -q -f:holes
vfat:mkfs.vfat"

# in_group COMMAND...: run it in the small cgroup, if there is one
in_group()
(
	[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
	exec "$@"
)

# reader WORDS...: ra_load in the background
reader()
{
	# shellcheck disable=SC2086 # words
	in_group "$DIO_DIR/ra_load" "$@" disk=0 $allow size=24m "$file" \
		>>"$DIO_TMP/readers" 2>&1 &
	pids="$pids $!"
}

# many_readers SEED: where memory is short, so many programs alone would take all of it.
many_readers()
{
	[ -z "$group" ] || return 0
	reader run len=64k bs=4k n=25 share=16 "seed=$1"
	reader mmap-run len=64k n=25 share=16 "seed=$1"
}

start_readers()
{
	pids=""
	: >"$DIO_TMP/readers"
	reader run len=64k bs=4k n=400 "seed=$1"
	reader geometric len=64k bs=16k n=200 "seed=$1"
	reader random bs=8k n=500 "seed=$1"
	reader streams k=4 bs=4k n=1000
	reader seq bs=128k n=192
	reader mix len=128k bs=4k n=60 "seed=$1"
	many_readers "$1"
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

# wait_readers: fails if one of them failed, and shows what it said
wait_readers()
{
	_failed=0
	for _pid in $pids; do
		wait "$_pid" || _failed=1
	done
	! grep -v '^{' "$DIO_TMP/readers" && return $_failed
}

# punch MIB: a hole of 64 KiB there, if the file system has holes
punch()
{
	[ "$allow" = holes ] || return 0
	fallocate -p -o $(($1 * 1048576)) -l 65536 "$file" && punched="$punched $1"
}

# holes_show: is there a hole, and does each read as zeros?
holes_show()
{
	[ -n "$punched" ] || { echo "no hole was punched"; return 1; }
	for _mib in $punched; do
		cmp -n 65536 -i $((_mib * 1048576)):0 "$file" /dev/zero || return
	done
}

drop_caches()
{
	echo 3 >/proc/sys/vm/drop_caches
}

# disturb N: one of the things that may happen to a file
disturb()
{
	case $(($1 % 5)) in
	0)	drop_caches ;;
	1)	punch $((16 + $1 % 8)) ;;
	2)	truncate -s 25m "$file" ;;
	3)	truncate -s 32m "$file" ;;
	4)	mount -o remount,noatime "$DIO_TMP/mnt" ;;
	esac
}

# on NAME MAKER CMD...: CMD with a stamped $file on a new file system, or on the disk itself (bdev). It
# never ends with 4, which would be a skip.
on()
{
	_name=$1 _maker=$2
	shift 2
	if [ "$_name" = bdev ]; then
		file=$disk
		"$DIO_DIR/disk_stamp" disk=0 size=32m write-device "$disk" && "$@" || return 1
	else
		dio_fs_with "$_name" "$_maker" "$disk" on_file "$@" || return 1
	fi
}

on_file()
{
	file=$DIO_TMP/mnt/file
	"$DIO_DIR/disk_stamp" disk=0 size=32m "$file" && sync && "$@"
}

# restless [holes]: readers, and disturb N over and over until one of them has ended; $rounds times
restless()
{
	allow=${1-} punched="" _bad=0 _n=0
	for _round in $(seq "$rounds"); do
		drop_caches
		start_readers "$_round"
		while still_reading; do
			_n=$((_n + 1))
			disturb "$_n" || { _bad=1; break; }
		done
		wait_readers || _bad=1
	done
	allow=""
	[ $_bad -eq 0 ] && { [ -z "${1-}" ] || holes_show; }
}

# Large folios, on a loop device of 320 MiB
on_xfs()
{
	_scratch=$disk
	truncate -s 320m "$DIO_TMP/image" && disk=$(losetup -f --show "$DIO_TMP/image") || return
	dio_on_exit losetup -d "$disk"
	dio_then "disk=$_scratch" on "$@"
}

# small_group MIB: sets $group to a cgroup that has no more memory
small_group()
{
	group=$DIO_TMP/cgroup/small
	if [ ! -d "$group" ]; then
		echo +memory >"$DIO_TMP/cgroup/cgroup.subtree_control" || return
		mkdir "$group" || return
		dio_on_exit rmdir "$group"
	fi
	echo "$1m" >"$group/memory.max"
}

# The same readers and no disturbance but a cgroup with a quarter of the file's size
in_little_memory()
{
	small_group 8 || return
	start_readers 1
	reader blocks writes=40 fsync=100 bs=16k n=1000
	dio_then "group=" wait_readers
}

# On a file of 40 MiB
fio_verifies()
{
	rm "$file"
	small_group 20 || return
	DIO_FIO_FILE=$file dio_then "group=" in_group fio --eta=never "$DIO_DIR/test_ra_stress.fio"
}

dio_init "$@"
dio_need cmp dmsetup fallocate truncate losetup mke2fs
dio_get_part ra_stress
[ "$DIO_SECTORS" -eq 131072 ] || dio_skip_all "$DIO_DISK has less than 64 MiB"
disk=$DIO_DM
group="" allow="" punched=""
mkdir "$DIO_TMP/cgroup"
dio_plan $(($(echo "$systems" | wc -l) + 3))

while IFS=: read -r name maker holes; do
	on=on
	[ "$name" != xfs ] || on=on_xfs
	dio_fs_try "" "readers of a restless file on $name" "$name" "$maker" $on "$name" "$maker" \
		restless "$holes"
done <<LIST
$systems
LIST

# /proc/cgroups of later kernels does not name what there is in the second version alone.
memory="this kernel has no memory cgroups"
if mount -t cgroup2 none "$DIO_TMP/cgroup" 2>/dev/null; then
	dio_on_exit dio_umount "$DIO_TMP/cgroup"
	! grep -qw memory "$DIO_TMP/cgroup/cgroup.controllers" || memory=""
fi
dio_unless "$memory" "readers in little memory" on bdev "" in_little_memory
for name in ext2 ext4; do
	case="fio verifies what it writes in little memory on $name"
	dio_fs_try "$memory" "$case" $name fio on $name "mke2fs -q -F -t $name" fio_verifies
done
