#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: does guest.sh hear a kernel that complains? KERNEL= (patched): the kernel's own lkdtm
# provokes what the detectors are for; each must fail the run and be named; debug has more detectors.
# User-mode Linux has no lkdtm: there lines are put into its log that none but a kernel in trouble
# writes, one for each word that complaints.sh looks for, and for what 7.3 says otherwise. It must be
# told to look for hangs, too.
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

# heard REGEX: was it named, with its line in the log?
heard()
{
	grep -E "^[0-9]+:.*($1)" "$DIO_TMP/said"
}

# each_heard: all complaints in a log are named, and nothing else that it has
each_heard()
{
	cat >"$DIO_TMP/complaints" <<'LINES'
BUG kmalloc-64 (Not tainted): Right Redzone overwritten
Call Trace:
INFO: task dd:99 blocked for more than 120 seconds.
INFO: task dd:99 blocked in I/O wait for more than 120 seconds.
KASAN: null-ptr-deref in range [0x0-0x7]
Kernel panic - not syncing: Attempted to kill init!
Oops: 0002 [#1] SMP
UBSAN: shift-out-of-bounds in fs/direct-io.c:5:3
WARNING: CPU: 1 PID: 77 at mm/gup.c:10 f+0x1/0x2
WARNING: mm/gup.c:10 at f+0x1/0x2, CPU#1: dd/99
general protection fault, probably for non-canonical address 1
possible circular locking dependency detected
possible recursive locking detected
rcu: INFO: rcu_preempt self-detected stall on CPU
suspicious RCU usage
watchdog: soft lockup - CPU#1 stuck for 61s! [dd:99]
workqueue lockup - pool cpus=0 node=0 stuck for 61s!
LINES
	cat - "$DIO_TMP/complaints" >"$DIO_TMP/lines" <<'LINES'
**   This means that this is a DEBUG kernel   **
virtme-ng-init: WARNING: no such thing
sd 0:0:0:0: [sda] Attached SCSI disk
rcu: RCU debugging is on
LINES
	# shellcheck disable=SC2016 # for the guest
	guest 1 300 sh -c 'while read -r line; do echo "$line" >/dev/kmsg; done <"$1"' - \
		"$DIO_TMP/lines" &&
		sed -n 's/^[0-9]*:\[[^]]*\] //p' "$DIO_TMP/said" | LC_ALL=C sort -u |
		diff "$DIO_TMP/complaints" -
}

dio_init "$@"
# What lkdtm provokes, and what the kernel says then. Lockdep is silent once there was a BUG. KASAN
# meets the NULL pointer of EXCEPTION before the MMU.
kinds="WARNING WARNING: .*lkdtm
BUG kernel BUG at
EXCEPTION Oops|general protection fault"
[ "$kernel" != debug ] || kinds="SPINLOCKUP lock held when returning
ARRAY_BOUNDS UBSAN: array-index
SLAB_LINEAR_OVERFLOW KASAN: slab-out
$kinds"
case $kernel in
um*)	dio_plan 4 ;;
*)	dio_plan $(($(echo "$kinds" | wc -l) + 5)) ;;
esac
dio_check "a silent kernel passes" guest 0 300 true
dio_check "a guest that does not end fails the run" guest 124 90 sleep 300
case $kernel in
um*)
	dio_check "a kernel that complains fails the run, though the command does not" each_heard
	dio_check "it looks for tasks that hang, and for CPUs" guest 0 300 sh -c \
		"cd /proc/sys/kernel && grep [1-9] hung_task_timeout_secs && grep [1-9] watchdog_thresh"
	exit
	;;
esac

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

# shellcheck disable=SC2046 # a list
dio_check "a kernel that complains fails the run" guest 1 300 sh "$DIO_TMP/provoke" \
	"$("$DIO_DIR/kernel.sh" dir "$kernel")/drivers/misc/lkdtm/lkdtm.ko" \
	$(echo "$kinds" | cut -d ' ' -f 1)
while read -r kind said; do
	dio_check "$kind is heard" heard "$said"
done <<KINDS
$kinds
HUNG_TASK INFO: task .* blocked.* for more than
SOFTLOCKUP BUG: soft lockup
KINDS
