#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# On the host: direct I/O on ocfs2 in a cluster. Two guests with the patched kernel and its modules
# (KERNEL= another), nodes of one o2cb cluster, share a SCSI disk and a wire; each runs
# cluster_node.sh, and does what this script asks for. Both write stamped blocks of one file in
# turns, and each reads what the other wrote. Then one is killed while it writes, and the other
# replays its journal and goes on: each block that the dead one was writing is old or new and whole,
# and what it had been told is written is there.
#
# Who is hurt when it is broken: those for whom shared disks are made. What one node writes past
# another's page cache, or tells to be on the disk before its extents are, is another's stale data.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

kernel=${KERNEL:-patched}
out=${O:-$DIO_DIR/../../out}
mkdir -p "$out/log" "$out/build"
out=$(cd "$out" && pwd)
export O="$out"
dir=$out/cluster
depth=16		# of those that write until one is killed
most=8192		# blocks that are made to be; nobody gets that far

# --- Asking nodes ------------------------------------------------------------------------------

# alive NODE: its guest runs
alive()
{
	[ -e "$dir/guest.$1" ] && kill -0 "$(cat "$dir/guest.$1")" 2>/dev/null
}

# wait_file SECONDS NODE FILE: FILE comes, of a guest that runs; one that hangs is ended, so that
# not all that follows waits for it.
wait_file()
{
	end=$(($(date +%s) + $1))
	until [ -e "$3" ]; do
		alive "$2" || { echo "node $2 runs no more"; return 1; }
		if [ "$(date +%s)" -ge "$end" ]; then
			echo "node $2: no $3 in $1 s"
			kill "$(cat "$dir/guest.$2")"
			return 1
		fi
		sleep 0.1
	done
}

# ask NODE WORD...
ask()
{
	turn=$(($(cat "$dir/$1/turn") + 1))
	echo $turn >"$dir/$1/turn"
	to=$dir/$1/$turn
	shift
	echo "$*" >"$to.part"
	mv "$to.part" "$to.ask"
}

# answer NODE: what it printed, and its exit status
answer()
{
	from=$dir/$1/$(cat "$dir/$1/turn")
	wait_file 600 "$1" "$from.rc" || return
	cat "$from.out"
	return "$(cat "$from.rc")"
}

# on NODE WORD...
on()
{
	ask "$@"
	answer "$1"
}

# both WORD...: at once
both()
{
	ask 1 "$@"
	ask 2 "$@"
	answer 1
	first=$?
	answer 2 && return $first
}

# --- The guests --------------------------------------------------------------------------------

# start NODE. The disk is shared without a lock: QEMU's is for one guest a disk. The host's page cache
# is the disk: it is the same for both, outlives a guest that is killed, and needs no flush. The wire is
# two sockets for datagrams: what is sent to an end where nobody listens (yet, or any more) is lost. The
# last digit of a card's address is the node, $wire/NODE.pid the number of its QEMU.
start()
{
	mkdir "$dir/$1"
	echo 0 >"$dir/$1/turn"
	words="-device virtio-scsi-pci,id=both -drive if=none,id=shared,file.locking=off"
	words="$words,file=$dir/disk,format=raw,cache=unsafe"
	words="$words -device scsi-hd,bus=both.0,drive=shared,share-rw=on,serial=shared"
	words="$words -netdev dgram,id=wire,local.type=unix,local.path=$wire/$1"
	words="$words,remote.type=unix,remote.path=$wire/$((3 - $1))"
	words="$words -device virtio-net-pci,netdev=wire,romfile=,mac=02:00:00:00:77:0$1"
	QEMU_WORDS="$words -pidfile $wire/$1.pid" "$DIO_DIR/guest.sh" -k "$kernel" -n "node$1" -t 3600 \
		"$DIO_DIR/cluster_node.sh" "$dir" "$1" >"$dir/guest.$1.out" 2>&1 &
	echo $! >"$dir/guest.$1"
}

# What was on the disk is seen if it shows in a file.
both_up()
{
	tr '\0' '\333' </dev/zero | head -c $((192 << 20)) >"$dir/disk" && start 1 && start 2 ||
		return
	for each in 1 2; do
		wait_file 600 $each "$dir/up.$each" || {
			tail -n 20 "$dir/guest.$each.out"
			return 1
		}
	done
}

# ended NODE: its guest ends by itself; the status is guest.sh's
ended()
{
	wait "$(cat "$dir/guest.$1")"
	rc=$?
	rm "$dir/guest.$1"
	cat "$dir/guest.$1.out"
	return $rc
}

# Only guests that are left; guest.sh ends its own.
end_guests()
{
	for each in 1 2; do
		! alive $each || kill "$(cat "$dir/guest.$each")"
	done
	wait
	rm -rf "$wire"
}

# silent NODE: nothing in its kernel's log
silent()
{
	"$DIO_DIR/complaints.sh" "$out/log/guest-$kernel-node$1.log"
	[ $? -eq 1 ]
}

