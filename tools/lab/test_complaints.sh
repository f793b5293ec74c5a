#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: does guest.sh hear a kernel that complains, and see one that stands still? The
# kernel's own lkdtm provokes what the detectors are for; each must fail the run and be named.
# KERNEL=debug: those of the debug kernel, too; without it, the patched kernel (with its modules),
# the limits of the detectors, and guests with two nodes.
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

# guest RC WORD...: guest.sh, with these words, exits so; what it says is kept
guest()
{
	wanted=$1
	shift
	rc=0
	O=$DIO_TMP "$DIO_DIR/guest.sh" -k "$kernel" -t 300 "$@" >"$DIO_TMP/out" 2>"$DIO_TMP/said" ||
		rc=$?
	cat "$DIO_TMP/out" "$DIO_TMP/said"
	echo "exit $rc, wanted $wanted"
	[ "$rc" -eq "$wanted" ]
}

# heard REGEX: was it named, with its line in the log?
heard()
{
	grep -qE "^[0-9]+:.*($1)" "$DIO_TMP/said"
}

# limits OPTIONS HUNG-TASK SOFTLOCKUP CPUS: a guest with these options has these limits in
# seconds, two nodes, and the CPUs of the second are these
limits()
{
	echo "$2 $3 0-1 $4" | sed 's/ *$//' >"$DIO_TMP/limits"
	# shellcheck disable=SC2086 # a list
	guest 0 $1 sh "$DIO_TMP/show" && diff "$DIO_TMP/out" "$DIO_TMP/limits"
}

stands_still()
{
	(export STILL=60; guest 124 sh "$DIO_TMP/stand_still") &&
		grep -q "^not ok 1 the $kernel guest goes on" "$DIO_TMP/log/test_guest.tap"
}

dio_init "$@"
cat >"$DIO_TMP/show" <<'SCRIPT'
cd /proc/sys/kernel
soft=$(($(cat watchdog) * $(cat watchdog_thresh) * 2))
node=/sys/devices/system/node
echo $(cat hung_task_timeout_secs) $soft $(cat $node/has_memory $node/node1/cpulist)
SCRIPT

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
cat >"$DIO_TMP/stand_still" <<'SCRIPT'
until rm log/run.*/beat 2>/dev/null; do sleep 1; done
mkdir "$(echo log/run.*)/beat"
sleep 250
SCRIPT

# Lockdep is silent once there was a BUG. KASAN meets the NULL pointer of EXCEPTION before the MMU.
kinds="WARNING BUG EXCEPTION"
[ "$kernel" != debug ] || kinds="SPINLOCKUP ARRAY_BOUNDS SLAB_LINEAR_OVERFLOW $kinds"
planned=$(($(echo "$kinds" | wc -w) + 3))
[ "$kernel" = debug ] || planned=$((planned + 3))
dio_plan $planned

if [ "$kernel" != debug ]; then
	dio_check "a silent kernel passes; its limits, two nodes" limits "-N" 120 60 1
	dio_check "where instructions are counted nothing watches" limits "-c -N" 0 0 ""
	dio_check "a kernel that stands still fails the run" stands_still
fi
# shellcheck disable=SC2086 # a list
dio_check "a kernel that complains fails the run" guest 1 sh "$DIO_TMP/provoke" \
	"$lkdtm" $kinds
for kind in $kinds HUNG_TASK SOFTLOCKUP; do
	case $kind in
	WARNING)	what="a warning" said="WARNING: .*lkdtm" ;;
	BUG)		what="a BUG" said="kernel BUG at" ;;
	EXCEPTION)	what="an oops" said="Oops|general protection fault" ;;
	SPINLOCKUP)	what="a lock that is left held" said="lock held when returning" ;;
	ARRAY_BOUNDS)	what="an index out of bounds" said="UBSAN: array-index" ;;
	SLAB_LINEAR_OVERFLOW)	what="a write behind an object" said="KASAN: slab-out" ;;
	HUNG_TASK)	what="a task that hangs" said="INFO: task .* blocked.* for more than" ;;
	SOFTLOCKUP)	what="a CPU that is stuck" said="BUG: soft lockup" ;;
	esac
	dio_check "$what is heard" heard "$said"
done
