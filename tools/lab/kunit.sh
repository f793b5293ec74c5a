#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds a kernel that has KUnit tests, boots it, in QEMU but for um, and prints their results (KTAP, also in
# $O/log/test_kunit.tap). With a LOG, only judges that.
#
#	kunit.sh [-k kunit|debug|um] [LOG]
#
# The kernel's own kunit.py judges: each plan must be kept, so that what stops early has failed.
# Exit: 0 if tests ran, none failed or is missing, and the kernel was silent; else 1.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
out=${O:-$top/out}
tap=$out/log/test_kunit.tap
PATH=$PATH:/sbin:/usr/sbin

die()
{
	echo "kunit: $*" >&2
	exit 1
}

# results LOG: of what the kernel said only the results. Disks that are found meanwhile say so between
# any two lines, and kunit.py looks for a plan right after its head.
results()
{
	sed 's/\r$//; s/^\[[^]]*\] //' "$1" | grep -E '^ *(TAP|KTAP|1\.\.|ok |not ok |# )' || :
}

# boot LOG
boot()
{
	local tree guest

	tree=$("$top/tools/lab/kernel.sh" build "$kernel")
	guest=(qemu-system-x86_64 -accel tcg -m 512M -display none -no-reboot -serial "file:$1"
		-kernel "$tree/arch/x86/boot/bzImage"
		-append "console=ttyS0 kunit_shutdown=reboot panic=-1")
	[ "$kernel" != um ] || guest=("$tree/linux" mem=512M ncpus=2 seccomp=on con=null "con0=fd:0,fd:1"
		kunit_shutdown=poweroff panic=-1)
	timeout -k 5 300 "${guest[@]}" </dev/null >>"$1" 2>&1 ||
		die "the guest did not finish within 300 s: $1"
	results "$1" | tee "$tap"
}

# judge LOG: kunit.py passes what is only oddly numbered or lacks a line, but says [ERROR].
judge()
{
	local source said rc=0

	! "$top/tools/lab/complaints.sh" "$1" >&2 || die "the kernel complained: $1"
	source=$("$top/tools/lab/kernel.sh" dir source)
	said=$(python3 "$source/tools/testing/kunit/kunit.py" parse <(results "$1")) || rc=$?
	if [ "$rc" -ne 0 ] || grep -qF '[ERROR]' <<<"$said"; then
		grep -E '\[(ERROR|FAILED|CRASHED)\]|Testing complete' <<<"$said" >&2 || echo "$said" >&2
		die "tests failed or are missing: $1"
	fi
}

kernel=kunit
while getopts k: opt; do
	case $opt in
	k)	kernel=$OPTARG ;;
	*)	die "usage: kunit.sh [-k kunit|debug|um] [LOG]" ;;
	esac
done
shift $((OPTIND - 1))
case $kernel in kunit|debug|um) ;; *) die "the $kernel kernel has no KUnit tests" ;; esac
mkdir -p "$out/log"
log=${1-$out/log/kunit.log}
[ $# -gt 0 ] || { rm -f "$log"; boot "$log"; }
judge "$log"
