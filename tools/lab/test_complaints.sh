#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: does guest.sh hear a kernel that complains? In a guest of KERNEL= (patched) a line is put
# into the kernel's log that none but a kernel in trouble writes; tests/test_complaints.py has all of
# them. The kernel must be told to look for hangs, too.
#
# Who is hurt when it is broken: everybody who believes a green run.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

kernel=${KERNEL:-patched}
# The guest sees $O. These guests fail, which is not to be counted with the results of others.
out=${O:-$DIO_DIR/../../out}
mkdir -p "$out/log"
TMPDIR=$(cd "$out" && pwd)/log
export TMPDIR

# guest RC SECONDS WORD...: guest.sh, with these words, exits so; what it says is kept
guest()
{
	wanted=$1
	limit=$2
	shift 2
	rc=0
	O=$DIO_TMP "$DIO_DIR/guest.sh" -k "$kernel" -t "$limit" "$@" >"$DIO_TMP/said" 2>&1 || rc=$?
	cat "$DIO_TMP/said"
	echo "exit $rc, wanted $wanted"
	[ "$rc" -eq "$wanted" ]
}

# complains LINE: the run fails, and the line is named, with its place in the log
complains()
{
	guest 1 300 sh -c "echo '$1' >/dev/kmsg" && grep -E "^[0-9]+:.*$1" "$DIO_TMP/said"
}

dio_init "$@"
dio_plan 4
dio_check "a silent kernel passes" guest 0 300 true
dio_check "a guest that does not end fails the run" guest 124 30 sleep 300
dio_check "a kernel that complains fails the run, though the command does not" \
	complains "BUG: soft lockup"
dio_check "it looks for tasks that hang, and for CPUs" guest 0 300 sh -c \
	"cd /proc/sys/kernel && grep [1-9] hung_task_timeout_secs && grep [1-9] watchdog_thresh"
