#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Boots a kernel that has KUnit tests, and prints their results (KTAP, also in $O/log/test_kunit.tap).
# With a LOG, only judges that.
#
#	kunit.sh kunit|debug|um [LOG]
#
# The kernel's own kunit.py judges: each plan must be kept, so that what stops early has failed.
# Exit: 0 if tests ran, none failed or is missing, and the kernel was silent; else 1.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=common.sh
. "$top/tools/lab/common.sh"
lab=$top/tools/lab
kernel=${1:?usage: kunit.sh kunit|debug|um [LOG]}
PATH=$PATH:/sbin:/usr/sbin

# results LOG: of what the kernel said only the results. Disks that are found meanwhile say so between
# any two lines, and kunit.py looks for a plan right after its head.
results()
{
	sed 's/\r$//; s/^\[[^]]*\] //' "$1" | grep -E '^ *(TAP|KTAP|1\.\.|ok |not ok |# )' || :
}

log=${2-$out/log/kunit.log}
if [ $# -eq 1 ]; then
	mkdir -p "$out/log"
	tree=$("$lab/kernel.sh" build "$kernel")
	guest=(qemu-system-x86_64 -accel tcg -m 512M -display none -no-reboot -serial stdio -monitor none
		-kernel "$tree/arch/x86/boot/bzImage"
		-append "console=ttyS0 kunit_shutdown=reboot panic=-1")
	[ "$kernel" != um ] || guest=("$tree/linux" mem=512M ncpus=2 seccomp=on con=null
		"con0=fd:0,fd:1" kunit_shutdown=poweroff panic=-1)
	timeout -k 5 300 "${guest[@]}" </dev/null >"$log" 2>&1 ||
		die 1 "the guest did not finish within 300 s: $log"
	results "$log" | tee "$out/log/test_kunit.tap"
fi
! "$lab/complaints.sh" "$log" >&2 || die 1 "the kernel complained: $log"
# It passes what is only oddly numbered or lacks a line, but says [ERROR].
rc=0
said=$(python3 "$("$lab/kernel.sh" dir source)/tools/testing/kunit/kunit.py" parse \
	<(results "$log")) || rc=$?
if [ "$rc" -ne 0 ] || grep -qF '[ERROR]' <<<"$said"; then
	grep -E '\[(ERROR|FAILED|CRASHED)\]|Testing complete' <<<"$said" >&2 || echo "$said" >&2
	die 1 "tests failed or are missing: $log"
fi
