#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The five field reports on this machine's disks, under two kernels in the order A B B A.
#
#	field --disks DISK... [OPTION]...	begin; field alone goes on
#	field compare FILE...			a table of each file of figures
#
# It is called once under each kernel: first under A, then, the machine booted anew, under B (two
# turns), then under A again. What was begun, and what is done, stands in a state file, a line each:
# KEY, tab, values; the last line of a KEY counts. So a turn that was stopped goes on with the case
# that was stopped. After each turn all figures go to a JSON file (field_rows.awk).
#
# Disks are read. What writes needs --write and DIO_SCRATCH=DISK, as in the tests, each time, and
# dio_guard.sh, which refuses a disk that anybody uses. Documentation/dio/field.rst tells more.
#
# Exit: 0 done so far, 1 a disk failed, its data is wrong or has changed, or a program failed; 2 usage;
# 3 this is not the kernel whose turn it is; 130 or 143 stopped by a signal.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"
# shellcheck source=dio_files.sh
. "$DIO_DIR/dio_files.sh"
# shellcheck source=field_machine.sh
. "$DIO_DIR/field_machine.sh"
# shellcheck source=field_verify.sh
. "$DIO_DIR/field_verify.sh"
# shellcheck source=field_cases.sh
. "$DIO_DIR/field_cases.sh"

# The kit has what a machine may lack in bin, by way of busybox.
PATH=$PATH:/sbin:/usr/sbin:$DIO_DIR/bin
state=field.state
json=field.json
tab=$(printf '\t')
kernel=$(uname -r)
names=0			# --with-names
anew=0
wishes=""		# what a plan is to be: lines of KEY, tab, value
bad=0			# data is wrong or has changed
program_pid=""		# of the program that runs now
in_use=0		# do others use one of the disks?
raws=""			# raw devices that are bound

usage()
{
	cat <<-END
		usage: $1 --disks DISK... [OPTION]...    begin: DISKs are read, nothing is written
		       $1 [--with-names]                 go on, under the kernel that was asked for
		       $1 compare FILE...                a table of each file of figures
		  DIO_SCRATCH=DISK and --write   write to that disk, too: WHAT IT HOLDS IS LOST
		  --content=TYPE   what DIO_SCRATCH may hold (dio_guard.sh)
		  --seconds=10 --rounds=3   how long a case reads, and how often
		  --cases=all      or a shell's pattern of their names: 'disks-*'
		  --verify=64      MiB of each disk whose data is looked at; 0: none
		  --with-names     and the names of machine and disks, WWIDs, ports
		  --anew           forget what is done, begin again
		What is done stands in field.state, the figures in field.json, both in this directory.
		Exit: 0 done so far, 1 a disk or its data failed, 2 usage, 3 boot the other kernel first.
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

wish()
{
	wishes="$wishes$1$tab$2
"
}

wish_number()
{
	case $2 in
	""|*[!0-9]*|??????*)	wrong "--$1=$2: not a number, or too large" ;;
	esac
	[ "$2" -ge "$3" ] || wrong "--$1=$2: at least $3"
	wish "$1" "$2"
}

parse()
{
	named="" write=0
	while [ $# -gt 0 ]; do
		case $1 in
		--disks)
			while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
				named="$named${named:+ }$2"
				shift
			done
			[ -n "$named" ] || wrong "--disks: no disk named"
			;;
		--seconds=*)	wish_number seconds "${1#*=}" 1 ;;
		--rounds=*)	wish_number rounds "${1#*=}" 1 ;;
		--verify=*)	wish_number verify "${1#*=}" 0 ;;
		--cases=*)	wish cases "${1#*=}" ;;
		--content=*)	DIO_CONTENT=${1#*=} ;;
		--write)	write=1 ;;
		--with-names)	names=1 ;;
		--anew)		anew=1 ;;
		-*)		wrong "unknown option $1" ;;
		*)		wrong "unknown word $1" ;;
		esac
		shift
	done
	[ -z "$named" ] || wish disks "$named"
	[ "$write" -eq 0 ] || [ -n "${DIO_SCRATCH-}" ] || wrong "--write: DIO_SCRATCH names no disk"
	[ "$write" -eq 0 ] || wish scratch "$DIO_SCRATCH"
	[ "$write" -eq 1 ] || [ -z "${DIO_SCRATCH-}" ] ||
		say "DIO_SCRATCH=$DIO_SCRATCH is not written unless --write is given too"
}

