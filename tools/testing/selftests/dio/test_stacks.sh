#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Regression test: direct writes on stacked disks wake nobody whom they do not wake on a plain one.
#
# The bug: a write of one bio was sent without a plug, as there was nothing to collect. But md lets
# who writes to RAID1 or RAID10 with a bitmap send to the disks itself only from a plug. Without one
# each bio goes to the array's thread, and the writer sleeps until that has run. The CPU time of the
# writer, which is less then, hides it.
# Who is hurt: those who write small blocks to mirrors with a bitmap, which nearly all have. A write
# of a block becomes two context switches.
#
# The same was so of a disk of one queue that is busy, or has an I/O scheduler: blk-mq leaves to kblockd
# what comes without a plug, and from a plug sends it. So it is with each read of ext4 and XFS on stock's
# 7.3. There the kicks that the program gives kblockd are counted.
#
# Counted are the wakeups in so many overwrites of 4 KiB, one in flight, on disks that answer at
# once: of the writer, and of all whom it or the array's thread wakes, but for RCU. A broken stack
# takes one or two for each write. Right is what the plain disk takes, a few in all; half a one for
# each write is allowed for what else happens. RAID5 is not here: its thread does all writes, in any
# kernel.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_md.sh"
. "$(dirname "$0")/dio_files.sh"

n=1000
size=262144		# n writes to random blocks of so much leave none out
sectors=98304
tracing=/sys/kernel/tracing
waking=$tracing/events/sched/sched_waking/enable
stacks="linear stripe delay dm-raid1 raid0 raid1 raid1-bitmap raid10 raid10-bitmap"
systems="$(echo "$dio_systems" | grep -E '^(jfs|ext4|xfs):')
bare:true"

# make_stack KIND: $stack becomes the node, or $DIO_WHY says why there is none
make_stack()
{
	case $1 in
	plain)	stack=$one ;;
	linear)	dio_dm stack "0 $sectors linear $one 0" ;;
	stripe)	dio_dm stack "0 $sectors striped 2 128 $one 0 $two 0" ;;
	delay)	dio_dm stack "0 $sectors delay $one 0 0" ;;
	dm-raid1)	# its metadata, anew, have a bitmap
		for disk in "$three" "$four"; do
			dd if=/dev/zero of="$disk" bs=1M count=1 oflag=direct status=none || return
		done
		dio_dm stack "0 $sectors raid raid1 2 0 nosync 2 $three $one $four $two"
		;;
	*)	dio_md "$1" "$one" "$two" && stack=/dev/md125 ;;
	esac || return
	[ -z "$DIO_DM" ] || stack=$DIO_DM
}

# count_wakeups CMD...: sets $wakeups. The thread that io_uring leaves a write to, which depends on
# who is first, is the writer as well.
count_wakeups()
{
	: >"$tracing/trace"
	echo 1 >"$waking"
	dio_then "echo 0 >$waking" "$@" >/dev/null || return
	wakeups=$(grep -E '^ *(dio_load|iou-wrk|md125_)|comm=(dio_load|iou-wrk)' "$tracing/trace" |
		grep -Evc 'comm=rcu|^ *(dio_load|iou-wrk).*comm=(dio_load|iou-wrk)') || :
}

# overwrite SYSTEM KIND FILE: in each way; what it holds afterwards is what was written last
overwrite()
{
	for way in sync aio uring; do
		word=$way
		[ $way != sync ] || word=depth=1
		dd if="$DIO_TMP/before" of="$3" bs=64k oflag=direct conv=notrunc status=none &&
			sync && count_wakeups "$DIO_DIR/dio_load" write "$word" depth=1 bs=4k n=$n \
				"$3" &&
			dd if="$3" bs=64k count=$((size / 65536)) iflag=direct status=none |
			cmp -n $size - /dev/zero || return
		[ "$2" != plain ] || echo "$wakeups" >"$DIO_TMP/$1-$way"
		plain=$(cat "$DIO_TMP/$1-$way")
		echo "$way: $wakeups wakeups in $n writes, $plain on a plain disk"
		[ "$wakeups" -le $((plain + n / 2)) ] || overwrite_rc=1
	done
}

# on_stack SYSTEM MAKER KIND
on_stack()
{
	DIO_DM=""
	if ! make_stack "$3"; then
		drop_stack
		echo "$DIO_WHY"
		[ -z "$DIO_WHY" ] || return 4
		return 1
	fi
	overwrite_rc=0
	if [ "$1" = bare ]; then
		dio_dm part "0 $((size / 512)) linear $stack 0" && overwrite "$1" "$3" "$DIO_DM" ||
			overwrite_rc=$?
	else
		# shellcheck disable=SC2086 # a command line
		$2 "$stack" && dio_fs_mount "$1" "$stack" "$DIO_TMP/mnt" &&
			overwrite "$1" "$3" "$DIO_TMP/mnt/file" || overwrite_rc=$?
	fi
	drop_stack && return $overwrite_rc
}

# kicks SYSTEM MAKER SCHEDULER WORD...: by a dio_load of these words, on a disk that takes one command at
# a time
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
	kicked=$(grep -Ec '^ *dio_load-.*\] ..\..* comm=kworker/[0-9:]*H' "$tracing/trace")
	echo "$kicked kicks in $n requests"
	dio_umount "$DIO_TMP/mnt" && [ $kicks_rc -eq 0 ] && [ "$kicked" -le $((n / 4)) ]
}

drop_stack()
{
	dio_umount "$DIO_TMP/mnt" && dio_dm_remove part && dio_dm_remove stack && dio_md_remove
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
[ -d "$tracing/events" ] || mount -t tracefs none "$tracing" 2>/dev/null
[ -w "$waking" ] || dio_skip_all "this kernel has no trace of wakeups"
one="" two="" three="" four=""
for disk in one two three four; do
	dio_null $disk irqmode=0 || dio_skip_all "$DIO_WHY"
	eval "$disk=\$DIO_NULL"
	echo none >"/sys/block/${DIO_NULL##*/}/queue/scheduler"
done
dio_on_exit _dio_put 0 "$waking"
head -c $size /dev/zero | tr '\0' '\333' >"$DIO_TMP/before"
# shellcheck disable=SC2086 # a list
set -- plain $stacks
dio_plan $(($(echo "$systems" | wc -l) * ($# + 2) - 1))

while IFS=: read -r name maker; do
	why=""
	[ "$name" = bare ] || why=$(dio_fs_lacks "$name" "$maker") || why=""
	for kind in plain $stacks; do
		case $name:$kind:$(uname -r) in
		bare:*-bitmap:*|bare:dm-raid1:*|bare:raid1*:6.1.*)
			why="the file of a block device has no plug, in no kernel" ;;
		bare:*)
			why="" ;;
		esac
		dio_unless "$why" "$name, $kind" on_stack "$name" "$maker" "$kind"
	done
	[ "$name" = bare ] && continue		# it has no plug, either
	why=$(dio_fs_lacks "$name" "$maker") || why=$one_queue
	dio_unless "$why" "$name, a busy disk of one queue" \
		kicks "$name" "$maker" none write aio depth=2 bs=4k
	# of a block at most, also where mkfs makes blocks of 1 KiB
	dio_unless "$why" "$name, reads through a scheduler" \
		kicks "$name" "$maker" mq-deadline read bs=1k
done <<-LIST
$systems
LIST
dio_no_complaints
