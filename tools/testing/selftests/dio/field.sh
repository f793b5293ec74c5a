#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The five field reports on this machine's disks, under one kernel and another.
#
#	field --disks DISK... [OPTION]...	a turn under this kernel
#	field compare FILE...			what each kernel gave, of each file of figures
#
# It is called under kernel A, then, the machine booted anew, twice under B, and under A again, so
# that what drifts is in both. The figures stand in a state file: a turn that was stopped goes on
# with the case that was stopped. A line is KEY, tab, values; the last line of a KEY counts. After a
# turn all but what has names goes to a file of its own, for make report (bench.py).
#
# Disks are read. What writes needs --write and DIO_SCRATCH=DISK, as in the tests, each time, and
# dio_guard.sh, which refuses a disk that anybody uses. Documentation/dio/field.rst tells more.
#
# Exit: 0 a turn is done, 1 a disk failed, its data is wrong or has changed, or a program failed; 2
# usage; 130 or 143 stopped by a signal.

. "$(dirname "$0")/dio_common.sh"
. "$DIO_DIR/dio_files.sh"
. "$DIO_DIR/field_cases.sh"

# The kit has what a machine may lack in bin, by way of busybox.
PATH=$PATH:/sbin:/usr/sbin:$DIO_DIR/bin
state=field.state
figures=field.figures
tab=$(printf '\t')
kernel=$(uname -r)
anew=0 write=0
named="" target=""	# DISKs as they are called; DIO_SCRATCH as the kernel calls it
seconds=10 rounds=3 verify=64 pattern=all
bad=0			# data is wrong or has changed
running=0
program_pid=""		# of the program that runs now
in_use=0		# do others use one of the disks?
raws=""			# raw devices that are bound

usage()
{
	cat <<-END
		usage: $1 --disks DISK... [OPTION]...    a turn: DISKs are read, nothing is written
		       $1 compare FILE...                what each kernel gave, of each file of figures
		  DIO_SCRATCH=DISK and --write   write to that disk, too: WHAT IT HOLDS IS LOST
		  --content=TYPE   what DIO_SCRATCH may hold (dio_guard.sh)
		  --seconds=10 --rounds=3   how long a case reads, and how often
		  --cases=all      or a shell's pattern of their names: 'disks-*'
		  --verify=64      MiB of each disk whose data is looked at; 0: none
		  --anew           forget what is done, begin again
		What is done stands in field.state, the figures in $figures, both in this directory.
		Exit: 0 a turn is done, 1 a disk or its data failed, 2 usage.
	END
}

say()
{
	echo "field: $*"
}

wrong()
{
	echo "field: $* (--help for help)" >&2
	exit 2
}

die()
{
	echo "field: $*" >&2
	exit 1
}

# --- The state ---------------------------------------------------------------------------------

# get KEY: its values
get()
{
	awk -F "$tab" -v key="$1" '$1 == key { said = substr($0, length(key) + 2) }
		END { print said }' "$state"
}

# put KEY VALUE...
put()
{
	(IFS=$tab; printf '%s\n' "$*") >>"$state" || die "$state cannot be written"
}

# tell TEXT: a thing about data that must not be missed. It goes into the file of figures, too.
tell()
{
	bad=1
	echo "field: $*" >&2
	put told "turn $turn: $*"
}

# --- What is asked for -------------------------------------------------------------------------

parse()
{
	while [ $# -gt 0 ]; do
		_value=${1#*=}
		case $1 in
		--disks)
			while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
				named="$named${named:+ }$2"
				shift
			done
			;;
		--seconds=*|--rounds=*|--verify=*)
			case $_value in
			""|*[!0-9]*|??????*)	wrong "$1: not a number, or too large" ;;
			esac
			_name=${1%%=*}
			eval "${_name#--}=$_value"
			;;
		--cases=*)	pattern=$_value ;;
		--content=*)	DIO_CONTENT=$_value ;;
		--write)	write=1 ;;
		--anew)		anew=1 ;;
		*)		wrong "unknown word $1" ;;
		esac
		shift
	done
	[ -n "$named" ] || wrong "--disks: no disk named"
	[ $((seconds * rounds)) -gt 0 ] || wrong "--seconds and --rounds: at least 1"
	[ -n "$(field_names)" ] || wrong "--cases=$pattern: no such case"
	[ "$write" -eq 0 ] || [ -n "${DIO_SCRATCH-}" ] || wrong "--write: DIO_SCRATCH names no disk"
	[ "$write" -eq 1 ] || [ -z "${DIO_SCRATCH-}" ] ||
		say "DIO_SCRATCH=$DIO_SCRATCH is not written unless --write is given too"
}

