#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All that runs here as one list of results (TAP): tap.sh OUTPUT. Of the known faults KNOWN= are tried,
# a line each, and COUNT= of those that a machine makes, one line for their rate; make mutants has all.
# Exit status: 0 if none failed.

cd "$(dirname "$0")" || exit 1
out=$1
export KNOWN="${KNOWN:-40}" COUNT="${COUNT:-30}"
n=0
failed=0

# result RC NAME
result()
{
	n=$((n + 1))
	not=
	[ "$1" -eq 0 ] || { not="not "; failed=1; }
	echo "${not}ok $n $2"
}

# told TARGET NAME: its result, and what it said; of a table its last line
told()
{
	result "$(cat "$out/$1.rc")" "$2"
	case $1 in
	field)	grep '^field: ' "$out/field.log" | sed 's/^/# /' ;;
	ra)	;;
	*)	sed 's/^/# /' "$out/$1.log" ;;
	esac
}

echo "TAP version 13"
targets="run layers ra disk field"
! command -v clang >/dev/null || targets="poison $targets"
# What they have in common is built once.
make -s -j "$(nproc)" programs OUTPUT="$out" >"$out/programs.log" 2>&1 || cat "$out/programs.log"
rm -f "$out"/*.rc
# shellcheck disable=SC2016,SC2086 # the other shell's; a list
printf '%s\n' $targets | out=$out xargs -P "$(nproc)" -I{} sh -c \
	'make -s {} OUTPUT="$out" >"$out/{}.log" 2>&1; echo $? >"$out/{}.rc"'
told run "random cases"
if command -v clang >/dev/null; then
	told poison "nothing is read before it is set"
else
	result 0 "nothing is read before it is set # SKIP no clang, whose MSan this needs"
fi
told layers "random cases, as older bases have it"
told ra "readahead: its KUnit test, and replays"
told disk "the disk model against published times"
told field "field reports: a tenth of the bios, I/Os twice as long, nothing cleared"

make -s mutants OUTPUT="$out" >"$out/mutants.log" 2>&1
rc=$?
while read -r what name why; do
	case $what,$name in
	killed,*/*)	;;	# drawn
	killed,*)	result 0 "mutant $name $why" ;;
	*,*/*|[a-z]*)	echo "# $what $name $why" ;;
	*)		result 1 "mutant $what $name $why" ;;
	esac
done <"$out/mutants.log"
result $rc "each of $KNOWN known faults is found; of drawn ones, $(grep '^rate: ' "$out/mutants.log")"
echo "1..$n"
exit $failed
