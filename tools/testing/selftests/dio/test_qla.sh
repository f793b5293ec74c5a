#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# qla2xxx on an adapter without hardware (CONFIG_SCSI_ISP24XX_MODEL, user-mode Linux): eight disks
# behind a switch, on a loop or at the end of a wire are read and written, and links, ports, commands,
# answers and the firmware fail while that happens. Each I/O must end as it should, with its data, none
# may wait longer than the fault, the adapter may find no fault with the driver, and the kernel must not
# complain.
#
# Who is hurt when not: whoever has a QLogic adapter, and this driver or one of its patches. The
# segments of the driver's patch are counted on the ring: 1 MiB that lies in one piece is one descriptor
# in one entry, and was sixteen in four.

. "$(dirname "$0")/dio_common.sh"

isp=/sys/kernel/debug/isp24xx
stores=/sys/bus/pseudo/drivers/scsi_debug
number=8
more=0			# further disks, for many

put()
{
	echo "$*" >"$isp/do"
}

# state WORD: what the adapter says of it
state()
{
	sed -n "s/^$1 //p" "$isp/state"
}

# behind: the nodes of the disks that the driver has, in order of their ports
behind()
{
	for node in /sys/class/fc_host/host*/device/rport-*/target*/*/block/*; do
		[ ! -e "$node" ] || echo "$(cat "${node%/*/*/*/*}"/fc_remote_ports/*/port_name) /dev/${node##*/}"
	done | sort | sed 's/.* //'
}

# there N: so many disks are there, and can be opened
there()
{
	disks=$(behind | tr '\n' ' ')
	# shellcheck disable=SC2086 # a list
	set -- "$1" $disks
	[ $# -eq $(($1 + 1)) ] || return
	shift
	for node; do
		dio_opens "$node" || return
	done
}

# bring_up PORTS TOPOLOGY [DEVICE]: the driver has read the adapter's own name in its NVRAM, too
bring_up()
{
	put new "$first" "$@" || return
	dio_wait 60 there "$1" || { cat "$isp/state"; echo "disks: $disks"; return 1; }
	disk=${disks%% *}
	dio_settle
	# The model does a command in one piece of memory, which in a small guest is not to be had of 2 MiB.
	for node in $disks; do
		echo 512 >"/sys/block/${node#/dev/}/queue/max_sectors_kb" || return
	done
	grep -hqx 0x2100001b32000000 /sys/class/fc_host/host*/port_name
}

take_down()
{
	put remove && dio_wait 60 there 0
}

# right: what is behind the ports is what their own disks have
right()
{
	# shellcheck disable=SC2086 # a list
	"$DIO_DIR/disk_read" blocks=16 bs=1m direct verify $disks
}

# four_ways: all disks at once, as in the report of 2002
four_ways()
{
	for way in "direct verify" nocopy verify; do
		# shellcheck disable=SC2086 # lists
		"$DIO_DIR/disk_read" blocks=16 bs=1m $way $disks || return
	done
	[ -e /dev/raw/rawctl ] || return 0	# stock
	raws=""
	for node in $disks; do
		dio_get_raw
		"$DIO_DIR/raw" "$DIO_RAW" "$node" >/dev/null && raws="$raws /dev/raw/raw$DIO_RAW" || return
	done
	# shellcheck disable=SC2086 # a list
	"$DIO_DIR/disk_read" blocks=16 bs=1m verify $raws
	ways_rc=$?
	for node in $raws; do
		dio_unbind "${node#/dev/raw/raw}"
	done
	return $ways_rc
}

# counted CMD...: sets entries and descriptors to what CMD puts on the ring
counted()
{
	entries=$(state entries) descriptors=$(state descriptors)
	"$@" || return
	entries=$(($(state entries) - entries)) descriptors=$(($(state descriptors) - descriptors))
}

one_piece()
{
	echo 1024 >"/sys/block/${disk#/dev/}/queue/max_sectors_kb" || return
	counted "$DIO_DIR/dio_load" read contig bs=1m n=1 "$disk" || return
	echo "$descriptors descriptors in $entries entries"
	[ "$descriptors" -eq 1 ] && [ "$entries" -eq 1 ]
}

# loads: direct, raw (not on stock, which has no such driver) and buffered I/O on three disks, until
# loads_end
loads()
{
	rm -f "$DIO_TMP/enough"
	# shellcheck disable=SC2086 # a list
	set -- $disks
	export DIO_FIO_DIRECT="$1" DIO_FIO_BUFFERED="$3" DIO_FIO_MOST=300s
	loaded="$1 $3" sections="--section=direct --section=buffered"
	if [ -e /dev/raw/rawctl ]; then
		dio_get_raw
		"$DIO_DIR/raw" "$DIO_RAW" "$2" >/dev/null || return
		export DIO_FIO_RAW="/dev/raw/raw$DIO_RAW"
		loaded="$1 $2 $3" sections="$sections --section=raw"
	fi
	# shellcheck disable=SC2086 # words
	dio_array_load $sections >"$DIO_TMP/loads" 2>&1 &
	load=$!
}

# loads_end: no I/O failed, and what was written is read
loads_end()
{
	loads_rc=0
	# shellcheck disable=SC2086 # a list
	dio_writes "$load" 8192 $loaded || loads_rc=1
	: >"$DIO_TMP/enough"
	wait "$load" || loads_rc=1
	[ ! -e /dev/raw/rawctl ] || dio_unbind "$DIO_RAW"
	[ "$loads_rc" -eq 0 ] || { dmesg | tail -n 20; cat "$isp/state" "$DIO_TMP/loads"; }
	return $loads_rc
}

# is WORD VALUE: so says the adapter
is()
{
	[ "$(state "$1")" = "$2" ]
}

# busy N: at least N commands are in flight
busy()
{
	[ "$(state inflight)" -ge "$1" ]
}

# settled RESETS: the adapter was reset since, and all is as before
settled()
{
	[ "$(state resets)" -gt "$1" ] && is link 1 && online
}

# online: no port is lost
online()
{
	for port in /sys/class/fc_host/host*/device/rport-*/fc_remote_ports/*/port_state; do
		[ "$(cat "$port")" = Online ] || return
	done
}

# under_load CMD...: CMD, a fault that no I/O may see, while I/O goes on; then all is read
under_load()
{
	loads && dio_wait 30 busy 1 || return
	under_rc=0
	"$@" || { echo "exit $?: $*"; under_rc=1; }
	loads_end && [ "$under_rc" -eq 0 ] && dio_wait 60 online && right
}

# some FAULT N: so many commands or answers; then none is left to be hit
some()
{
	put "$1" "$2" && dio_wait 120 is "$1" 0
}

# link_fault [GBIT]: the link comes back, with that speed
link_fault()
{
	put link down && dio_wait 10 is link 0 && put link up "$@" && dio_wait 30 is link 1 &&
		dio_wait 60 online && { [ $# -eq 0 ] || dio_wait 30 fast "$1"; }
}

fast()
{
	grep -qx "$1 Gbit" /sys/class/fc_host/host*/speed
}

port_fault()
{
	put port 0 down && dio_wait 30 lost && put port 0 up && dio_wait 60 online
}

# often CMD...: ten times
often()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$@" || return
	done
}