# What tells a disk from another under the same name
identity()
{
	for _file in device/wwid wwid dm/uuid md/uuid; do
		! read -r _wwid 2>/dev/null <"/sys/class/block/${1##*/}/$_file" || break
		_wwid=unknown
	done
	echo "$_wwid, $(cat "/sys/class/block/${1##*/}/size") sectors"
}

# find_disks NAME...: sets nodes, the kernel's names, and target, that of DIO_SCRATCH; or why not
find_disks()
{
	target=""
	[ "$write" -eq 0 ] || set -- "$@" "$DIO_SCRATCH"
	why=$("$DIO_DIR/dio_guard.sh" --reads "$@" 2>&1) || return
	nodes=$(echo "$why" | paste -s -d ' ' -)
	[ "$write" -eq 1 ] || return 0
	target=${nodes##* } nodes=${nodes% *}
	why=$(dio_guard "$target")
}

# The disks, a line each: KEY, tab, what tells each from others
identities()
{
	_n=0
	for _node in $nodes; do
		_n=$((_n + 1))
		printf 'disk.%s\t%s\n' "$_n" "$(identity "$_node")"
	done
	[ -z "$target" ] || printf 'disk.scratch\t%s\n' "$(identity "$target")"
}

begin()
{
	[ -n "$named" ] || wrong "$state is not there to go on with, and --disks is missing"
	# shellcheck disable=SC2086 # a list
	find_disks $named || wrong "$why"
	chosen=$(printf '%s' "$wishes" | sed -n "s/^cases$tab//p" | tail -n 1)
	pattern=${chosen:-all}
	[ -n "$(field_names)" ] || wrong "--cases=$chosen: no such case"
	part=$state.part
	printf '%s\t%s\n' seconds 10 rounds 3 verify 64 cases all >"$part" 2>/dev/null ||
		die "$part cannot be written"
	printf '%s' "$wishes" >>"$part"
	identities >>"$part"
	mv "$part" "$state" || die "$state cannot be written"
}

# The plan stays as it was made, and its disks are the same.
go_on()
{
	while IFS=$tab read -r key value; do
		[ -z "$key" ] || [ "$value" = "$(get "$key")" ] ||
			wrong "$key: $state was begun with '$(get "$key")'; --anew begins again"
	done <<-END
		$wishes
	END
	[ "$(get scratch)" = "$(printf '%s' "$wishes" | sed -n "s/^scratch$tab//p")" ] || wrong \
		"$state writes to $(get scratch): give --write and DIO_SCRATCH each time, or --anew"
	[ -z "$(tail -c 1 "$state")" ] || echo >>"$state"	# the power failed in mid-line
	# shellcheck disable=SC2046 # a list
	find_disks $(get disks) || die "$why"
	identities | while IFS=$tab read -r key value; do
		[ "$value" = "$(get "$key")" ] || die "$key is another one than that of $state: $value"
	done || exit 1
}

# --- Turns -------------------------------------------------------------------------------------

# Sets turn to the first that is not done, 5 if all are, and wanted to its kernel, if that is known.
find_turn()
{
	turn=1
	while [ -n "$(get "end.$turn")" ]; do
		turn=$((turn + 1))
	done
	case $turn in
	1|4)	wanted=$(get kernel.1) ;;
	2|3)	wanted=$(get kernel.2) ;;
	esac
}

is_our_turn()
{
	[ "$turn" -le 4 ] || return
	[ -n "$wanted" ] || { [ "$kernel" != "$(get kernel.1)" ]; return; }
	[ "$kernel" = "$wanted" ]
}

say_next()
{
	if [ "$turn" -gt 4 ]; then
		say "all four turns are done: $json; field compare $json shows it as a table"
	elif [ -n "$wanted" ]; then
		say "next: turn $turn of 4. Boot $wanted, and call field again"
	else
		say "next: turn $turn of 4. Boot the other kernel (not $kernel), and call field again"
	fi
}

in_minutes()
{
	echo "$((($1 + 59) / 60)) min"
}

run_turn()
{
	todo=$(field_names)
	count=$(echo "$todo" | wc -l)
	each=$(($(get rounds) * $(get seconds)))
	say "turn $turn of 4 (A B B A), kernel $kernel: $count cases, $(get rounds) rounds of" \
		"$(get seconds) s: about $(in_minutes $((count * (each + 2))))"
	put "kernel.$turn" "$kernel"
	started=$(date +%s)
	field_machine | while IFS= read -r line; do
		put "machine.$turn" "$line"
	done
	field_verify
	n=0
	for each_case in $todo; do
		n=$((n + 1))
		[ -n "$(get "done.$turn.$each_case")" ] || run_case "$each_case" \
			"[turn $turn: $n/$count, $(in_minutes $(((count - n + 1) * (each + 2)))) left]"
	done
	put "end.$turn" $(($(date +%s) - started))
}

write_json()
{
	reported=$DIO_DIR/field_reported
	[ -e "$reported" ] || reported=/dev/null
	if ! awk -F "$tab" -v names="$names" -f "$DIO_DIR/field_rows.awk" "$reported" "$state" \
		>"$json.part" || ! mv "$json.part" "$json"; then
		die "$json cannot be written"
	fi
}

stopped()
{
	if [ -n "$program_pid" ]; then
		kill "$program_pid" 2>/dev/null
		wait "$program_pid" 2>/dev/null
	fi
	field_end_case
	[ "$running" -eq 1 ] || return 0
	say "what is done stands in $state: field goes on there"
}

# Two at once would measure each other. Nothing is left behind: the lock is the directory's. Not every
# busybox has flock.
be_alone()
{
	! command -v flock >/dev/null || { exec 9<. && flock -n 9; } ||
		die "another field runs in $PWD"
}

run()
{
	parse "$@"
	[ "$(id -u)" -eq 0 ] || die "must be run as root"
	be_alone
	dio_start || die "no temporary directory can be made"
	if [ "$anew" -eq 0 ] && [ -e "$state" ]; then
		go_on
	else
		begin
	fi
	pattern=$(get cases)
	find_turn
	began=$turn running=1
	dio_on_exit stopped
	! is_our_turn ||
		say "reads $(echo "$nodes" | wc -w) disks${target:+, WRITES to $DIO_SCRATCH}"
	while is_our_turn; do
		run_turn
		find_turn
		write_json
	done
	write_json
	running=0
	say_next
	[ "$turn" -gt "$began" ] || [ "$turn" -gt 4 ] || exit 3
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
	done
	exec awk -f "$DIO_DIR/field_table.awk" "$@"
	;;
*)
	run "$@"
	;;
esac
