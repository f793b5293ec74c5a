#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The five field reports on this machine's disks, under one kernel and another.
#
#	field --disks DISK... [OPTION]...	a turn under this kernel
#	field compare FILE...			what each kernel gave, of each file of figures
#
# It is called under kernel A, then, the machine booted anew, twice under B, and under A again, so that
# what drifts is in both. What is done stands in a state file, a line each: KEY, tab, values; the last
# line of a KEY counts. So a turn that was stopped goes on with the case that was stopped. After each
# turn the lines of kernels, machine and figures go to a file of their own, which has no names: make
# report takes that (tools/lab/bench_kit.py).
#
# Disks are read. What writes needs --write and DIO_SCRATCH=DISK, as in the tests, each time, and
# dio_guard.sh, which refuses a disk that anybody uses. Documentation/dio/field.rst tells more.
#
# Exit: 0 a turn is done, 1 a disk failed, its data is wrong or has changed, or a program failed; 2
# usage; 130 or 143 stopped by a signal.

. "$(dirname "$0")/dio_common.sh"
. "$DIO_DIR/dio_files.sh"
. "$DIO_DIR/field_machine.sh"
. "$DIO_DIR/field_verify.sh"
. "$DIO_DIR/field_cases.sh"

# The kit has what a machine may lack in bin, by way of busybox.
PATH=$PATH:/sbin:/usr/sbin:$DIO_DIR/bin
state=field.state
figures=field.figures
tab=$(printf '\t')
kernel=$(uname -r)
anew=0 write=0
named=""
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

# number WORD LEAST: sets the option that --WORD=N names
number()
{
	_value=${1#*=}
	case $_value in
	""|*[!0-9]*|??????*)	wrong "$1: not a number, or too large" ;;
	esac
	[ "$_value" -ge "$2" ] || wrong "$1: at least $2"
	_name=${1%%=*}
	eval "${_name#--}=$_value"
}

parse()
{
	while [ $# -gt 0 ]; do
		case $1 in
		--disks)
			while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
				named="$named${named:+ }$2"
				shift
			done
			;;
		--seconds=*|--rounds=*)	number "$1" 1 ;;
		--verify=*)	number "$1" 0 ;;
		--cases=*)	pattern=${1#*=} ;;
		--content=*)	DIO_CONTENT=${1#*=} ;;
		--write)	write=1 ;;
		--anew)		anew=1 ;;
		*)		wrong "unknown word $1" ;;
		esac
		shift
	done
	[ -n "$named" ] || wrong "--disks: no disk named"
	[ -n "$(field_names)" ] || wrong "--cases=$pattern: no such case"
	[ "$write" -eq 0 ] || [ -n "${DIO_SCRATCH-}" ] || wrong "--write: DIO_SCRATCH names no disk"
	[ "$write" -eq 1 ] || [ -z "${DIO_SCRATCH-}" ] ||
		say "DIO_SCRATCH=$DIO_SCRATCH is not written unless --write is given too"
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

# --- Turns -------------------------------------------------------------------------------------

# Sets turn to the first that is not done, which must be this kernel's if it was begun.
find_turn()
{
	[ "$anew" -eq 0 ] || rm -f "$state"
	{ : >>"$state"; } 2>/dev/null || die "$state cannot be written"
	[ -z "$(tail -c 1 "$state")" ] || echo >>"$state"	# the power failed in mid-line
	turn=1
	while [ -n "$(get "end.$turn")" ]; do
		turn=$((turn + 1))
	done
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

in_minutes()
{
	echo "$((($1 + 59) / 60)) min"
}

run_turn()
{
	todo=$(field_names)
	count=$(echo "$todo" | wc -l)
	each=$((rounds * seconds))
	say "reads $(echo "$nodes" | wc -w) disks${target:+, WRITES to $DIO_SCRATCH}"
	say "turn $turn, kernel $kernel: $count cases, $rounds rounds of" \
		"$seconds s: about $(in_minutes $((count * (each + 2))))"
	put "kernel.$turn" "$kernel"
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
	put "end.$turn" yes
}

write_figures()
{
	if ! grep -E '^(kernel|machine|row)\.|^told' "$state" >"$figures.part" ||
	   ! mv "$figures.part" "$figures"; then
		die "$figures cannot be written"
	fi
}

# Each figure, and what it was in each round under either kernel
compare()
{
	awk -F "$tab" '
		{ split($1, part, ".") }
		part[1] == "kernel" { kernel[part[2]] = $2 }
		part[1] == "row" {
			id = sprintf("%-9s %-27s %-19s %s", $2, $3, $4, $5)
			if (!(id in seen))
				order[++n] = id
			seen[id] = 1
			values[id, part[2]] = $6
		}
		END {
			for (i = 1; i <= n; i++) {
				print order[i]
				for (turn = 1; turn in kernel; turn++)
					if ((order[i], turn) in values)
						printf "  %-30s %s\n", kernel[turn],
							values[order[i], turn]
			}
		}' "$1"
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
	# shellcheck disable=SC2086 # a list
	find_disks $named || wrong "$why"
	find_turn
	as_before
	running=1
	dio_on_exit stopped
	run_turn
	running=0
	write_figures
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
