#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Readahead while the ground moves: readers of several kinds check each byte of a file, 16 of them
# on one open file, and beside them caches are dropped, holes are punched, the end is cut off and
# put back, the file system is remounted, or memory is short. On file systems with large folios,
# bios of their own, and buffer heads, as far as they are at hand.
#
# Readers stay below the part that is cut off; where there are holes they may see zeros, and where
# there is one at last, it must be seen. A broken kernel shows old pages, pages of another place, or
# fails under KASAN and lockdep.
#
# Then memory is short: the same readers, and fio, which writes at random and verifies what it
# wrote; and who looks at a mapped page for some milliseconds, while it may be taken away, sees no
# other in its place. User-mode Linux of 7.3 did not tell a program on another CPU that it went.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"

rounds=${DIO_ROUNDS:-3}
systems=$(echo "$dio_systems" | grep -E '^(ext2-1k|ext4|xfs|vfat):')
fio_systems=$(echo "$dio_systems" | grep -E '^(ext2-4k|ext4):')

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
	# Where memory is short, so many programs alone would take all of it.
	if [ -z "$group" ]; then
		reader run len=64k bs=4k n=25 share=16 "seed=$1"
		reader mmap-run len=64k n=25 share=16 "seed=$1"
	fi
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

# disturb N: one of the things that may happen to a file
disturb()
{
	case $(($1 % 5)) in
	0)	echo 3 >/proc/sys/vm/drop_caches ;;
	1)	punch $((16 + $1 % 8)) ;;
	2)	truncate -s 25m "$file" ;;
	3)	truncate -s 32m "$file" ;;
	4)	mount -o remount,noatime "$DIO_TMP/mnt" ;;
	esac
}

# on_file CMD...: CMD with a stamped $file. It never ends with 4, which would be a skip.
on_file()
{
	file=$DIO_TMP/mnt/file
	"$DIO_DIR/disk_stamp" disk=0 size=32m "$file" && sync && "$@" || return 1
}

# on_disk CMD...: the same, but the file is the disk
on_disk()
{
	file=$disk
	"$DIO_DIR/disk_stamp" disk=0 size=32m write-device "$disk" && "$@" || return 1
}

# restless_on NAME MAKER: ext4 and xfs have holes.
restless_on()
{
	allow=""
	case $1 in
	ext4|xfs)	allow=holes ;;
	esac
	dio_fs_with "$1" "$2" "$disk" on_file restless
}

# restless: readers, and disturb N over and over until one of them has ended; $rounds times
restless()
{
	punched="" _bad=0 _n=0
	for _round in $(seq "$rounds"); do
		echo 3 >/proc/sys/vm/drop_caches
		start_readers "$_round"
		while still_reading; do
			_n=$((_n + 1))
			disturb "$_n" || { _bad=1; break; }
		done
		wait_readers || _bad=1
	done
	[ $_bad -eq 0 ] && { [ -z "$allow" ] || holes_show; }
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
	allow=""
	small_group 8 || return
	start_readers 1
	reader blocks writes=40 fsync=100 bs=16k n=1000
	dio_then "group=" wait_readers
}

# Mapped pages that are looked at for long, while other readers need the memory
in_view()
{
	small_group 6 || return
	pids=""
	: >"$DIO_TMP/readers"
	reader mmap-random advise=random n=300 hold=3000
	reader blocks bs=64k n=20000
	dio_then "group=" wait_readers
}

# In half of the memory that the files take
fio_verifies()
{
	small_group 20 || return
	DIO_FIO_DIR=$DIO_TMP/mnt DIO_FIO_SIZE=40m DIO_FIO_SIZES=16k-16k DIO_FIO_NEW_DEPTH=1 \
		dio_then "group=" in_group \
		fio --eta=never --section=buffered "$DIO_DIR/test_file_load.fio"
}

dio_init "$@"
dio_need cmp dmsetup fallocate truncate
dio_get_part ra_stress
[ "$DIO_SECTORS" -eq 131072 ] || dio_skip_all "$DIO_DISK has less than 64 MiB"
disk=$DIO_DM
group="" fio=""
command -v fio >/dev/null || fio="program fio is missing"
mkdir "$DIO_TMP/cgroup"
dio_plan 8

dio_fs_each "" "$systems" "readers of a restless file on %" restless_on

# /proc/cgroups of later kernels does not name what there is in the second version alone.
memory="this kernel has no memory cgroups"
if mount -t cgroup2 none "$DIO_TMP/cgroup" 2>/dev/null; then
	dio_on_exit dio_umount "$DIO_TMP/cgroup"
	! grep -qw memory "$DIO_TMP/cgroup/cgroup.controllers" || memory=""
fi
dio_unless "$memory" "readers in little memory" on_disk in_little_memory
dio_unless "$memory" "a mapped page is itself as long as it is looked at" on_disk in_view
dio_fs_each "${memory:-$fio}" "$fio_systems" "fio verifies what it writes in little memory on %" \
	dio_fs_with "$disk" fio_verifies
