#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Do requests have the flags, the priority, the hint and the cgroup that who asks for them gave? On
# the disk, and on file systems that use fs/iomap and fs/direct-io.c. dio_flags has the
# combinations.
#
# Who is hurt by a lost one: who must not wait waits; a poller finds nothing; a commit is not on the
# disk; what is urgent queues behind what is not; a cgroup has I/O that nobody counts.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"

trace=/sys/kernel/tracing/instances/dio_flags
# fs/iomap has a simple way for one block, and those of a small ext4 are small.
iomap="$(echo "$dio_systems" | grep '^xfs:')
ext4:mke2fs -q -F -t ext4 -b 4096"
engine=$(echo "$dio_systems" | grep -E '^(jfs|vfat):')

# flags RULES FILE
flags()
(
	[ -z "$stat" ] || echo 0 >"$cgroup/dio/cgroup.procs"
	exec "$DIO_DIR/dio_flags" "$1" "$disk" "$2" "$stat" ${error:+"$error"}
)

# on_disk KIND
on_disk()
{
	echo none >"/sys/block/${disk##*/}/queue/scheduler"
	echo 2 >"/sys/block/${disk##*/}/queue/nomerges"
	dio_try "the disk$1" flags disk "$disk"
	dio_fs_each "" "$iomap" "%$1" dio_fs_with "$disk" flags iomap "$DIO_TMP/mnt/file"
}

dio_init "$@"
case $(uname -r) in
6.*)	dio_skip_all "what is right was written down of 7.3" ;;
esac
dio_get_scratch
cgroup=$DIO_TMP/cgroup
stat=""
mkdir "$cgroup"
if mount -t cgroup2 none "$cgroup" && dio_on_exit umount "$cgroup" &&
   _dio_put +io "$cgroup/cgroup.subtree_control" && mkdir "$cgroup/dio"; then
	dio_on_exit rmdir "$cgroup/dio"
	stat=$cgroup/dio/io.stat
fi
disk=$DIO_DISK
error=$(realpath "/sys/block/${disk##*/}/device")
error=/sys/kernel/debug/scsi_debug/${error##*/}/error
[ -w "$error" ] || dio_skip_all "the disk cannot be told to be busy"
[ -d /sys/kernel/debug/block ] || dio_skip_all "no CONFIG_BLK_DEBUG_FS"
mkdir "$trace" 2>/dev/null || dio_skip_all "the trace has no instances"
dio_on_exit rmdir "$trace"
echo 1 >"$trace/events/block/block_rq_complete/enable"
echo 1 >"$trace/events/scsi/scsi_dispatch_cmd_start/enable"
DIO_SECTORS=131072
dio_plan 9
# A program that was stopped leaves the disk busy.
dio_on_exit _dio_put "1 0 ff 1056" "$error"
[ -n "$stat" ] || dio_skip "what is counted for a cgroup" "no CONFIG_BLK_CGROUP, or its io is elsewhere"
[ -z "$stat" ] || dio_check "what is counted for a cgroup" [ -e "$stat" ]
on_disk ""
dio_fs_each "" "$engine" % dio_fs_with "$disk" flags engine "$DIO_TMP/mnt/file"
dio_null polled poll_queues=1 || dio_skip_all "$DIO_WHY"
disk=$DIO_NULL error=""
on_disk ", polled"