lost()
{
	! online
}

# reset_fault device|target: it is reset while its commands are held.
reset_fault()
{
	put hold && dio_wait 30 busy 3 && sg_reset "--$1" --no-esc "$disk"
	reset_rc=$?
	put release && return $reset_rc
}

# chip_fault WORD [SECONDS]: the firmware fails, which an I/O meets, and the driver resets the adapter
chip_fault()
{
	resets=$(state resets)
	put "$1" || return
	dd if="$disk" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null &
	met=$!
	dio_wait "${2:-300}" settled "$resets" && wait $met
}

# The firmware crashes while a thousand writes are in flight; all are written, and read back.
thousand()
{
	files=""
	for node in $disks; do
		echo 160 >"/sys/block/${node#/dev/}/device/queue_depth" || return
		files=$files:$node
	done
	resets=$(state resets)
	put hold && fio --name=deep --filename="${files#:}" --offset=32m --size=8m --bs=4k \
		--rw=randwrite --direct=1 --ioengine=libaio --iodepth=1280 --verify=crc32c \
		--verify_fatal=1 >"$DIO_TMP/deep" 2>&1 &
	pids=$!
	dio_wait 60 busy 1000 && put crash && dio_wait 300 settled "$resets"
	deep_rc=$?
	put release && wait "$pids" && return $deep_rc
	cat "$DIO_TMP/deep"
	return 1
}

# told: how often it was said of the disk, in words or as numbers
told()
{
	dmesg | grep -cE "\[${disk#/dev/}\] tag.* (ASC=0x11 |Add. Sense: Unrecovered read error)"
}

unread()
{
	! dd if="$disk" of=/dev/null bs=4k skip=582 count=1 iflag=direct 2>/dev/null
}

