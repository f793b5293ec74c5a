# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# What packages.sh, base.sh and kernel.sh share: where output goes, and steps that say how long they
# take. To be sourced, with $top set.

out=${O:-$top/out}

say()
{
	echo "lab: $*" >&2
}

die()
{
	say "$2"
	exit "$1"
}

# step NAME CMD...: run CMD with its output in a log, showing the time that it takes
step()
{
	local name=$1 log=$out/log/$1.log start=$SECONDS pid rc=0 pause=0.2
	shift

	mkdir -p "$out/log"
	"$@" >"$log" 2>&1 &
	pid=$!
	trap 'kill "$pid" 2>/dev/null || :; exit 130' INT TERM
	while kill -0 "$pid" 2>/dev/null; do
		[ ! -t 2 ] || printf '\rlab: %-16s %4d s' "$name" $((SECONDS - start)) >&2
		sleep $pause
		[ $((SECONDS - start)) -lt 2 ] || pause=1
	done
	wait "$pid" || rc=$?
	trap - INT TERM
	[ ! -t 2 ] || printf '\r' >&2
	if [ "$rc" -ne 0 ]; then
		tail -n 15 "$log" >&2
		die 1 "$name failed (exit $rc): $log"
	fi
	printf 'lab: %-16s done in %d s%20s\n' "$name" $((SECONDS - start)) '' >&2
}
