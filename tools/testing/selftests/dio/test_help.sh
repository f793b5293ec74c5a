#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Every test can be executed, and every test and program says how it is called.
#
# Who is hurt when not: whoever is new here. -h asked of a program that takes it for a file, or a
# test that is started only to ask, are how a disk gets written.

. "$(dirname "$0")/dio_common.sh"

# helps PROGRAM: exit 0, the usage of PROGRAM on stdout, nothing on stderr
helps()
{
	for word in -h --help; do
		"$1" "$word" >"$DIO_TMP/out" 2>"$DIO_TMP/err" || { echo "$word: exit $?"; return 1; }
		head -n 5 "$DIO_TMP/out" "$DIO_TMP/err"
		[ ! -s "$DIO_TMP/err" ] && grep -q "^usage: ${1##*/} " "$DIO_TMP/out" || return
	done
}

dio_init "$@"
# What is to be called, also if it has lost its mode
set -- "$DIO_DIR/dio_guard.sh" "$DIO_DIR/field.sh" "$DIO_DIR"/test_*.sh
for file in "$DIO_DIR"/*; do
	case $file in
	*.sh|*.fio)	;;
	*)		[ ! -f "$file" ] || [ ! -x "$file" ] || set -- "$@" "$file" ;;
	esac
done
dio_plan $#

for each; do
	dio_check "${each##*/} -h" helps "$each"
done
