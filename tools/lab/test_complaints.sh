#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does guest.sh hear a kernel that complains, and see one that stands still? The kernel's own lkdtm
# provokes what the detectors are for; each must fail the run and be named. On the host, with the
# modules of the KERNEL (patched) built: test_complaints.sh [KERNEL]. TAP goes to stdout and to
# $O/log/test_complaints.tap (-KERNEL.tap if that is not patched). Exit: 0 if none failed.

set -u

lab=$(cd "$(dirname "$0")" && pwd)
kernel=${1-patched}
results=${O:-$lab/../../out}/log
tap=test_complaints
[ "$kernel" = patched ] || tap=test_complaints-$kernel
mkdir -p "$results"
results=$(cd "$results" && pwd)
# Its guests fail, which is not to be counted with the results of others.
O=$(mktemp -d "$results/complaints.XXXXXX")
export O
trap 'rm -rf "$O"' EXIT
n=0
failed=0

# result RC NAME
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

# lkdtm is asked to by a process of its own each time: most do not survive it. A task hangs for
# longer than the limit (now 4 s); the CPU that is stuck at last (for more than 2 x 2 s) stays so.
cat >"$O/provoke" <<'SCRIPT'
modprobe lkdtm || exit
provoke()
{
	(exec sh -c "echo $1 >/sys/kernel/debug/provoke-crash/DIRECT") &
}
mount -t debugfs none /sys/kernel/debug 2>/dev/null
echo 4 >/proc/sys/kernel/hung_task_timeout_secs
echo 2 >/proc/sys/kernel/watchdog_thresh
for kind; do
	provoke "$kind"
	sleep 1
done
provoke HUNG_TASK
sleep 9
dmesg
provoke SOFTLOCKUP
sleep 8
dmesg | tail -n 60
SCRIPT

cat >"$O/stand_still" <<'SCRIPT'
modprobe lkdtm || exit
mount -t debugfs none /sys/kernel/debug 2>/dev/null
for cpu in 0 1; do
	taskset -c $cpu sh -c 'echo HARDLOCKUP >/sys/kernel/debug/provoke-crash/DIRECT' &
done
wait
SCRIPT

# Lockdep is silent once there was a BUG.
kinds="BUG EXCEPTION"
[ "$kernel" != debug ] || kinds="SPINLOCKUP ARRAY_BOUNDS SLAB_LINEAR_OVERFLOW $kinds"

# heard REGEX NAME: was it named?
heard()
{
	grep -qE "^[0-9]+:.*$1" "$O/said"
	result $? "$2"
}

all()
{
	local rc=0

	echo "TAP version 13"
	"$lab/guest.sh" -k "$kernel" true >"$O/said" 2>&1
	result $? "a silent kernel passes"
	# shellcheck disable=SC2086 # a list
	"$lab/guest.sh" -k "$kernel" -t 300 bash "$O/provoke" WARNING $kinds >"$O/out" 2>"$O/said" || rc=$?
	[ "$rc" -eq 1 ]
	result $? "a kernel that complains fails the run"
	heard 'WARNING: .*lkdtm' "a warning is heard"
	heard 'kernel BUG at' "a BUG is heard"
	heard 'Oops' "an oops is heard"
	heard 'INFO: task .* blocked for more than' "a task that hangs is heard"
	heard 'BUG: soft lockup' "a CPU that is stuck is heard"
	if [ "$kernel" = debug ]; then
		heard 'KASAN: ' "a write behind an object is heard"
		heard 'UBSAN: ' "an index out of bounds is heard"
		heard 'lock held when returning' "a lock that is left held is heard"
	fi
	[ "$failed" -eq 0 ] || sed 's/^/# /' "$O/said"

	rc=0
	STILL=20 "$lab/guest.sh" -k "$kernel" -t 300 bash "$O/stand_still" >"$O/out" 2>"$O/said" ||
		rc=$?
	[ "$rc" -eq 124 ] && grep -q "^not ok 1 the $kernel guest goes on" "$O/log/test_guest.tap"
	result $? "a kernel that stands still fails the run"
	[ "$rc" -eq 124 ] || sed 's/^/# /' "$O/said"
	echo "1..$n"
}

all >"$results/$tap.tap"
cat "$results/$tap.tap"
exit $failed