# --- The cases ---------------------------------------------------------------------------------

mount_both()
{
	both mount_fs "$1"
}

unmount_and_check()
{
	both unmount_fs && on 1 check_fs
}

# halves NAME HOW BLOCKS WORD...: both write their halves, and find both
halves()
{
	name=$1
	how=$2
	blocks=$3
	shift 3
	on 1 lay_out "$how" "$name" "$blocks" && both write_half "$name" "$blocks" "$@" || return
	for half in 1 2; do
		both check_half $half "$name" "$blocks" || return
	done
}

# What one has in its page cache is not what it reads after the other wrote.
cached_elsewhere()
{
	on 1 lay_out empty cached 256 && on 2 write_alone cached 256 || return
	on 1 check_half 2 cached 256 cached && on 2 write_alone cached 256 round=2 aio &&
		on 1 check_half 2 cached 256 round=2 cached
}

random_ops()
{
	both random_ops "$1" && both check_ops
}

# told NAME NODE: sets round and blocks
told()
{
	read -r round blocks <"$dir/told-$1-$2"
}

# far_enough NAME NODE ROUND BLOCKS: it has written more than that
far_enough()
{
	[ -s "$dir/told-$1-$2" ] && told "$1" "$2" && [ "$round" -ge "$3" ] &&
		[ "$blocks" -ge "$4" ]
}

# Both write one file, then node 1 makes another one longer and fills a hole, too; then it is no
# more.
kill_one()
{
	on 1 lay_out there both 64 && both keep_writing both n=64 aio depth=$depth || return
	for each in 1 2; do
		dio_wait 600 far_enough both $each 3 1 || { echo "node $each is stuck"; return 1; }
	done
	on 1 lay_out hole filled $most || return
	for file in grown filled; do
		on 1 keep_writing $file of=1 n=$most aio fsync depth=$depth || return
	done
	for file in grown filled; do
		dio_wait 600 far_enough $file 1 1 64 || { echo "$file is stuck"; return 1; }
	done
	kill -KILL "$(cat "$wire/1.pid")" || return
	ended 1
	[ $? -eq 124 ]
}

# Reading what node 1 locked waits for its recovery.
recovered()
{
	told both 2 && before=$round || return
	told both 1 || return
	on 2 check_half 1 both 64 "round=$round" "done=$blocks" depth=$depth || return
	on 2 replayed && dio_wait 600 far_enough both 2 $((before + 2)) 0
}

# made NAME: sets blocks to those of it that were told after an fsync
made()
{
	told "$1" 1 && echo "round $round, $blocks blocks" && [ "$round" -eq 1 ] &&
		[ "$blocks" -lt $most ]
}

# has_synced NAME
has_synced()
{
	made "$1" && on 2 check_half 1 "$1" $most of=1 "done=$blocks" depth=$depth
}

survivor_is_right()
{
	: >"$dir/stop"
	on 2 wrote both >"$dir/last" || { cat "$dir/last"; return 1; }
	on 2 check_half 2 both 64 "round=$(cat "$dir/last")"
}

cold_again()
{
	on 2 unmount_fs && on 2 check_fs
}

# guest.sh looks through the log of one that ends.
leave()
{
	ask 2 leave
	ended 2
}

dio_init "$@"
rm -rf "$dir"
mkdir "$dir"
wire=$(mktemp -d)	# the path of a socket is 107 bytes at most
dio_on_exit end_guests
gcc -O2 -Wall -o "$out/build/cluster_io" "$DIO_DIR/cluster_io.c" || exit

dio_plan 25
dio_check "two guests with one disk and one wire" both_up
alive 1 && alive 2 || exit 1
dio_check "a file system for two" on 1 make_fs
dio_check "both mount it, with no order of direct I/O among them" mount_both coherency=buffered
dio_check "halves at once, over data that is there, in no order" halves free there 512 aio
dio_check "both unmount it, and fsck is content" unmount_and_check
dio_check "both mount it" mount_both coherency=full
for how in there hole empty; do
	for way in sync aio uring; do
		word=$way
		[ $way != sync ] || word=
		dio_check "halves at once, $how, $way" halves "$how-$way" $how 96 $word
	done
done
dio_check "what one had cached is read anew after the other wrote" cached_elsewhere
dio_check "random operations of both at once, and the other finds the same" random_ops 100
dio_check "node 1 is killed while both write" kill_one
dio_check "node 2 replays its journal, finds its blocks old or new, and goes on" recovered
dio_check "a file that it made longer has what was synced, and no more" has_synced grown
dio_check "a hole that it filled has what was synced" has_synced filled
dio_check "what node 2 wrote meanwhile is there" survivor_is_right
dio_check "node 2 unmounts it, and fsck is content" cold_again
dio_check "the kernel of node 1 was silent to its end" silent 1
dio_check "node 2 leaves, and its kernel was silent" leave
