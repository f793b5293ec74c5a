#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, on the kernel with KCSAN: races.sh TREE TEST... runs selftests as selftests.sh does, and
# has KCSAN tell of races between functions of readahead and of the page cache. The rest of the kernel
# has races of its own. A report fails the guest, whose log is scanned.

lab=$(cd "$(dirname "$0")" && pwd)
kcsan=/sys/kernel/debug/kcsan

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug || exit 2
[ -e "$kcsan" ] || { echo "races: this kernel has no KCSAN" >&2; exit 2; }
mm=$1/mm
shift
for name in $(nm --defined-only "$mm/readahead_runs.o" "$mm/readahead.o" "$mm/filemap.o" |
		sed -n 's/.* [tT] //p'); do
	# One that was put in line has no name to report.
	! grep -q " $name\$" /proc/kallsyms || echo "!$name" >"$kcsan" || exit 2
done
echo whitelist >"$kcsan" && echo on >"$kcsan" || exit 2
"$lab/selftests.sh" "$@"
rc=$?
echo off >"$kcsan"
cat "$kcsan"
exit $rc