# --- What the machine is, and whether the disks' data is right -----------------------------------

# fact NAME DIR FILE...: the first line of each FILE of the kernel's. What tells one machine or disk
# from all others (names, WWIDs, ports) is not among it.
fact()
{
	_name=$1 _dir=$2 _told=""
	shift 2
	for _file in "$@"; do
		# Not by read: dash's takes a byte at a time, and after one a sysctl has ended.
		_value=$(sed -n 1p "$_dir/$_file" 2>/dev/null)
		[ -z "$_value" ] || _told="$_told${_file##*/} $_value; "
	done
	put "machine.$turn" "$_name" "$_told"
}

# disk_facts N NODE: the disk, the first of its paths, and the driver that this hangs on
disk_facts()
{
	fact "disk $1" "/sys/class/block/$2" size ro queue/scheduler queue/nr_requests \
		queue/read_ahead_kb queue/max_sectors_kb queue/rotational queue/logical_block_size \
		queue/physical_block_size queue/write_cache queue/nomerges queue/rq_affinity \
		queue/wbt_lat_usec
	_disk="disk $1" _path=/sys/class/block/$2
	set -- "$_path"/slaves/*
	[ ! -e "$1" ] || _path=$1
	_host=$(readlink -f "$_path/device" | sed -n 's|.*/\(host[0-9]*\)/.*|\1|p')
	put "machine.$turn" "$_disk paths" $#
	fact "$_disk path" "$_path/device" vendor model rev firmware_rev transport queue_depth
	fact "$_disk driver" "/sys/class/scsi_host/$_host" proc_name model_name modelname \
		fw_version fwrev driver_version lpfc_drvr_version can_queue sg_tablesize
	fact "$_disk port" "/sys/class/fc_host/$_host" speed port_type
}

put_machine()
{
	put "machine.$turn" kernel "$kernel"
	put "machine.$turn" architecture "$(uname -m)"
	put "machine.$turn" memory "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
	put "machine.$turn" vm.readahead_runs "$(sed -n 1p /proc/sys/vm/readahead_runs 2>/dev/null)"
	put "machine.$turn" cpus "$(grep -E '^(model name|microcode)' /proc/cpuinfo | sort |
		uniq -c | tr -s ' \t\n' '  ;')"
	put "machine.$turn" "virtual cpus" "$(grep -c '^flags.* hypervisor' /proc/cpuinfo)"
	_sys=/sys/devices/system
	# shellcheck disable=SC2046 # file names of the kernel
	fact mitigations $_sys/cpu/vulnerabilities $(ls $_sys/cpu/vulnerabilities 2>/dev/null)
	fact clock $_sys cpu/cpu0/cpufreq/scaling_governor \
		clocksource/clocksource0/current_clocksource
	fact numa $_sys/node online has_cpu has_memory
}

# checksum NODE [DD-WORD]: of so many MiB, or of all; fails if they cannot be read
checksum()
{
	{ dd if="$1" bs=1M count="$verify" ${2:+"$2"} 2>/dev/null || : >"$DIO_TMP/unread"; } |
		sha256sum | cut -d ' ' -f 1
	[ ! -e "$DIO_TMP/unread" ]
}

# verify_disk N NODE: reads through the page cache and past it must give the same, and the same as in
# the turn before. Of a disk that others use neither is known, and that is said.
verify_disk()
{
	[ "$verify" -gt 0 ] || return 0
	if ! why=$("$DIO_DIR/dio_guard.sh" --unused "$2" 2>&1); then
		say "$why: its data is not verified, and its figures are of others' I/O, too"
		in_use=1
		return
	fi
	blockdev --flushbufs "$2"
	_direct=$(checksum "$2" iflag=direct) || die "$2: $verify MiB cannot be read"
	_cached=$(checksum "$2") || die "$2: $verify MiB cannot be read"
	[ "$_direct" = "$_cached" ] ||
		tell "disk $1: a read through the page cache and one past it give different data"
	_before=$(get "sum.$1")
	[ "${_before:-$_direct}" = "$_direct" ] ||
		tell "disk $1: data has changed since the turn before"
	put "sum.$1" "$_direct"
}

# --- Turns -------------------------------------------------------------------------------------

