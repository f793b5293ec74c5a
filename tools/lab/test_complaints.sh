#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: does guest.sh hear a kernel that complains? KERNEL= (patched): the kernel's own lkdtm
# provokes what the detectors are for; each must fail the run and be named; debug has more detectors.
# User-mode Linux has no lkdtm: there a line is put into its log that none but a kernel in trouble
# writes. It must be told to look for hangs, too.
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
lkdtm=$("$DIO_DIR/kernel.sh" dir "$kernel")/drivers/misc/lkdtm/lkdtm.ko

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
	guest 1 300 sh -c "echo '$1' >/dev/kmsg" && heard "$1"
}

# heard REGEX: was it named, with its line in the log?
heard()
{
	grep -E "^[0-9]+:.*($1)" "$DIO_TMP/said"
}

dio_init "$@"

# A process of its own asks lkdtm each time: most do not survive it, and then have ended. A task that
# hangs is told after 4 s now, and no more once there was an oops; the CPU that is stuck at last after
# 2 x 2 s, and stays so.
cat >"$DIO_TMP/provoke" <<'SCRIPT'
insmod "$1" || exit 2
shift
mount -t debugfs none /sys/kernel/debug 2>/dev/null
provoke()
{
	sh -c "echo $1 >/sys/kernel/debug/provoke-crash/DIRECT" &
}
# told WORDS: wait until the kernel says it, for a minute at most
told()
{
	for _second in $(seq 60); do
		! dmesg | grep -q "$1" || return
		sleep 1
	done
}
echo 4 >/proc/sys/kernel/hung_task_timeout_secs
echo 2 >/proc/sys/kernel/watchdog_thresh
provoke HUNG_TASK
told "blocked for more than"
for kind; do
	provoke "$kind"
	wait $!
done
provoke SOFTLOCKUP
told "soft lockup"
SCRIPT

# Lockdep is silent once there was a BUG. KASAN meets the NULL pointer of EXCEPTION before the MMU.
kinds="WARNING BUG EXCEPTION"
[ "$kernel" != debug ] || kinds="SPINLOCKUP ARRAY_BOUNDS SLAB_LINEAR_OVERFLOW $kinds"
case $kernel in
um*)	dio_plan 4 ;;
*)	dio_plan $(($(echo "$kinds" | wc -w) + 5)) ;;
esac

dio_check "a silent kernel passes" guest 0 300 true
dio_check "a guest that does not end fails the run" guest 124 90 sleep 300
case $kernel in
um*)
	dio_check "a kernel that complains fails the run, though the command does not" \
		complains "BUG: soft lockup"
	dio_check "it looks for tasks that hang, and for CPUs" guest 0 300 sh -c \
		"cd /proc/sys/kernel && grep [1-9] hung_task_timeout_secs && grep [1-9] watchdog_thresh"
	exit
	;;
esac
# shellcheck disable=SC2086 # a list
dio_check "a kernel that complains fails the run" guest 1 300 sh "$DIO_TMP/provoke" "$lkdtm" $kinds
for kind in $kinds HUNG_TASK SOFTLOCKUP; do
	case $kind in
	WARNING)	said="WARNING: .*lkdtm" ;;
	BUG)		said="kernel BUG at" ;;
	EXCEPTION)	said="Oops|general protection fault" ;;
	SPINLOCKUP)	said="lock held when returning" ;;
	ARRAY_BOUNDS)	said="UBSAN: array-index" ;;
	SLAB_LINEAR_OVERFLOW)	said="KASAN: slab-out" ;;
	HUNG_TASK)	said="INFO: task .* blocked.* for more than" ;;
	SOFTLOCKUP)	said="BUG: soft lockup" ;;
	esac
	dio_check "$kind is heard" heard "$said"
done
