#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: field hosts (field.rst) on three guests at once, which share one disk of one target. A
# fourth guest has the target, the kernel's own (LIO, Fibre Channel over a wire of Ethernet), and runs
# field hosts. All have the patched kernel (KERNEL= another). See hosts_node.sh.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

kernel=${KERNEL:-patched}
out=${O:-$DIO_DIR/../../out}
mkdir -p "$out/log"
out=$(cd "$out" && pwd)
export O="$out"
dir=$out/hosts

# start NODE WORD...
start()
{
	node=$1
	shift
	"$DIO_DIR/guest.sh" -k "$kernel" -W "$wire/$node" -n "host$node" -t 3600 \
		"$DIO_DIR/hosts_node.sh" "$dir" "$node" "$@" >"$dir/guest.$node.out" 2>&1 &
	echo $! >"$dir/guest.$node"
}

end_guests()
{
	for each in "$dir"/guest.?; do
		[ ! -e "$each" ] || ! kill -0 "$(cat "$each")" 2>/dev/null || kill "$(cat "$each")"
	done
	wait
	rm -rf "$wire"
}

alive()
{
	kill -0 "$(cat "$dir/guest.$1")" 2>/dev/null
}

# The one that serves waits for nobody who has ended.
come()
{
	[ -e "$dir/serves.1" ] && [ -e "$dir/serves.2" ] && [ -e "$dir/serves.3" ] && return
	for each in 0 1 2 3; do
		alive $each || return 0
	done
	return 1
}

three_serve()
{
	for each in 0 1 2 3; do
		start $each --seconds=1 --rounds=1 --cases='hosts-[do]*'
	done
	dio_wait 1800 come
	tail -n 5 "$dir"/guest.?.out
	for each in 1 2 3; do
		[ -e "$dir/serves.$each" ] || return
	done
}

# ended NODE: guest.sh looks through the log of its kernel.
ended()
{
	rc=0
	wait "$(cat "$dir/guest.$1")" || rc=$?
	rm "$dir/guest.$1"
	cat "$dir/guest.$1.out"
	return $rc
}

# has_rows WHO: a figure of each case
has_rows()
{
	for case in direct oltp-read-4k oltp-read-8k; do
		awk -v name="$1-$case" '$2 == name && $5 + $6 > 0 { found++ }
			END { exit found == 2 ? 0 : 1 }' "$dir/table" || { echo "no $1-$case"; return 1; }
	done
}

table_has_all()
{
	cat "$dir/field.out" "$dir/table"
	for who in hosts host1 host2 host3; do
		has_rows $who || return
	done
}

# One disk, three ports: what each has read went through its own session, more than its stamps (64 MiB).
one_target()
{
	cat "$dir/sessions"
	[ "$(awk '/read_mbytes/ { split($0, at, ":"); if (at[length(at)] > 64) n++ } END { print n + 0 }' \
		"$dir/sessions")" -eq 3 ] &&
		awk '/write_mbytes/ { split($0, at, ":"); n += at[length(at)] } END { exit n > 0 }' \
			"$dir/sessions"
}

dio_init "$@"
rm -rf "$dir"
mkdir "$dir"
wire=$(mktemp -d)	# the path of a socket is 107 bytes at most
dio_on_exit end_guests
dio_plan 7
dio_check "three guests see one disk of one target, its stamps, and serve it" three_serve
[ -e "$dir/serves.3" ] || exit 1
dio_check "node 0: field hosts ends well, and its kernel was silent" ended 0
for each in 1 2 3; do
	dio_check "node $each: it ends with the run, the stamps are there, and its kernel was silent" \
		ended $each
done
dio_check "figures of each host and of all in one table" table_has_all
dio_check "each has read by a session of its own, nobody has written" one_target
