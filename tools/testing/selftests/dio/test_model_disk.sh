#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# model_disk: block devices that take the time of a disk hold what was written, take at least that
# time, and are gone afterwards, whoever ended them.
#
# Who is hurt when they are not: whoever measures on them. A device that answers too early makes
# every figure worthless; one that stays behind makes the next run fail.
#
# How long something took is only ever held against what the modelled disk cannot beat, so a slow
# machine fails nothing:
#	what passes the head	sectors of an outer track x revolutions: 65.8 MiB/s (fc), 74.4 (u320);
#				16 MiB are read, of which the disk may have 1 MiB in its cache already
#	what the link carries	202,000,000 bytes a second: 192.7 MiB/s; 200,000,000 (array): 190.8
#	a random I/O of 4 KiB	overhead, a seek to the next track, a write's settling, and of half a
#				revolution on average so much that 100 of them together take it
#				whatever the places: 1 ms (fc), 1.8 ms (u320); where nothing turns
#				150 us (array), 20 us (nvme), and the link for each

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

# ended PID: nothing but its status is left of it
ended()
{
	{ read -r _ _ _state _ <"/proc/$1/stat"; } 2>/dev/null || return 0
	[ "$_state" = Z ]
}

named()
{
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$1" ] || ended "$pid"
}

# start KIND N SIZE: sets $pid, $disks and $disk, the first of them
start()
{
	: >"$DIO_TMP/names"	# the program may not have opened it when we look
	"$model" "$1" "n=$2" "size=$3" >"$DIO_TMP/names" 2>"$DIO_TMP/said" &
	pid=$!
	dio_wait 60 named "$2" || echo "no $2 devices after 60 s"
	disks=$(tr '\n' ' ' <"$DIO_TMP/names")
	disk=${disks%% *}
	[ "$(wc -l <"$DIO_TMP/names")" -eq "$2" ] || { cat "$DIO_TMP/said"; return 1; }
}

# ends RC REGEX: the program ends so, says one line like that, or nothing if REGEX is empty, and
# leaves nothing.
ends()
{
	rc=0
	wait "$pid" || rc=$?
	pid=""
	cat "$DIO_TMP/said"
	echo "exit $rc, wanted $1"
	[ "$rc" -eq "$1" ] && nothing_left &&
		if [ -n "$2" ]; then
			[ "$(wc -l <"$DIO_TMP/said")" -eq 1 ] && grep -Eq "$2" "$DIO_TMP/said"
		else
			[ ! -s "$DIO_TMP/said" ]
		fi
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

# child_of PID: prints the first of its children
child_of()
{
	for _stat in /proc/[0-9]*/stat; do
		{ read -r _pid _ _ _parent _ <"$_stat"; } 2>/dev/null || continue
		if [ "$_parent" = "$1" ]; then
			echo "$_pid"
			return
		fi
	done
	return 1
}

# --- What the devices are and hold -------------------------------------------------------------

# whole DISK SECTORS ROTATIONAL: a disk of this length that turns (1) or does not (0)
whole()
{
	sys=/sys/class/block/${1##*/}
	said="$1: $(cat "$sys/size") sectors, rotational $(cat "$sys/queue/rotational"),"
	said="$said blocks of $(cat "$sys/queue/logical_block_size")"
	echo "$said"
	[ -b "$1" ] && [ "$said" = "$1: $2 sectors, rotational $3, blocks of 512" ]
}

come_up()
{
	start fc 3 16m || return
	for each in $disks; do
		case $each in
		/dev/ublkb[0-9]*)	whole "$each" 32768 1 || return ;;
		*)	echo "$each?"; return 1 ;;
		esac
	done
	cmp -n 16777216 "$disk" /dev/zero
}

stamp_all()
{
	n=0
	for each in $disks; do
		"$DIO_DIR/disk_stamp" disk=$n write-device "$each" || return
		n=$((n + 1))
	done
}

still()
{
	start nvme 1 16m && whole "$disk" 32768 0 && stamp_all && verify blocks=16 bs=1m direct && stop
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

# Two programs beside each other: neither takes the other's devices, nor with it when it goes.
side_by_side()
{
	old=$pid old_disks=$disks
	start u320 2 8m || { pid=$old; return 1; }
	case " $old_disks" in
	*" $disk "*)
		echo "$disk is there twice"
		return 1
		;;
	esac
	stamp_all && verify blocks=8 bs=1m direct
	bad=$?
	kill -TERM "$pid" && wait "$pid" || bad=1
	pid=$old disks=$old_disks disk=${old_disks%% *}
	verify blocks=16 bs=1m direct && return $bad
}

# --- Time --------------------------------------------------------------------------------------

