#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Regression test: direct I/O is sent from a plug, also where there is nothing to collect.
#
# The bug: a write of one bio was sent without a plug. But md lets who writes to RAID1 or RAID10
# with a bitmap send to the disks itself only from a plug. Without one each bio goes to the array's
# thread, and the writer sleeps until that has run. The CPU time of the writer, which is less then,
# hides it. Who is hurt: those who write small blocks to mirrors with a bitmap, which nearly all
# have. A write of a block becomes two context switches.
#
# The same was so of a disk of one queue that is busy, or has an I/O scheduler: blk-mq leaves to
# kblockd what comes without a plug, and from a plug sends it. So it is with each read of ext4 and
# XFS on stock's 7.3. There the kicks that the program gives kblockd are counted.
#
# On disks that answer at once the wakeups in so many overwrites of 4 KiB, one in flight, are
# counted: of the writer, and of all whom it or the array's thread wakes, but for RCU. A broken
# array takes one or two for each write. Right is a few in all, as on the plain disk; half a one for
# each write is allowed for what else happens. Other stacks do not ask whether there is a plug, the
# file of a block device has none, in no kernel, and the thread of RAID5 does all its writes.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_md.sh"
. "$(dirname "$0")/dio_files.sh"

n=1000
size=262144		# n writes to random blocks of so much leave none out
systems=$(echo "$dio_systems" | grep -E '^(jfs|ext4|xfs):')

# count_wakeups CMD...: sets $wakeups. The thread that io_uring leaves a write to, which depends on
# who is first, is the writer as well.
count_wakeups()
{
	dio_traced sched/sched_waking "$@" || return
	wakeups=$(grep -E '^ *(dio_load|iou-wrk|md125_)|comm=(dio_load|iou-wrk)' "$dio_trace" |
		grep -Evc 'comm=rcu|^ *(dio_load|iou-wrk).*comm=(dio_load|iou-wrk)') || :
}

# overwrite FILE: in each way; what it holds afterwards is what was written last
overwrite()
{
	overwrite_rc=0
	for way in "" aio uring; do
		# shellcheck disable=SC2086 # a word or none
		dd if="$DIO_TMP/before" of="$1" bs=64k oflag=direct conv=notrunc status=none &&
			sync && count_wakeups "$DIO_DIR/dio_load" write $way depth=1 bs=4k n=$n "$1" &&
			dd if="$1" bs=64k count=$((size / 65536)) iflag=direct status=none |
			cmp -n $size - /dev/zero || return
		echo "${way:-sync}: $wakeups wakeups in $n writes"
		[ "$wakeups" -le $((n / 2)) ] || overwrite_rc=1
	done
	return $overwrite_rc
}

# on_array SYSTEM MAKER KIND
on_array()
{
	array=$one
	[ "$3" = plain ] || array=/dev/md125
	if [ "$3" != plain ] && ! dio_md "$3" "$one" "$two"; then
		dio_md_remove
		echo "$DIO_WHY"
		[ -z "$DIO_WHY" ] || return 4
		return 1
	fi
	# shellcheck disable=SC2086 # a command line
	$2 "$array" && dio_fs_mount "$1" "$array" "$DIO_TMP/mnt" && overwrite "$DIO_TMP/mnt/file"
	array_rc=$?
	dio_umount "$DIO_TMP/mnt" && dio_md_remove && return $array_rc
}

# kicks SYSTEM MAKER SCHEDULER WORD...: by a dio_load of these words, on a disk that takes one
# command at a time
kicks()
{
	_dio_put "$3" "$queue/queue/scheduler" || return
	# shellcheck disable=SC2086 # a command line
	$2 "$DIO_DISK" && dio_fs_mount "$1" "$DIO_DISK" "$DIO_TMP/mnt" || return
	dd if="$DIO_TMP/before" of="$DIO_TMP/mnt/file" bs=64k oflag=direct status=none &&
		sync && { [ -n "${DIO_SCRATCH-}" ] || dio_sd_delay 100000; } &&
		shift 3 && count_wakeups "$DIO_DIR/dio_load" "$@" n=$n "$DIO_TMP/mnt/file"
	kicks_rc=$?
	[ -n "${DIO_SCRATCH-}" ] || dio_sd_delay 0
	# not by an interrupt on top of it, which has a letter in the third place
	kicked=$(grep -Ec '^ *dio_load-.*\] ..\..* comm=kworker/[0-9:]*H' "$dio_trace")
	echo "$kicked kicks in $n requests"
	dio_umount "$DIO_TMP/mnt" && [ $kicks_rc -eq 0 ] && [ "$kicked" -le $((n / 4)) ]
}

dio_init "$@"
dio_need dd cmp
dio_get_scratch
queue=/sys/block/${DIO_DISK##*/}
one_queue=""
if ! _dio_put none "$queue/queue/scheduler" || ! _dio_put 1 "$queue/device/queue_depth" ||
   [ -e "$queue/mq/1" ]; then
	one_queue="$DIO_DISK is no SCSI disk of one queue"
fi
why=$(dio_traced sched/sched_waking true 2>&1) || dio_skip_all "$why"
one="" two=""
for disk in one two; do
	dio_null $disk irqmode=0 || dio_skip_all "$DIO_WHY"
	eval "$disk=\$DIO_NULL"
	echo none >"/sys/block/${DIO_NULL##*/}/queue/scheduler"
done
head -c $size /dev/zero | tr '\0' '\333' >"$DIO_TMP/before"
dio_plan 16

for kind in plain raid1-bitmap raid10-bitmap; do
	dio_fs_each "" "$systems" "%, $kind" on_array "$kind"
done
dio_fs_each "$one_queue" "$systems" "%, a busy disk of one queue" kicks none write aio depth=2 bs=4k
# of a block at most, also where mkfs makes blocks of 1 KiB
dio_fs_each "$one_queue" "$systems" "%, reads through a scheduler" kicks mq-deadline read bs=1k
dio_no_complaints
