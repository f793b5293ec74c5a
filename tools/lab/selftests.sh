#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs tests in the guest, one after the other: selftests.sh [TEST]... A TEST is a script's path, or
# the name of an installed selftest; without one, all of those run.
# The TAP of each goes to stdout and to $RESULTS/TEST.tap (log). Exit: 0 if none failed. A test that
# skips all is a failure here: this kernel and this machine have what it needs. One that takes longer
# than $TEST_LIMIT seconds (2700) has failed, too; where all tasks wait is printed before it is ended.
#
# $XFAIL lists what this kernel is known to fail (xfail.py): that is right then, and nothing else.
#
# Guests that have the same list and the same directory $RESULTS/$TAKEN, each a $GUEST of its own,
# share the tests: each runs those that no other has begun. One that is booted again runs its own
# again.

lab=$(cd "$(dirname "$0")" && pwd)
cd "${O:-.}" || exit 2
[ $# -gt 0 ] || set -- kselftest/test_*.sh
log=${RESULTS:-log}
limit=${TEST_LIMIT:-2700}

# watch NAME PID: ends the test PID, and what it has started, at the limit
watch()
{
	for _second in $(seq "$limit"); do
		sleep 1
		kill -0 "$2" 2>/dev/null || return
	done
	{
		echo "not ok - $1 did not finish within $limit s"
		for task in /proc/[0-9]*/task/*; do
			[ ! -s "$task/maps" ] ||
				sed "s|^|# $(cat "$task/comm"): |" "$task/stack"
		done 2>/dev/null
	} >>"$log/$1.tap"
	kill -9 "-$2"
}

# taken NAME: by another guest. The first to make the file has the test.
taken()
{
	[ -n "${TAKEN-}" ] || return 1
	(set -C; echo "$GUEST" >"$log/$TAKEN/$1") 2>/dev/null
	[ "$(cat "$log/$TAKEN/$1")" != "$GUEST" ]
}

failed=0
for test in "$@"; do
	name=$(basename "$test" .sh)
	! taken "$name" || continue
	case $test in
	*/*)	;;
	*)	test=kselftest/$name.sh ;;
	esac
	rc=0
	echo "# $name"
	start=$(date +%s)
	: >"$log/$name.tap"
	setsid sh "$test" >>"$log/$name.tap" 2>&1 &
	pid=$!
	watch "$name" "$pid" &
	wait "$pid" || rc=$?
	[ "$rc" -lt 128 ] || grep -q '^not ok' "$log/$name.tap" ||
		echo "not ok - $name ended by signal $((rc - 128))" >>"$log/$name.tap"
	if [ -n "${XFAIL-}" ]; then
		rc=0
		"$lab/xfail.py" "$XFAIL" "$name" "$log/$name.tap" || rc=$?
	fi
	cat "$log/$name.tap"
	echo "# $name took $(($(date +%s) - start)) s"
	[ "$rc" -eq 0 ] || failed=1
done
exit $failed
