#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# array.sh in a guest of `guest.sh -a many`: fc, many and model come up bare and joined, with the
# right disks; they fail as they are told, and are mended; they go without a trace; a step that fails,
# or a signal, takes away what was made before.
# Run by `make array-tests`.
#
# Who is hurt when it is broken: every figure of an array. A disk too few or in the wrong order
# measures another array than the table says; what stays behind ends all later runs of the guest.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"
# shellcheck source=../testing/selftests/dio/dio_faults.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_faults.sh"

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

# reads DISK [SECTOR]
reads()
{
	dd if="$1" of=/dev/null bs=512 skip="${2-0}" count=1 iflag=direct status=none
}

# writes DISK: at 12 MiB
writes()
{
	dd if=/dev/zero of="$1" bs=4k seek=3072 count=1 oflag=direct conv=notrunc status=none
}

# told_not CMD...: it fails; what it says is shown
told_not()
{
	! "$@" || { echo "$* should fail"; return 1; }
}

# faulty NAME WHAT CMD...: CMD succeeds on the first disk, not while WHAT is wrong, and after mend
faulty()
{
	array_name=$1
	what=$2
	shift 2
	"$@" || return
	"$array" fail "$array_name" "$what" && told_not "$@"
	bad=$?
	"$array" mend "$array_name" && "$@" && return $bad
}

# All but the bad sector can be read.
bad_sector()
{
	faulty many medium reads "${disks%% *}" 4660 && "$array" fail many medium || return
	reads "${disks%% *}" 4659 && reads "${disks%% *}" 4661
	bad=$?
	"$array" mend many && return $bad
}

# protected NAME: no disk takes a write, each can be read
protected()
{
	faulty "$1" protected writes "${disks%% *}" && "$array" fail "$1" protected || return
	bad=0
	for disk in $disks; do
		if ! reads "$disk" || ! told_not writes "$disk"; then
			echo "$disk"
			bad=1
		fi
	done
	"$array" mend "$1" && return $bad
}

# number_of MODEL: disks of that model
number_of()
{
	grep -ls "$1" /sys/block/sd*/device/model | wc -l
}

lun_reset()
{
	before=$(fault_resets)
	"$array" fail many reset && [ "$(fault_resets)" -eq $((before + 1)) ]
}

# gone NAME MODEL: one disk fewer, then as many as before
gone()
{
	before=$(number_of "$2")
	"$array" fail "$1" gone && between=$(number_of "$2") && "$array" mend "$1" || return
	echo "$before disks, then $between, then $(number_of "$2")"
	[ "$between" -eq $((before - 1)) ] && [ "$(number_of "$2")" -eq "$before" ]
}

# The cable is out of the host's port, and in again.
cable()
{
	"$array" fail fc path || return
	dio_wait 30 grep -qx Linkdown /sys/class/fc_host/*/port_state
	bad=$?
	"$array" mend fc && reads "${disks%% *}" && return $bad
}

# A transition takes five seconds; then the disk works.
transition()
{
	state=$config/core/fileio_0/fc0/alua/default_tg_pt_gp/alua_access_state
	"$array" fail fc transition && [ "$(cat "$state")" -eq 1 ] && reads "${disks%% *}" || return
	"$array" mend fc && [ "$(cat "$state")" -eq 0 ] && reads "${disks%% *}"
}

down_while_it_fails()
{
	"$array" fail many medium && "$array" fail many protected && down many
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
dio_plan 42

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

dio_check "many is up, to fail" up 64 many
dio_check "many: a bad sector" bad_sector
dio_check "many: write-protected" protected many
dio_check "many: a LUN reset" lun_reset
dio_check "many: a disk is gone, and back" gone many scsi_debug
dio_check "many has no path to lose" says 2 \
	'^array: many cannot do path: .*: array.sh up fc$' fail many path
dio_check "many: down while it fails" down_while_it_fails

dio_check "fc is up, to fail" up 8 fc
dio_check "fc: write-protected" protected fc
dio_check "fc: standby" faulty fc standby reads "${disks%% *}"
dio_check "fc: transition" transition
dio_check "fc: the cable is pulled, and back" cable
dio_check "fc: a disk is gone, and back" gone fc FILEIO
dio_check "fc has no bad sectors" says 2 \
	'^array: fc cannot do medium: .*: array.sh up many$' fail fc medium
dio_check "fc: down, mended" down fc
dio_check "what is not up does not fail" says 1 '^array: fc is not up$' fail fc gone

dio_check "chunks in the wrong place" wrong_chunks

dio_check "SIGTERM when they are joined" interrupted fc dm -- exists "/sys/block/dm-*"
dio_check "SIGTERM when many disks come" interrupted many -- grep -qs scsi_debug \
	/sys/block/sda/device/model

usage='^array: usage: array.sh up scsi\|sas\|fc\|many\|model \[md\|dm\] \| down NAME \| fail NAME WHAT \| mend NAME$'
dio_check "no such array" says 2 "$usage" up ide
