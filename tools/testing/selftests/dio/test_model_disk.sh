#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# model_disk: block devices that take the time of a disk hold what was written, take at least that
# time, and are gone afterwards. That such disks took such a time, and those of other kinds: make
# disk in tools/testing/dio.
#
# Who is hurt when they are not: whoever measures on them. A device that answers too early makes
# every figure worthless; one that stays behind makes the next run fail.
#
# How long something took is only ever held against what the modelled disk cannot beat, so a slow
# machine fails nothing: what the link carries (192.7 MiB/s), and of a random read of 4 KiB the
# overhead, a seek to the next track and 1 ms of turning. In a guest without KVM a disk that takes
# no time is slower than the link: there only the random reads tell it (0.7 ms of at least 1.6).

. "$(dirname "$0")/dio_common.sh"

nodes()
{
	ls /dev/ublkb* /dev/ublkc* /sys/block/ublkb* -d 2>/dev/null
}

# start N SIZE: sets $pid and $disks, whose names come at once, when all are there
start()
{
	[ -z "$pid" ] || stop	# a case before failed half way
	: >"$DIO_TMP/names"	# the program may not have opened it when we look
	"$DIO_DIR/model_disk" fc "n=$1" "size=$2" >"$DIO_TMP/names" 2>"$DIO_TMP/said" &
	pid=$!
	dio_wait 60 test -s "$DIO_TMP/names"
	disks=$(tr '\n' ' ' <"$DIO_TMP/names")
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$1" ] || { cat "$DIO_TMP/said"; return 1; }
}

# stop: SIGTERM ends it, and nothing is left
stop()
{
	kill "$pid"
	rc=0
	wait "$pid" || rc=$?
	pid=""
	echo "exit $rc: $(cat "$DIO_TMP/said")"
	[ "$rc" -eq 0 ] && [ "$(nodes)" = "$before" ]
}

# For a test that stopped half way
stop_all()
{
	[ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null || :
}

# New devices are zero; then two programs at once have more requests than a device has tags (64).
holds_data()
{
	start 8 16m && cmp -n 16777216 "${disks%% *}" /dev/zero || return
	n=0
	for each in $disks; do
		[ "$(dio_sys "$each" size)" -eq 32768 ] &&
			"$DIO_DIR/disk_stamp" disk=$n write-device "$each" || return
		n=$((n + 1))
	done
	"$DIO_DIR/dio_load" read aio depth=96 bs=64k n=288 "${disks%% *}" >"$DIO_TMP/load" &
	load=$!
	# shellcheck disable=SC2086 # a list
	"$DIO_DIR/disk_read" blocks=16 bs=1m direct verify --json $disks >"$DIO_TMP/read" &&
		"$DIO_DIR/disk_read" blocks=2048 bs=8k verify $disks && wait $load && stop
}

link_carries()
{
	cat "$DIO_TMP/read"
	sed 's/.*"seconds": \([0-9.]*\).*/\1/' "$DIO_TMP/read" |
		awk '{ s = $1 } END { exit s < 128 / 192.7 }'
}

random_reads()
{
	start 1 1g || return
	ns=$("$DIO_DIR/dio_load" read bs=4k n=100 "${disks% }")
	echo "$ns ns"
	stop && [ "${ns%.*}" -ge 1620000 ]
}

dio_init "$@"
dio_need awk cmp
if [ ! -e /dev/ublk-control ]; then
	modprobe -q ublk_drv 2>/dev/null ||
		dio_skip_all "this kernel has no ublk (CONFIG_BLK_DEV_UBLK)"
	dio_on_exit modprobe -r -q ublk_drv
	dio_wait 10 test -e /dev/ublk-control || dio_skip_all "there is no /dev/ublk-control"
fi
pid=""
dio_on_exit stop_all
before=$(nodes)
dio_plan 3

dio_check "what was written to eight disks is read back" holds_data
dio_check "they were read no faster than by their link" link_carries
dio_check "random reads wait for arm and platter" random_reads
