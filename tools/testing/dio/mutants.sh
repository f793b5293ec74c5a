#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Puts each fault of mutants/*.cocci into fs/direct-io.c, and sees that dio_test finds it.
#
#	mutants.sh OUTPUT [NAME...]	OUTPUT: where the Makefile built dio_test
#
# A line for each: "killed NAME: what dio_test said". Exit status: 0 all were found, 1 one was not,
# or its rules match nothing.

set -u
cases=${CASES:-150000}
dir=$(cd "$(dirname "$0")" && pwd)
engine=$(cd "$dir/../../../fs" && pwd)/direct-io.c	# spatch does not like .. in it
out=$(cd "$1" && pwd) || exit 1
shift

# one NAME
one()
{
	work=$out/mutants/$1
	mkdir -p "$work"
	echo '#define __uninitialized' >"$work/macros.h"
	if ! spatch --macro-file-builtins "$work/macros.h" --very-quiet --no-includes \
			--no-show-diff --smpl-spacing --sp-file "$dir/mutants/$1.cocci" \
			-o "$work/engine.c" "$engine" >"$work/log" 2>&1 ||
			[ ! -s "$work/engine.c" ] ||
			cmp -s "$work/engine.c" "$engine"; then
		echo "NOT MADE $1: its rules match nothing ($work/log)"
		return 1
	fi
	# shellcheck disable=SC2086 # flags
	if ! (cd "$dir" && ${CC:-cc} -O1 -g $SANE -w -ftrivial-auto-var-init=pattern -I"$out/empty" \
			-I. -include kernel.h "$work/engine.c" "$out/world.o" "$out/case.o" \
			"$out/reference.o" "$out/dio_test.o" -o "$work/dio_test") >"$work/log" 2>&1; then
		echo "NOT MADE $1: does not compile ($work/log)"
		return 1
	fi
	timeout 120 "$work/dio_test" "cases=$cases" >"$work/log" 2>&1
	case $? in
	0)	echo "SURVIVED $1"; return 1 ;;
	124)	echo "killed $1: does not end" ;;
	*)	echo "killed $1: $(grep -m 1 -E 'dio_test: seed|ERROR: |runtime error' "$work/log" |
			sed 's/.*dio_test: //;s/^==[0-9]*==//' | cut -c 1-110)" ;;
	esac
}

if [ "${1-}" = --one ]; then
	one "$2"
	exit
fi
if [ $# -eq 0 ]; then
	for each in "$dir"/mutants/*.cocci; do
		each=${each##*/}
		case $each in
		ra-*)	;;	# of readahead: ra_mutants.sh
		field-*) ;;	# right, but slow: field/report.py
		*)	set -- "$@" "${each%.cocci}" ;;
		esac
	done
fi
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} "$0" "$out" --one {}
