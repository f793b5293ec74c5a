#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# model_disk: block devices that take the time of a disk hold what was written, take at least that
# time, and are gone afterwards. The model itself is tested in tools/testing/dio/model_disk_test.c.
#
# Who is hurt when they are not: whoever measures on them. A device that answers too early makes
# every figure worthless; one that stays behind makes the next run fail.
#
# How long something took is only ever held against what the modelled disk cannot beat, so a slow
# machine fails nothing: what passes the head (65.8 MiB/s of fc, of which 1 MiB may be in its cache),
# what the link carries (192.7 MiB/s), and of a random I/O of 4 KiB the overhead, a seek to the next
# track and 1 ms of turning (fc), or 20 us and the link (nvme).

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

model="$DIO_DIR/model_disk"
read="$DIO_DIR/disk_read"

# --- Starting and ending -----------------------------------------------------------------------

nodes()
{
	ls /dev/ublkb* /dev/ublkc* /sys/block/ublkb* -d 2>/dev/null
}

nothing_left()
{
	nodes >"$DIO_TMP/nodes"
	diff "$DIO_TMP/nodes" "$DIO_TMP/nodes.before"
}

# named N: it has named N devices, or has ended
named()
{
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$1" ] || ! grep -qs '^State:.[^Z]' "/proc/$pid/status"
}

# start KIND N SIZE: sets $pid, $disks and $disk, the first of them
start()
{
	: >"$DIO_TMP/names"	# the program may not have opened it when we look
	"$model" "$1" "n=$2" "size=$3" >"$DIO_TMP/names" 2>"$DIO_TMP/said" &
	pid=$!
	dio_wait 60 named "$2"
	disks=$(tr '\n' ' ' <"$DIO_TMP/names")
	disk=${disks%% *}
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$2" ] || { cat "$DIO_TMP/said"; return 1; }
}

# ends RC TEXT: the program ends so, says that and no more, and leaves nothing
ends()
{
	rc=0
	wait "$pid" || rc=$?
	pid=""
	echo "exit $rc, wanted $1 and '$2': $(cat "$DIO_TMP/said")"
	[ "$rc" -eq "$1" ] && nothing_left && [ "$(cat "$DIO_TMP/said")" = "${2:+model_disk: }$2" ]
}

stop()
{
	kill -TERM "$pid" && ends 0 ""
}

# For a test that stopped half way
stop_all()
{
	[ -z "$pid" ] || kill -TERM "$pid" 2>/dev/null || :
}

child_of()
{
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v pid="$1" '$4 == pid { print $1; exit }'
}

# --- What the devices are and hold -------------------------------------------------------------

# are SECTORS ROTATIONAL: block devices of this length that turn (1) or do not (0)
are()
{
	for each in $disks; do
		sys=/sys/class/block/${each##*/}
		said=$(cat "$sys/size" "$sys/queue/rotational" "$sys/queue/logical_block_size" | xargs)
		echo "$each: $said, wanted $1 $2 512"
		[ -b "$each" ] && [ "$said" = "$1 $2 512" ] || return
	done
}

come_up()
{
	start fc 3 16m && are 32768 1 && cmp -n 16777216 "$disk" /dev/zero
}

stamp_all()
{
	n=0
	for each in $disks; do
		"$DIO_DIR/disk_stamp" disk=$n write-device "$each" || return
		n=$((n + 1))
	done
}

# verify WORDS...: all disks at once
verify()
{
	# shellcheck disable=SC2086 # a list
	"$read" "$@" verify $disks
}

holds_data()
{
	stamp_all && verify blocks=16 bs=1m direct && verify blocks=2048 bs=8k &&
		verify blocks=500 bs=4k direct random
}

# More requests at once than a device has tags for (64)
many_at_once()
{
	"$DIO_DIR/dio_load" read aio depth=96 bs=64k n=288 "$disk" >"$DIO_TMP/load" &
	load=$!
	verify blocks=200 bs=4k direct random || return
	wait "$load"
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
		ns=$("$read" "$words" "$@" --json $disks | sed 's/.*"seconds": \([0-9.]*\).*/\1/' |
			awk -v n=$((${words#*=} * each)) '{ printf "%.0f", $1 * 1e9 / n }')
		;;
	*)
		ns=$("$DIO_DIR/dio_load" "$words" "$@" "$disk")
		;;
	esac
	echo "$ns ns, at least $least"
	stop && [ "${ns%.*}" -ge "$least" ]
}

# --- Ends --------------------------------------------------------------------------------------

# has_read SECTORS: more than that
has_read()
{
	read -r _ _ sectors _ <"/sys/class/block/${disk##*/}/stat" && [ "$sectors" -gt "$1" ]
}

kill_server()
{
	kill -9 "$(child_of "$pid")"
}

# It dies while the disks are read; the readers fail then.
server_killed()
{
	start fc 2 64m || return
	has_read 0	# a look for partitions was
	# shellcheck disable=SC2086 # a list
	"$read" blocks=1g bs=4k direct random $disks >"$DIO_TMP/reader" 2>&1 &
	reader=$!
	dio_wait 60 has_read "$sectors" && kill_server || return
	rc=0
	wait "$reader" || rc=$?
	echo "the reader's exit $rc, wanted 4: $(cat "$DIO_TMP/reader")"
	[ "$rc" -eq 4 ] && ends 1 'the server was killed by signal 9'
}

held()
{
	start fc 1 16m || return
	exec 9<"$disk"
	kill -TERM "$pid"
	dio_wait 60 test ! -e "/sys/block/${disk##*/}" || echo "$disk is still there"
	exec 9<&-
	ends 0 ""
}

no_ublk()
{
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount -t tmpfs none /dev && exec "$0" fc n=1' "$model"
}

# --- The cases ---------------------------------------------------------------------------------

dio_init "$@"
dio_need diff cmp awk unshare
if [ ! -e /dev/ublk-control ]; then
	modprobe -q ublk_drv 2>/dev/null ||
		dio_skip_all "this kernel has no ublk (CONFIG_BLK_DEV_UBLK)"
	dio_on_exit modprobe -r -q ublk_drv
	dio_wait 10 test -e /dev/ublk-control || dio_skip_all "there is no /dev/ublk-control"
fi
pid=""
dio_on_exit stop_all
nodes >"$DIO_TMP/nodes.before"
dio_plan 14

dio_check "devices of the right number and length, full of zeros" come_up
dio_check "what was written is read back" holds_data
dio_check "more requests than tags" many_at_once
dio_check "SIGTERM takes the devices away" stop

while IFS=: read -r name words; do
	# shellcheck disable=SC2086 # words
	dio_check "$name" takes $words
done <<END
reads are no faster than the platter, fc:14245014 fc 1 64m blocks=16 bs=1m direct
eight disks are no faster than their link:5189414 fc 8 64m blocks=8 bs=1m direct
random reads wait for arm and platter, fc:1620000 fc 1 1g read bs=4k n=100
random reads wait for a command, nvme:22000 nvme 1 1g read bs=4k n=100
END

dio_check "the server is killed in mid-read" server_killed
dio_check "SIGTERM while a device is open" held

dio_expect 2 'usage: model_disk fc\|u320\|array\|nvme' "no words" "$model"
dio_expect 2 'the disk has [0-9]+ bytes' "more than the disk" "$model" fc n=1 size=19g
dio_expect 4 '/dev/ublk-control: No such file' "no ublk" no_ublk
dio_check "wrong words leave nothing" nothing_left
