#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Puts known faults of drivers/char/raw.c (tools/testing/dio/mutants/known) into a kernel of user-mode
# Linux, one at a time: test_raw must find each. Prints a result (TAP) for each, with what found it.
#
#	raw_mutants.sh [NAME...]
#
# All but those that only QEMU can show (32-bit calls, and loop of 6.1, which asks for fallocate), and
# raw-polled, of which nothing is seen here. A fault costs a file, a link, and test_raw. First of all
# that must pass without one. Exit: 0 all were found, 1 not.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
out=${O:-$top/out}
faults=$top/tools/testing/dio/mutants
not_here="raw-compat-longer raw-compat-pointer raw-ioctl-native raw-no-fallocate raw-polled"
export ARCH=um

log=$out/log/mutants
mkdir -p "$log"

# passes NAME: test_raw does, in the kernel as it is now
passes()
{
	"$top/tools/lab/guest.sh" -k um-mutant -n "$1" -t 900 env TEST_LIMIT=600 \
		RESULTS=log/mutants "$top/tools/lab/selftests.sh" test_raw >"$log/$1" 2>&1
}

words=("$@")
[ $# -gt 0 ] || mapfile -t words < <(sed -n 's/^\(raw-[a-z-]*\): .*/\1/p' "$faults/known")
[ ${#words[@]} -gt 0 ] || { echo "mutants: $faults/known has none of raw.c" >&2; exit 1; }
tree=$("$top/tools/lab/kernel.sh" build um-mutant)
trap 'rm -rf "$tree"' EXIT
passes none || { echo "mutants: test_raw fails without a fault: $log/none" >&2; exit 1; }
n=0 rc=0
echo "TAP version 13"
for name in "${words[@]}"; do
	[[ $# -gt 0 || " $not_here " != *" $name "* ]] || continue
	n=$((n + 1)) not="not " why=survived
	"$top/tools/testing/dio/mutants.py" "$out" make "$name" >"$tree/drivers/char/raw.c"
	if ! make -s -C "$tree" KASAN_SANITIZE_{extable,stacktrace}.o=n linux >"$log/$name" 2>&1; then
		why="not built: $log/$name"
	elif ! passes "$name"; then
		why=$(grep -m 1 '^not ok' "$log/$name") && not="" || why="broken: $log/$name"
	fi
	echo "${not}ok $n $name: $why"
	[ -z "$not" ] || rc=1
done
echo "1..$n"
exit $rc
