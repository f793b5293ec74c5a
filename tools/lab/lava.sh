#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What lava.yaml does on a device. Nothing but a shell and what the kit brings is needed.
#
#	lava.sh get KIT			unpack it in ./dio-kit: a file, or an address (wget, curl)
#	lava.sh run TESTS DISKS SCRATCH	run them, and tell LAVA; DISKS and SCRATCH may be empty
#
# Each selftest is a test set, each line of its TAP a case, called as the line says. A case "whole" says
# whether it came to its end and ran what it had planned. Where lava-test-case is missing, what it
# would be told is printed.
#
# Exit: 0 they ran, whatever they say; 1 there is no kit, or no such test.

kit=dio-kit

die()
{
	echo "lava: $*" >&2
	exit 1
}

get()
{
	rm -rf $kit
	mkdir $kit || die "./$kit cannot be made"
	case $1 in
	"")
		die "KIT names no archive: make kit packs one"
		;;
	http://*|https://*)
		if command -v wget >/dev/null; then
			wget -q -O $kit.tar.gz "$1"
		else
			curl -fsSL -o $kit.tar.gz "$1"
		fi || die "$1 cannot be fetched"
		tar -C $kit --strip-components=1 -xzf $kit.tar.gz
		;;
	*)
		tar -C $kit --strip-components=1 -xzf "$1"
		;;
	esac || die "$1 is no archive that can be unpacked"
}

# tell WHAT WORD...: lava-test-WHAT WORD...
tell()
{
	_what=lava-test-$1
	shift
	if command -v "$_what" >/dev/null; then
		"$_what" "$@"
	else
		echo "$_what $*"
	fi
}

# cases STATUS: the cases of the TAP on stdin, of a test that exited with STATUS, a line each: name and
# result. LAVA's names have no blanks, and there is no name twice.
cases()
{
	awk -v status="$1" '
		function told(name, result)
		{
			gsub(/[^A-Za-z0-9.]+/, "-", name)
			gsub(/^-|-$/, "", name)
			if (name == "")
				name = "case"
			if (++times[name] > 1)
				name = name "-" times[name]
			print name, result
		}
		/^1\.\.[0-9]/ { planned = substr($1, 4) + 0; if (/# *SKIP/) all_skipped = 1 }
		/^(not )?ok/ {
			ran++
			result = /^not/ ? "fail" : /# *SKIP/ ? "skip" : "pass"
			failed += result == "fail"
			sub(/^(not )?ok *[0-9]* *(- *)?/, "")
			sub(/ *# *SKIP.*/, "")
			told($0, result)
		}
		END {
			bad = planned == "" || ran + 0 != planned
			bad = bad || (failed ? status != 1 : status != 0 && status != 4)
			told("whole", bad ? "fail" : all_skipped ? "skip" : "pass")
		}'
}

# run_test NAME: its output goes to the log, too
run_test()
{
	tell set start "$1"
	_status=0
	sh "$kit/$1.sh" $write >"$kit/$1.tap" 2>&1 || _status=$?
	cat "$kit/$1.tap"
	cases $_status <"$kit/$1.tap" | while read -r _name _result; do
		tell case "$_name" --result "$_result"
	done
	tell set stop "$1"
}

run()
{
	[ -d $kit ] || die "./$kit is missing: lava.sh get"
	tests=$1 write=""
	[ -z "$2" ] || export DIO_DISKS="$2"
	[ -z "$3" ] || { export DIO_SCRATCH="$3"; write=--write; }
	if [ "$tests" = all ]; then
		tests=$(cd $kit && ls test_*.sh) || die "no tests in $kit"
	fi
	export PATH="$PATH:/sbin:/usr/sbin:$PWD/$kit/bin"
	for test in $tests; do
		[ -e "$kit/${test%.sh}.sh" ] || die "no such test: $test"
	done
	for test in $tests; do
		run_test "${test%.sh}"
	done
}

case $#:${1-} in
2:get)	get "$2" ;;
4:run)	run "$2" "$3" "$4" ;;
*)	die "usage: lava.sh get KIT | run TESTS DISKS SCRATCH" ;;
esac
