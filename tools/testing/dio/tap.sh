#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All that runs here as one list of results (TAP): random cases, the same under MSan if there is a
# clang and as older bases have the engine, the raw driver, readahead's KUnit test and replays, the
# modelled disks, the field reports, a line for each of KNOWN= known faults, and one for the rate of
# COUNT= that a machine makes; make mutants has all. tap.sh OUTPUT; exit status: 0 if none failed.

cd "$(dirname "$0")" || exit 1
out=$1
export KNOWN="${KNOWN:-40}" COUNT="${COUNT:-30}"
n=0
failed=0

# result RC NAME
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

# known_faults: a line each, and whether all were tried
known_faults()
{
	make -s mutants-known OUTPUT="$out" >"$out/mutants-known.log" 2>&1
	rc=$?
	while read -r line; do
		case $line in
		killed*)	result 0 "mutant ${line#killed }" ;;
		[A-Z]*)		result 1 "mutant $line" ;;
		*)		echo "# $line" ;;
		esac
	done <"$out/mutants-known.log"
	result $rc "each of $KNOWN known faults is found"
}

# sampled_faults: those that were not found, and the rate
sampled_faults()
{
	make -s mutants-sample OUTPUT="$out" >"$out/mutants-sample.log" 2>&1
	rc=$?
	grep -v '^killed ' "$out/mutants-sample.log" | sed 's/^/# /'
	result $rc "mutation $(grep '^rate: ' "$out/mutants-sample.log")"
}

echo "TAP version 13"
make -s run OUTPUT="$out" >"$out/run.log" 2>&1
result $? "random cases"
sed 's/^/# /' "$out/run.log"
if command -v clang >/dev/null; then
	make -s poison OUTPUT="$out" >"$out/poison.log" 2>&1
	result $? "nothing is read before it is set"
	sed 's/^/# /' "$out/poison.log"
else
	n=$((n + 1))
	echo "ok $n nothing is read before it is set # SKIP no clang, whose MSan this needs"
fi
make -s layers OUTPUT="$out" >"$out/layers.log" 2>&1
result $? "random cases, as older bases have it"
sed 's/^/# /' "$out/layers.log"
make -s raw OUTPUT="$out" CASES=300000 >"$out/raw.log" 2>&1
result $? "the raw driver: bindings, and random requests"
sed 's/^/# /' "$out/raw.log"
make -s ra OUTPUT="$out" >"$out/ra.log" 2>&1
result $? "readahead: its KUnit test, and replays"
make -s disk OUTPUT="$out" >"$out/disk.log" 2>&1
result $? "the disk model against published times"
sed 's/^/# /' "$out/disk.log"
make -s field OUTPUT="$out" >"$out/field.log" 2>&1
result $? "field reports: bios as few as can be, what is wrong is refused"
grep '^field: ' "$out/field.log" | sed 's/^/# /'
known_faults
sampled_faults
echo "1..$n"
exit $failed