# The disk says why it does not read a sector.
sense()
{
	before=$(told)
	echo 2 >$stores/opts	# sectors 4660 to 4669
	dio_then "echo 0 >$stores/opts" unread && [ "$(told)" -gt "$before" ]
}

# A port that stays away is given up: I/O fails, its disk goes, and comes again with the port.
gone()
{
	rport=$(grep -l 2001001b32000000 /sys/class/fc_remote_ports/*/port_name) || return
	rport=${rport%/*}
	before=$(cat "$rport/dev_loss_tmo")
	echo 2 >"$rport/dev_loss_tmo" && put port 0 down && dio_wait 60 there $((number - 1)) || return
	put port 0 up && dio_wait 60 there $number && echo "$before" >"$rport/dev_loss_tmo" && right
}

# many: as many targets as there can be. Those behind the first eight have one disk's data together.
many()
{
	echo 0 >$stores/per_host_store && echo 56 >$stores/add_host && more=56 &&
		bring_up 64 fabric 2532 || return
	# shellcheck disable=SC2086 # a list
	"$DIO_DIR/disk_read" blocks=4 bs=1m direct $disks || return
	# shellcheck disable=SC2086 # a list
	set -- $disks
	disks="$1 $2 $3 $4 $5 $6 $7 $8"
	under_load link_fault
}

fewer()
{
	[ "$more" -eq 0 ] || _dio_put -$more $stores/add_host
}

dio_init "$@"
[ -e "$isp/do" ] || dio_skip_all "no CONFIG_SCSI_ISP24XX_MODEL in this kernel"
[ -z "${DIO_DISKS-}${DIO_SCRATCH-}" ] || dio_skip_all "it is tested on disks of its own only"
dio_need sg_reset fio
dio_get_disks $number
first=$(basename "$(readlink -f "/sys/block/$(basename "${DIO_LIST%% *}")/device")")
first=${first%%:*}
n=0
for node in $DIO_LIST; do
	"$DIO_DIR/disk_stamp" disk=$n size=16m write-device "$node" >/dev/null ||
		dio_skip_all "no stamps on $node"
	n=$((n + 1))
done
dio_on_exit fewer
dio_on_exit take_down
dio_plan 37

dio_check "eight disks come up" bring_up $number fabric 2532
dio_check "eight disks behind qla2xxx, read four ways" four_ways
dio_check "1 MiB in one piece is one descriptor" one_piece
dio_check "the link goes and comes" under_load link_fault 8
dio_check "a port goes and comes (RSCN)" under_load port_fault
dio_check "a bad sector's sense" sense
dio_check "a LUN is reset" under_load reset_fault device
dio_check "a target is reset" under_load reset_fault target
dio_check "a thousand are in flight when the firmware crashes" thousand
for node in $disks; do
	echo 3 >"/sys/block/${node#/dev/}/device/timeout"
done
dio_check "commands vanish" under_load some drop 3
dio_check "the target is full" under_load some full 3
dio_check "answers come twice" under_load some twice 3
dio_check "answers are garbage" under_load some garbage 3
dio_check "answers are bad" under_load some bad 3
dio_check "the firmware crashes" under_load chip_fault crash
dio_check "a port is given up, and comes again" gone
if [ -z "${DIO_STOCK-}" ]; then
	dio_check "the firmware hangs" under_load chip_fault hang
else
	dio_skip "the firmware hangs" "stock does not reset it, and who waits for it waits for minutes"
fi
dio_check "the driver did nothing wrong" is errors "0 "
dio_check "the adapter goes" take_down
for topology in loop fabric; do
	dio_check "$topology, ISP2432: eight disks come up" bring_up $number $topology
	dio_check "$topology, ISP2432: their data are right" right
	dio_check "$topology, ISP2432: the link goes and comes" under_load link_fault
	again=""
	[ "$topology" = fabric ] || again=often	# a login may be under way while the loop goes down
	dio_check "$topology, ISP2432: a port goes and comes" under_load $again port_fault
	dio_check "$topology, ISP2432: the driver did nothing wrong" is errors "0 "
	[ "$topology" = loop ] || dio_check "$topology, ISP2432: a reset" chip_fault crash 60
	dio_check "$topology, ISP2432: the adapter goes" take_down
done
number=1
dio_check "n2n: a disk comes up" bring_up 1 n2n
dio_check "n2n: its data are right" right
dio_check "n2n: the adapter goes" take_down
dio_check "64 targets" many
dio_no_complaints