# Sets turn to the first that is not done, which must be this kernel's if it was begun.
find_turn()
{
	[ "$anew" -eq 0 ] || rm -f "$state"
	{ : >>"$state"; } 2>/dev/null || die "$state cannot be written"
	[ -z "$(tail -c 1 "$state")" ] || echo >>"$state"	# the power failed in mid-line
	turn=$(($(grep -c '^end' "$state") + 1))
	_begun=$(get "kernel.$turn")
	[ "${_begun:-$kernel}" = "$kernel" ] ||
		die "turn $turn is not done: boot $_begun, and call field again, or --anew"
}

# Turns are compared, so they must be of the same disks, whatever these are called after a boot.
as_before()
{
	_now=""
	for _node in $nodes $target; do
		_sys=/sys/class/block/${_node##*/}
		_now="$_now $(cat "$_sys/device/wwid" "$_sys/wwid" "$_sys/device/serial" "$_sys/size" \
			2>/dev/null | tr -s '[:space:]' _)"
	done
	[ -n "$(get disks)" ] || put disks "$_now"
	[ "$(get disks)" = "$_now" ] ||
		die "other disks than in the turns before, which --anew forgets:$(get disks)"
}

# minutes CASES: what so many take
minutes()
{
	echo "$((($1 * (rounds * seconds + 2) + 59) / 60)) min"
}

run_turn()
{
	todo=$(field_names)
	count=$(echo "$todo" | wc -l)
	say "reads $(echo "$nodes" | wc -w) disks${target:+, WRITES to $DIO_SCRATCH}"
	say "turn $turn, kernel $kernel: $count cases, $rounds rounds of $seconds s:" \
		"about $(minutes "$count")"
	put "kernel.$turn" "$kernel"
	put_machine
	n=0
	for node in $nodes; do
		n=$((n + 1))
		disk_facts $n "${node##*/}"
		verify_disk $n "$node"
	done
	left=$count
	for each_case in $todo; do
		grep -q "^row.$turn$tab.*$tab$each_case$tab" "$state" || run_case "$each_case" \
			"[turn $turn: $((count - left + 1))/$count, $(minutes "$left") left]"
		left=$((left - 1))
	done
	put "end.$turn" yes
}

# Each figure, and what it was in each round under either kernel
compare()
{
	awk -F "$tab" '
		{ split($1, part, ".") }
		part[1] == "kernel" { kernel[part[2]] = $2 }
		part[1] == "row" {
			printf "%-9s %-27s %-19s %-6s %-25s %s\n", $2, $3, $4, $5,
				kernel[part[2]], $6
		}' "$1" | sort -s -k 1,3
}

stopped()
{
	if [ -n "$program_pid" ]; then
		kill "$program_pid" 2>/dev/null
		wait "$program_pid" 2>/dev/null
	fi
	field_end_case
	[ "$running" -eq 0 ] || say "what is done stands in $state: field goes on there"
}

run()
{
	parse "$@"
	[ "$(id -u)" -eq 0 ] || die "must be run as root"
	# Two would measure each other. The lock is the directory's; not every busybox has flock.
	! command -v flock >/dev/null || { exec 9<. && flock -n 9; } ||
		die "another field runs in $PWD"
	dio_start || die "no temporary directory can be made"
	[ "$write" -eq 0 ] || named="$named $DIO_SCRATCH"
	# shellcheck disable=SC2086 # a list
	nodes=$("$DIO_DIR/dio_guard.sh" --reads $named 2>&1) || wrong "$nodes"
	nodes=$(echo "$nodes" | paste -s -d ' ' -)
	if [ "$write" -eq 1 ]; then
		target=${nodes##* } nodes=${nodes% *}
		why=$(dio_guard "$target") || wrong "$why"
	fi
	find_turn
	as_before
	running=1
	dio_on_exit stopped
	run_turn
	running=0
	grep -E '^(kernel|machine|row)\.|^told' "$state" >$figures ||
		die "$figures cannot be written"
	say "turn $turn is done, under $kernel: $figures. Turns are best under A, B, B, A"
	exit "$bad"
}

case ${1-} in
-h|--help)
	usage "$(basename "$0")"
	;;
compare)
	shift
	[ $# -gt 0 ] || wrong "compare: no file named"
	for file in "$@"; do
		[ -r "$file" ] || wrong "$file cannot be read"
		compare "$file"
	done
	;;
*)
	run "$@"
	;;
esac