# no_faster KIND N MIB LIMIT: N disks that nobody has read are read at once, MIB of each
no_faster()
{
	start "$1" "$2" 64m || return
	# shellcheck disable=SC2086 # a list
	rate=$("$read" "blocks=$3" bs=1m direct --json $disks |
		sed -n 's/.*"mb_per_s": \([0-9.]*\).*/\1/p')
	echo "$rate MiB/s, at most $4"
	stop && awk -v rate="$rate" -v limit="$4" 'BEGIN { exit !(rate > 0 && rate <= limit) }'
}

# no_sooner KIND WHAT NSEC: random I/Os of 4 KiB, one after the other, on 1 GiB
no_sooner()
{
	start "$1" 1 1g || return
	ns=$("$DIO_DIR/dio_load" "$2" bs=4k n=100 "$disk")
	echo "$ns ns, at least $3"
	stop && awk -v ns="$ns" -v limit="$3" 'BEGIN { exit !(ns >= limit) }'
}

# --- Ends --------------------------------------------------------------------------------------

sectors_read()
{
	read -r _ _ count _ <"/sys/class/block/${disk##*/}/stat"
	echo "$count"
}

has_read()
{
	[ "$(sectors_read)" -gt "$1" ]
}

# while_read CMD...: start anew, and run CMD while the disks are read; the readers fail then
while_read()
{
	start fc 2 64m || return
	before=$(sectors_read)
	# shellcheck disable=SC2086 # a list
	"$read" blocks=1g bs=4k direct random $disks >"$DIO_TMP/reader" 2>&1 &
	reader=$!
	dio_wait 60 has_read "$before" && "$@" || return
	rc=0
	wait "$reader" || rc=$?
	cat "$DIO_TMP/reader"
	echo "the reader's exit $rc, wanted 4"
	[ "$rc" -eq 4 ]
}

kill_first()
{
	kill "-$1" "$pid"
}

kill_server()
{
	kill -9 "$(child_of "$(child_of "$pid")")"
}

terminated()
{
	while_read kill_first TERM && ends 0 ""
}

server_killed()
{
	while_read kill_server && ends 1 'the server was killed by signal 9'
}

# Its keeper goes on without it until all is taken away.
first_killed()
{
	while_read kill_first KILL || return
	wait "$pid"
	pid=""
	dio_wait 60 nothing_left
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

little_memory()
{
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -v 40000 && exec "$model" fc n=1)
}

no_ublk()
{
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount -t tmpfs none /dev && exec "$0" fc n=1' "$model"
}

no_output()
{
	"$model" fc n=2 size=1m >/dev/full
}

# leaves_nothing RC REGEX NAME CMD...: dio_expect, and no device afterwards
leaves_nothing()
{
	dio_expect "$@"
	dio_check "$3: leaves nothing" nothing_left
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
dio_plan 30

dio_check "devices of the right number and length, full of zeros" come_up
dio_check "what was written is read back" holds_data
dio_check "more requests than tags" many_at_once
dio_check "two programs side by side" side_by_side
dio_check "SIGTERM takes the devices away" stop

dio_check "reads are no faster than the platter, fc" no_faster fc 1 16 70.2
dio_check "reads are no faster than the platter, u320" no_faster u320 1 16 79.4
dio_check "eight disks are no faster than their link" no_faster fc 8 8 192.7
dio_check "random reads wait for arm and platter, fc" no_sooner fc read 1620000
dio_check "random reads wait for arm and platter, u320" no_sooner u320 read 2300000
dio_check "random writes wait longer, fc" no_sooner fc write 2220000
dio_check "a disk that does not turn" still
dio_check "reads are no faster than the link, array" no_faster array 1 16 190.8
dio_check "random reads wait for a command, array" no_sooner array read 170000
dio_check "random reads wait for a command, nvme" no_sooner nvme read 22000

dio_check "SIGTERM in mid-read" terminated
dio_check "the server is killed in mid-read" server_killed
dio_check "the program is killed in mid-read" first_killed
dio_check "SIGTERM while a device is open" held

usage='usage: model_disk fc\|u320\|array\|nvme'
dio_expect 2 "$usage" "no words" "$model"
dio_expect 2 "$usage" "too many devices" "$model" fc n=17
dio_expect 2 "$usage" "half a sector" "$model" fc n=1 size=1000
dio_expect 2 'the disk has [0-9]+ bytes' "more than the disk" "$model" fc n=1 size=19g
dio_check "wrong words: leave nothing" nothing_left
leaves_nothing 1 'no memory' "no memory" little_memory
leaves_nothing 4 '/dev/ublk-control: No such file' "no ublk" no_ublk
leaves_nothing 1 'standard output: No space' "nowhere to print to" no_output
