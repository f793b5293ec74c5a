#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# No memory: each allocation of direct I/O on the disk, a raw device and files fails once, and so
# does each of buffered reads and of a binding. dio_pin says what is right then; the kernel
# complains of a lock that stays held. Who is hurt by a broken path: whoever is short of memory.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"

debug=/sys/kernel/debug
systems=$(echo "$dio_systems" | grep -E '^(ext4|xfs|jfs|vfat|udf):')

# on_file: overwrites what is there
on_file()
{
	dd if=/dev/zero of="$DIO_TMP/mnt/file" bs=1M count=2 oflag=direct status=none &&
		"$DIO_DIR/dio_pin" nomem "$DIO_TMP/mnt/file"
}

on_raw()
{
	dio_get_raw
	"$DIO_DIR/dio_pin" nomem "/dev/raw/raw$DIO_RAW" "$DIO_DISK" &&
		"$DIO_DIR/raw" "$DIO_RAW" "$DIO_DISK" >/dev/null || return
	dio_then "dio_unbind $DIO_RAW" "$DIO_DIR/dio_pin" nomem "/dev/raw/raw$DIO_RAW"
}

dio_init "$@"
[ -e /proc/self/fail-nth ] || dio_skip_all "no CONFIG_FAULT_INJECTION in this kernel"
# Pages do not fail: user-mode Linux does not survive that in a page fault.
[ -e $debug/failslab ] || dio_skip_all "no CONFIG_FAILSLAB in this kernel"
dio_on_exit _dio_put Y $debug/failslab/ignore-gfp-wait
if ! _dio_put 0 $debug/failslab/verbose || ! _dio_put N $debug/failslab/ignore-gfp-wait; then
	dio_skip_all "failslab takes no settings"
fi
dio_get_scratch
DIO_SECTORS=131072
dio_plan $(($(echo "$systems" | wc -l) + 3))

dio_check "the disk" "$DIO_DIR/dio_pin" nomem "$DIO_DISK"
dio_unless "$([ -e /dev/raw/rawctl ] || echo "this kernel has no raw driver")" "a raw device" on_raw
dio_fs_each "" "$systems" % dio_fs_with "$DIO_DISK" on_file
dio_no_complaints
