#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Puts known faults into mm/readahead_runs.h, one at a time; its KUnit test must find each.
#
#	ra_mutants.sh OUTPUT [MUTANT.cocci]...
#
# A line for each, in the words of mutants.sh. Exit: 0 all were found, 1 one was not (or the test
# fails without), 2 usage.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
mm=$(cd "$here/../../../mm" && pwd)
[ $# -ge 1 ] || { echo "usage: ra_mutants.sh OUTPUT [MUTANT.cocci]..." >&2; exit 2; }
mkdir -p "$1/ra"
out=$(cd "$1/ra" && pwd)
shift
[ $# -gt 0 ] || set -- "$here"/mutants/ra-*.cocci

# run_test: the KUnit test with the policy in $out
run_test()
{
	cp "$mm/readahead_test.c" "$out"
	"${CC:-gcc}" -O1 -w -fsanitize=undefined -fno-sanitize-recover=undefined -I"$here/ra_standins" \
		-I"$out" "$out/readahead_test.c" -o "$out/test" || exit 2
	timeout 60 "$out/test" >"$out/tap" 2>&1
}

cp "$mm/readahead_runs.h" "$out"
run_test || { cat "$out/tap"; echo "the test fails without a mutant" >&2; exit 1; }
missed=0
for mutant in "$@"; do
	name=$(basename "$mutant" .cocci)
	rm -f "$out/readahead_runs.h"
	spatch --very-quiet --no-includes --no-show-diff --smpl-spacing --sp-file "$mutant" \
		"$mm/readahead_runs.h" -o "$out/readahead_runs.h" >"$out/spatch.log" 2>&1 || :
	if [ ! -s "$out/readahead_runs.h" ]; then
		echo "NOT MADE $name: its rules match nothing"
		missed=1
	elif run_test; then
		echo "SURVIVED $name"
		missed=1
	else
		echo "killed $name: $(sed -n 's/^not ok [0-9]* //p' "$out/tap" | tr '\n' ' ')"
	fi
done
exit $missed
