#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, on the kernel with KCSAN: runs selftests as selftests.sh does, and has KCSAN tell of
# races in readahead, between two of its functions or one and any other. What races elsewhere in the
# kernel is not told: races.sh [TEST]...
#
# RACES= is a file with the functions' names, a line each. The guest fails if the log has a report.

lab=$(cd "$(dirname "$0")" && pwd)
kcsan=/sys/kernel/debug/kcsan

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug || exit 2
while read -r name; do
	# One that was put in line has no name to report.
	! grep -q " $name\$" /proc/kallsyms || echo "!$name" >"$kcsan" || exit 2
done <"${RACES:?}"
echo whitelist >"$kcsan" && echo on >"$kcsan" || exit 2
"$lab/selftests.sh" "$@"
rc=$?
echo off >"$kcsan"
cat "$kcsan"
exit $rc
