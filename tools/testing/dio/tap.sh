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

# try TARGET NAME [VARIABLE=...]
try()
{
	target=$1 name=$2
	shift 2
	make -s "$target" OUTPUT="$out" "$@" >"$out/$target.log" 2>&1
	result $? "$name"
	case $target in
	field)	grep '^field: ' "$out/field.log" | sed 's/^/# /' ;;
	ra)	;;
	*)	sed 's/^/# /' "$out/$target.log" ;;
	esac
}

echo "TAP version 13"
try run "random cases"
if command -v clang >/dev/null; then
	try poison "nothing is read before it is set"
else
	result 0 "nothing is read before it is set # SKIP no clang, whose MSan this needs"
fi
try layers "random cases, as older bases have it"
try raw "the raw driver: bindings, and random requests" CASES=300000
try ra "readahead: its KUnit test, and replays"
try disk "the disk model against published times"
try field "field reports: bios as few as can be, what is wrong is refused"

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
