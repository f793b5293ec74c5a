#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# model_disk: block devices that take the time of a disk hold what was written, take at least that
# time, and are gone afterwards.
#
# Who is hurt when they are not: whoever measures on them. A device that answers too early makes
# every figure worthless; one that stays behind makes the next run fail.
#
# How long something took is only ever held against what the modelled disk cannot beat, so a slow
# machine fails nothing: what passes the head (65.8 MiB/s of fc, of which 1 MiB may be in its cache),
# what the link carries (192.7 MiB/s), and of a random I/O of 4 KiB the overhead, a seek to the next
# track and 1 ms of turning (fc), or 20 us and the link (nvme).

. "$(dirname "$0")/dio_common.sh"

nodes()
{
	ls /dev/ublkb* /dev/ublkc* /sys/block/ublkb* -d 2>/dev/null
}

# named N: it has named N devices, or has ended
named()
{
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$1" ] || ! grep -qs '^State:.[^Z]' "/proc/$pid/status"
}

# start KIND N SIZE: sets $pid, $disks and $disk, the first of them
start()
{
	[ -z "$pid" ] || stop	# a case before failed half way
	: >"$DIO_TMP/names"	# the program may not have opened it when we look
	"$DIO_DIR/model_disk" "$1" "n=$2" "size=$3" >"$DIO_TMP/names" 2>"$DIO_TMP/said" &
	pid=$!
	dio_wait 60 named "$2"
	disks=$(tr '\n' ' ' <"$DIO_TMP/names")
	disk=${disks%% *}
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$2" ] || { cat "$DIO_TMP/said"; return 1; }
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

# verify WORDS...: all disks at once
verify()
{
	# shellcheck disable=SC2086 # a list
	"$DIO_DIR/disk_read" "$@" verify $disks
}

# New devices are zero; then two programs at once have more requests than a device has tags (64).
holds_data()
{
	start fc 3 16m && cmp -n 16777216 "$disk" /dev/zero || return
	n=0
	for each in $disks; do
		[ "$(dio_sys "$each" size)" -eq 32768 ] &&
			"$DIO_DIR/disk_stamp" disk=$n write-device "$each" || return
		n=$((n + 1))
	done
	"$DIO_DIR/dio_load" read aio depth=96 bs=64k n=288 "$disk" >"$DIO_TMP/load" &
	load=$!
	verify blocks=16 bs=1m direct && verify blocks=2048 bs=8k && wait $load && stop
}

# takes NSEC KIND N SIZE WORD...: so long at least each I/O takes, of dio_load, or of disk_read on
# disks that nobody has read
takes()
{
	least=$1
	start "$2" "$3" "$4" || return
	words=$5 each=$3
	shift 5
	case $words in
	blocks=*)
		# shellcheck disable=SC2086 # a list
		ns=$("$DIO_DIR/disk_read" "$words" "$@" --json $disks |
			sed 's/.*"seconds": \([0-9.]*\).*/\1/' |
			awk -v n=$((${words#*=} * each)) '{ printf "%.0f", $1 * 1e9 / n }')
		;;
	*)
		ns=$("$DIO_DIR/dio_load" "$words" "$@" "$disk")
		;;
	esac
	echo "$ns ns, at least $least"
	stop && [ "${ns%.*}" -ge "$least" ]
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
dio_plan 5

dio_check "what was written is read back" holds_data
while IFS=: read -r name words; do
	# shellcheck disable=SC2086 # words
	dio_check "$name" takes $words
done <<END
reads are no faster than the platter, fc:14245014 fc 1 64m blocks=16 bs=1m direct
eight disks are no faster than their link:5189414 fc 8 64m blocks=8 bs=1m direct
random reads wait for arm and platter, fc:1620000 fc 1 1g read bs=4k n=100
random reads wait for a command, nvme:22000 nvme 1 1g read bs=4k n=100
END
