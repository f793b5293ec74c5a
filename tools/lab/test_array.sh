#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# array.sh in a guest of `guest.sh -a many`: fc, many and model come up bare and joined, with the
# right disks; they go without a trace; a step that fails, or a signal, takes away what was made before.
# Run by `make array-tests`.
#
# Who is hurt when it is broken: every figure of an array. A disk too few or in the wrong order
# measures another array than the table says; what stays behind ends all later runs of the guest.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

array="$DIO_DIR/array.sh"
bin=${O:-$PWD}/kselftest
config=/sys/kernel/config/target
many=/sys/bus/pseudo/drivers/scsi_debug
stub=""			# what stands before PATH, if anything

# traces: all that an array is made of, as it is now
traces()
{
	ls -1d /sys/block/* /sys/class/fc_host/* /sys/class/fc_remote_ports/* /sys/class/net/* \
		/sys/bus/fcoe/devices/* $config/* $config/core/* /run/array* 2>/dev/null
	grep -h . $many/add_host $many/per_host_store $many/opts $many/every_nth \
		/sys/module/scsi_debug/parameters/wp
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
	rc=0
	"$array" up "$@" >"$DIO_TMP/disks" 2>"$DIO_TMP/said" || rc=$?
	cat "$DIO_TMP/disks" "$DIO_TMP/said"
	disks=$(tr '\n' ' ' <"$DIO_TMP/disks")
	[ $rc -eq 0 ] && [ "$(wc -l <"$DIO_TMP/disks")" -eq "$wanted" ] || return
	for disk in $disks; do
		[ -b "$disk" ] || { echo "$disk is no disk"; return 1; }
	done
}

down()
{
	"$array" down "$1" && no_traces
}

# bare N NAME MIB: N disks, stamped in their order
bare()
{
	# shellcheck disable=SC2086 # a list
	up "$1" "$2" && "$bin/disk_read" blocks="$3" bs=1m direct verify $disks
}

# count NAME...: how many there are
count()
{
	[ ! -e "$1" ] && echo 0 || echo $#
}

# ports: the disks' HBA is an FC port that sees one target
ports()
{
	grep -H . /sys/class/fc_host/*/port_name /sys/class/fc_remote_ports/*/roles
	[ "$(count /sys/class/fc_host/*)" -eq 2 ] &&
		grep -q '^0x200002000000fc01$' /sys/class/fc_host/*/port_name &&
		grep -q Target /sys/class/fc_remote_ports/*/roles
}

# joined N NAME HOW MIB: one disk that joins N, at least MIB long, and can be written
joined()
{
	up 1 "$2" "$3" || return
	disk=${disks%% *}
	sys=/sys/class/block/${disk##*/}
	size=$(cat "$sys/size")
	members=$(count "$sys"/slaves/*)
	echo "$size sectors on $members disks"
	[ "$members" -eq "$1" ] &&
		[ "$size" -ge $(($4 * 2048)) ] && "$bin/disk_stamp" disk=9 size=9m write-device "$disk" &&
		"$bin/disk_read" blocks=9 bs=1m direct verify "$disk"
}

# says RC REGEX WORDS...: array.sh ends so; its last line is like that
says()
{
	rc_wanted=$1
	regex=$2
	shift 2
	rc=0
	PATH=$stub$PATH "$array" "$@" >"$DIO_TMP/out" 2>"$DIO_TMP/said" || rc=$?
	cat "$DIO_TMP/said"
	echo "exit $rc, wanted $rc_wanted and /$regex/"
	[ $rc -eq "$rc_wanted" ] && [ ! -s "$DIO_TMP/out" ] &&
		tail -n 1 "$DIO_TMP/said" | grep -Eq "$regex"
}

# fails REGEX WORDS...: a step fails, is named, and leaves nothing
fails()
{
	says 1 "$@" && no_traces
}

# An array that is up is neither built anew nor harmed.
refused()
{
	says 1 '^array: an array is up: take it down first$' up many &&
		says 1 '^array: an array is up: take it down first$' up fc dm &&
		says 1 '^array: an array is up: take it down first$' up model &&
		"$bin/disk_read" blocks=1 bs=1m direct verify "${disks%% *}"
}

# Two disks have changed places when they are joined.
wrong_chunks()
{
	mkdir -p "$DIO_TMP/stub"
	cat >"$DIO_TMP/stub/dmsetup" <<-STUB
		#!/bin/sh
		for word; do
			shift
			set -- "\$@" "\$(echo "\$word" |
				sed 's/\(striped [0-9]* [0-9]*\) \([^ ]*\) 0 \([^ ]*\)/\1 \3 0 \2/')"
		done
		exec $(command -v dmsetup) "\$@"
	STUB
	chmod +x "$DIO_TMP/stub/dmsetup"
	stub=$DIO_TMP/stub:
	fails '^array: /dev/dm-[0-9]+: chunk 0 is not /dev/sd[a-z]+.s$' up fc dm
	bad=$?
	stub=""
	return $bad
}

# interrupted WORDS... -- CMD...: SIGTERM as soon as CMD succeeds
interrupted()
{
	words=""
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words
	"$array" up $words >"$DIO_TMP/out" 2>"$DIO_TMP/said" &
	pid=$!
	dio_wait 120 "$@" || echo "waited 120 s for $*"
	kill -TERM "$pid"
	rc=0
	wait "$pid" || rc=$?
	cat "$DIO_TMP/out" "$DIO_TMP/said"
	echo "exit $rc, wanted 143"
	[ $rc -eq 143 ] && no_traces
}

# exists PATTERN
exists()
{
	for _path in $1; do
		[ ! -e "$_path" ] || return 0
	done
	return 1
}

# For a test that stopped half way
clean()
{
	for name in fc many model; do
		"$array" down $name >/dev/null 2>&1 || :
	done
}

dio_init "$@"
dio_need bash dmsetup ip diff python3
[ -x "$bin/disk_read" ] || dio_skip_all "there are no selftests in $bin (make selftests)"
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config ||
	dio_skip_all "this kernel has no configfs"
[ -d /sys/bus/fcoe ] || dio_skip_all "this kernel has no FCoE"
[ -d $many ] || dio_skip_all "this kernel has no scsi_debug"
O=${bin%/kselftest}
export O
disks=""
dio_on_exit clean
traces >"$DIO_TMP/traces.before"
dio_plan 26

for words in "fc 8 16 8191" "many 64 4 1008" "model 8 16 512"; do
	# shellcheck disable=SC2086 # array, disks, MiB of stamps of each, parts that are joined
	set -- $words
	name=$1 count=$2 mib=$3 parts=$4
	dio_check "$name: $count disks with their stamps" bare "$count" "$name" "$mib"
	[ "$name" != fc ] || dio_check "fc: an HBA port that sees a target" ports
	dio_check "$name: what is up is not touched" refused
	dio_check "$name: down leaves nothing" down "$name"
	for how in md dm; do
		dio_check "$name: joined by $how" joined "$count" "$name" $how "$parts"
		dio_check "$name: joined by $how, down leaves nothing" down "$name"
	done
done

dio_check "chunks in the wrong place" wrong_chunks

dio_check "SIGTERM when they are joined" interrupted fc dm -- exists "/sys/block/dm-*"
dio_check "SIGTERM when many disks come" interrupted many -- grep -qs scsi_debug \
	/sys/block/sda/device/model

usage='^array: usage: array.sh up scsi\|sas\|fc\|many\|model \[md\|dm\] \| down NAME$'
dio_check "no such array" says 2 "$usage" up ide
