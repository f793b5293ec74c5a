#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# array.sh in a guest of `guest.sh -a many`: ARRAYS= of fc, many and model (all) come up bare and
# joined, with the right disks; they go without a trace, after a signal, too. Run by `make array-tests`.
#
# Who is hurt when it is broken: every figure of an array. A disk too few or in the wrong order
# measures another array than the table says; what stays behind ends all later runs of the guest.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

array="$DIO_DIR/array.sh"
arrays=${ARRAYS:-fc many model}
bin=${O:-$PWD}/kselftest
config=/sys/kernel/config/target
many=/sys/bus/pseudo/drivers/scsi_debug

# traces: all that an array is made of, as it is now
traces()
{
	ls -1d /sys/block/* /sys/class/fc_host/* /sys/class/fc_remote_ports/* /sys/class/net/* \
		/sys/bus/fcoe/devices/* $config/* $config/core/* /run/array* 2>/dev/null
	cat $many/add_host $many/per_host_store
	grep /run/array /proc/mounts
}

no_traces()
{
	traces >"$DIO_TMP/traces"
	diff "$DIO_TMP/traces.before" "$DIO_TMP/traces"
}

# up N NAME [md|dm]: it comes up, and is N devices; sets $disks
up()
{
	wanted=$1
	shift
	"$array" up "$@" >"$DIO_TMP/disks" || return
	cat "$DIO_TMP/disks"
	disks=$(tr '\n' ' ' <"$DIO_TMP/disks")
	[ "$(wc -l <"$DIO_TMP/disks")" -eq "$wanted" ]
}

down()
{
	"$array" down "$1" && no_traces
}

# bare N NAME MIB: N disks, stamped in their order; what is up is not built again, nor harmed
bare()
{
	up "$1" "$2" || return
	! "$array" up many dm || return
	# shellcheck disable=SC2086 # a list
	"$bin/disk_read" blocks="$3" bs=1m direct verify $disks || return
	[ "$2" != fc ] || grep Target /sys/class/fc_remote_ports/*/roles
}

# joined N NAME HOW MIB: one disk that joins N, at least MIB long, and can be written
joined()
{
	up 1 "$2" "$3" || return
	disk=${disks%% *}
	sys=/sys/class/block/${disk##*/}
	set -- "$1" "$4" "$sys"/slaves/*
	echo "$(cat "$sys/size") sectors on $(($# - 2)) disks"
	[ $(($# - 2)) -eq "$1" ] && [ "$(cat "$sys/size")" -ge $(($2 * 2048)) ] &&
		"$bin/disk_stamp" disk=9 size=9m write-device "$disk" &&
		"$bin/disk_read" blocks=9 bs=1m direct verify "$disk"
}

has_disk()
{
	grep -qs scsi_debug /sys/block/*/device/model
}

# SIGTERM as soon as there is a disk
interrupted()
{
	"$array" up many &
	pid=$!
	dio_wait 120 has_disk || echo "waited 120 s for a disk"
	kill -TERM "$pid"
	rc=0
	wait "$pid" || rc=$?
	echo "exit $rc, wanted 143"
	[ $rc -eq 143 ] && no_traces
}

# For a test that stopped half way
clean()
{
	for name in $arrays; do
		"$array" down "$name" >/dev/null 2>&1 || :
	done
}

dio_init "$@"
dio_need bash dmsetup ip diff python3
[ -x "$bin/disk_read" ] || dio_skip_all "there are no selftests in $bin (make selftests)"
[ -d $many ] || dio_skip_all "this kernel has no scsi_debug"
O=${bin%/kselftest}
export O
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
dio_on_exit clean
traces >"$DIO_TMP/traces.before"
dio_plan $(($(echo "$arrays" | wc -w) * 6 + 2))

for name in $arrays; do
	# disks, MiB of stamps of each, parts that are joined
	case $name in
	fc)	count=8 mib=16 parts=8191 ;;
	many)	count=64 mib=4 parts=1008 ;;
	model)	count=8 mib=16 parts=512 ;;
	esac
	dio_check "$name: $count disks with their stamps" bare "$count" "$name" "$mib"
	dio_check "$name: down leaves nothing" down "$name"
	for how in md dm; do
		dio_check "$name: joined by $how" joined "$count" "$name" $how "$parts"
		dio_check "$name: joined by $how, down leaves nothing" down "$name"
	done
done
dio_check "SIGTERM when many disks come" interrupted
dio_expect 2 '^array: usage: ' "no such array" "$array" up ide
