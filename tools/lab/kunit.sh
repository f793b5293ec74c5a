#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the kernel of the KUnit tests, boots it in QEMU, and prints its results (KTAP, also in
# $O/log/test_kunit.tap). Exit: 0 if tests ran, none failed, and the kernel was silent; else 1.

set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
out=${O:-$top/out}
log=$out/log/kunit.log
tap=$out/log/test_kunit.tap
PATH=$PATH:/sbin:/usr/sbin

image=$("$top/tools/lab/kernel.sh" build kunit)/arch/x86/boot/bzImage
timeout -k 5 300 qemu-system-x86_64 -accel tcg -m 256M -display none -no-reboot -serial "file:$log" \
	-kernel "$image" -append "console=ttyS0 kunit_shutdown=reboot panic=-1" </dev/null || {
	echo "kunit: the guest did not finish within 300 s: $log" >&2
	exit 1
}
sed 's/\r$//; s/^\[[^]]*\] //' "$log" | grep -E '^ *(TAP|KTAP|1\.\.|ok |not ok |# )' >"$tap" || :
cat "$tap"
if grep -nE 'WARNING:|BUG:|Oops|Call Trace|Kernel panic' "$log" >&2; then
	echo "kunit: the kernel complained: $log" >&2
	exit 1
fi
grep -q '^ok ' "$tap" || {
	echo "kunit: no test ran: $log" >&2
	exit 1
}
! grep -q '^ *not ok ' "$tap"
