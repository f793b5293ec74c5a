#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Direct I/O on ocfs2 in a cluster: two guests (KERNEL=, else patched, with its modules) are nodes of
# one o2cb cluster, made by hand in configfs, with one SCSI disk and a wire. In each this script runs
# again (cluster.sh DIR NODE); what the nodes said is printed when both are done.
#
# fio writes with O_DIRECT, each node every other block of a file, and both nodes read all of them: a
# block has node, round and offset in it. Then node 1 is killed while it writes. Node 2 replays its
# journal: what node 1 told of is there, and each other block is old or new as a whole.
#
# Who is hurt when it is broken: those for whom shared disks are made. What one node writes past
# another's page cache, or tells to be on the disk before its extents are, is another's stale data.

# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$(dirname "$0")/../testing/selftests/dio/dio_common.sh"

out=${O:-$DIO_DIR/../../out}
[ $# -ne 2 ] || out=${1%/*}
mkdir -p "$out/log"
O=$(cd "$out" && pwd)
export O
dir=$O/cluster
mnt=/run/cluster
n=48		# blocks of a node in a file that both write
chunk=16	# blocks that are written and synced at once until node 1 is killed

# --- In a guest --------------------------------------------------------------------------------

# meet WHAT: go on when the other node is here, too
meet()
{
	: >"$dir/$1.$node"
	dio_wait 300 test -e "$dir/$1.$other" || { echo "node $other is not at $1"; return 1; }
}

# A node is dead when its heartbeat has been missing for (21 - 1) * 2 seconds: a busy host must not
# look like that. The network has to be patient for longer, or the living one takes itself for the
# cut off one. Who must leave the cluster says so in its log.
node_up()
{
	cluster=/sys/kernel/config/cluster/dio
	modprobe -a virtio_net ocfs2 ocfs2_stack_o2cb || return
	card=$(basename "$(dirname /sys/class/net/*/device)")
	ip address add "192.0.2.$node/24" dev "$card" && ip link set "$card" up || return
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config || return
	echo o2cb >/sys/fs/ocfs2/cluster_stack && mkdir $cluster || return
	for each in 1 2; do
		at=$cluster/node/node$each
		mkdir "$at" && echo 7777 >"$at/ipv4_port" &&
			echo "192.0.2.$each" >"$at/ipv4_address" && echo "$each" >"$at/num" || return
	done
	echo 1 >"$cluster/node/node$node/local" && echo 21 >$cluster/heartbeat/dead_threshold &&
		echo 60000 >$cluster/idle_timeout_ms && echo panic >$cluster/fence_method || return
	[ "$node" -eq 2 ] || mkfs.ocfs2 -q -F -N 2 -b 4K -C 4K -J size=4M --cluster-stack=o2cb \
		--cluster-name=dio "$disk" || return
	meet up
}

# mount_fs COHERENCY: its helper starts the heartbeat; umount ends it.
mount_fs()
{
	mkdir -p $mnt && mount -t ocfs2 -o "coherency=$1" "$disk" $mnt
}

# Nobody has it mounted. fsck could not without dlmfs (-F), and wants a yes.
check_fs()
{
	echo y | fsck.ocfs2 -f -n -F "$disk"
}

unmount_and_check()
{
	umount $mnt && meet unmounted && { [ "$node" -eq 2 ] || check_fs; } && meet checked
}

unmount_alone()
{
	umount $mnt && check_fs
}

# job RW NAME PATTERN WORD...: a file is made longer by what is written, and not before.
job()
{
	rw=$1
	file=$mnt/$2
	pattern=$3
	shift 3
	fio --name=cluster --filename="$file" --rw="$rw" --bs=4k --direct=1 --iodepth=$chunk \
		--create_on_open=1 --invalidate=0 --verify=pattern --verify_pattern="$pattern" \
		--do_verify=0 --verify_state_save=0 "$@"
}

# half RW OF NAME ROUND WORD...: the blocks of node OF. What fio reads of a short file is short, too.
half()
{
	way=$1
	of=$2
	name=$3
	mark=0x0$of$(printf %04x "$4")%o
	shift 4
	[ "$way" = write ] || [ "$(stat -c %s "$mnt/$name")" -ge $((8192 * n)) ] || return
	job "$way:4k" "$name" "$mark" --offset=$((4 * of - 4))k --size=$((8 * n - 4))k \
		--io_size=$((4 * n))k "$@"
}

# halves HOW ENGINE: both write theirs at once, over data, into a hole, or into an empty file; both
# find both.
halves()
{
	it=$1-$2-$coherency
	[ "$node" -eq 2 ] || case $1 in
	there)	"$O/kselftest/dio_write" create direct bs=64k size=$((8 * n))k n=1 "$mnt/$it" ;;
	hole)	truncate -s $((8 * n))k "$mnt/$it" ;;
	empty)	: >"$mnt/$it" ;;
	esac || return
	meet "laid-$it" && half write "$node" "$it" 1 "--ioengine=$2" && meet "wrote-$it" &&
		half read 1 "$it" 1 && half read 2 "$it" 1
}

# What node 1 has in its page cache is not what it reads after node 2 wrote.
cached_elsewhere()
{
	it=there-psync-full
	meet cached-1 && { [ "$node" -eq 2 ] || half read 2 $it 1 --direct=0; } && meet cached-2 &&
		{ [ "$node" -eq 1 ] || half write 2 $it 2 --ioengine=libaio; } && meet cached-3 &&
		{ [ "$node" -eq 2 ] || half read 2 $it 2 --direct=0; }
}

# See dio_ops; the other node compares its file, past the page cache.
random_ops()
{
	meet ops && "$O/kselftest/dio_ops" unit=512 n=100 "seed=$node" "$mnt/ops$node" \
		"$dir/model$node" && meet ops-done &&
		dd if="$mnt/ops$other" bs=64k iflag=direct status=none | cmp - "$dir/model$other"
}

# told NAME NODE: so far it is written
told()
{
	tail -n 1 "$dir/told-$1-$2"
}

rounds()
{
	round=0
	until [ -e "$dir/stop" ]; do
		round=$((round + 1))
		half write "$node" both $round --ioengine=libaio &&
			echo $round >>"$dir/told-both-$node" || return
	done
}

# chunks NAME: node 1 makes it longer, or fills its hole.
chunks()
{
	at=0
	while job write "$1" 0x77%o --offset=$((4 * chunk * at))k --size=$((4 * chunk))k \
		--ioengine=libaio --end_fsync=1; do
		at=$((at + 1))
		echo $at >>"$dir/told-$1-1"
	done
}

# bad LIST WORD...: the offsets of blocks that are not as this job wants them
bad()
{
	list=$DIO_TMP/$1
	shift
	"$@" --continue_on_error=verify >"$list.said" 2>&1 || { cat "$list.said"; return 1; }
	sed -n 's/.*verify failed at file .* offset \([0-9]*\),.*/\1/p' "$list.said" | sort -u >"$list"
}

# old_or_new BLOCKS: no block is bad in both lists, and as none can be both, each is in one.
old_or_new()
{
	! comm -12 "$DIO_TMP/old" "$DIO_TMP/new" | grep . &&
		[ "$(cat "$DIO_TMP/old" "$DIO_TMP/new" | wc -l)" -eq "$1" ]
}

replayed()
{
	dmesg | grep -q "ocfs2: End replay journal (node 1,"
}

# The round behind the one told may have begun.
recovered()
{
	dio_wait 300 replayed || return
	round=$(told both 1)
	before=$(told both 2)
	bad old half read 1 both "$round" && bad new half read 1 both $((round + 1)) &&
		old_or_new $n || return
	dio_wait 300 eval "[ \"\$(told both 2)\" -ge $((before + 2)) ]"
}

# synced NAME: what was told is there; behind it a block is zeros or new.
synced()
{
	told=$((4 * chunk * $(told "$1" 1)))
	blocks=$(($(stat -c %s "$mnt/$1") / 4096))
	rest=$((4 * blocks - told))
	echo "told of $told KiB, $rest behind them"
	job read "$1" 0x77%o --size=${told}k && [ "$rest" -ge 0 ] || return
	[ "$rest" -eq 0 ] || {
		bad old job read "$1" 0x00 --offset=${told}k --size=${rest}k &&
			bad new job read "$1" 0x77%o --offset=${told}k --size=${rest}k &&
			old_or_new $((rest / 4))
	}
}

own_rounds()
{
	: >"$dir/stop"
	wait "$writer" && half read 2 both "$(told both 2)"
}

node_cases()
{
	disk=/dev/$(basename /sys/block/sd*)
	other=$((3 - node))
	dio_plan $((node == 1 ? 16 : 21))
	dio_check "it is a node of a cluster, with a file system for two" node_up
	coherency=buffered	# no order of direct I/O among nodes
	dio_check "it mounts it, coherency=buffered" mount_fs buffered
	dio_check "halves at once, there, libaio" halves there libaio
	dio_check "it unmounts it, and fsck is content" unmount_and_check
	coherency=full
	dio_check "it mounts it, coherency=full" mount_fs full
	for how in there hole empty; do
		for engine in psync libaio io_uring; do
			dio_check "halves at once, $how, $engine" halves $how $engine
		done
	done
	dio_check "what node 1 had cached is read anew after node 2 wrote" cached_elsewhere
	if [ "$node" -eq 1 ]; then
		"$O/kselftest/dio_write" create direct bs=64k size=$((8 * n))k n=1 $mnt/both
		truncate -s 32m $mnt/filled
	fi
	dio_check "random operations of both at once, and the other finds the same" random_ops
	rounds >"$DIO_TMP/rounds" 2>&1 &
	writer=$!
	if [ "$node" -eq 1 ]; then
		chunks grown >"$DIO_TMP/grown" 2>&1 &
		chunks filled >"$DIO_TMP/filled" 2>&1 &
		wait
		return
	fi
	dio_wait 600 test -e "$dir/killed" || return
	dio_check "it replays the journal of node 1, finds its blocks old or new, and goes on" recovered
	dio_check "a file that node 1 made longer has what was synced" synced grown
	dio_check "a hole that node 1 filled has what was synced" synced filled
	dio_check "what it wrote meanwhile is there" own_rounds
	dio_check "it unmounts it, and fsck is content" unmount_alone
}

# --- On the host -------------------------------------------------------------------------------

# start NODE. The disk is shared without a lock: QEMU's is for one guest a disk. The host's page cache
# is the disk: it is the same for both, outlives a guest that is killed, and needs no flush. The wire is
# two sockets for datagrams: what is sent to an end where nobody listens (yet, or any more) is lost.
start()
{
	words="-device virtio-scsi-pci,id=both -drive if=none,id=shared,file.locking=off"
	words="$words,file=$dir/disk,format=raw,cache=unsafe"
	words="$words -device scsi-hd,bus=both.0,drive=shared,share-rw=on"
	words="$words -netdev dgram,id=wire,local.type=unix,local.path=$wire/$1"
	words="$words,remote.type=unix,remote.path=$wire/$((3 - $1))"
	words="$words -device virtio-net-pci,netdev=wire,romfile=,mac=02:00:00:00:77:0$1"
	QEMU_WORDS="$words -pidfile $wire/$1.pid" "$DIO_DIR/guest.sh" -k "$kernel" -n "node$1" -t 3600 \
		"$DIO_DIR/cluster.sh" "$dir" "$1" >"$dir/guest.$1" 2>&1 &
}

# far_enough: all who write have told of it, or a guest has ended
far_enough()
{
	kill -0 $one 2>/dev/null && kill -0 $two 2>/dev/null || return 0
	for each in both-1 both-2 grown-1 filled-1; do
		[ "$(tail -n 1 "$dir/told-$each" 2>/dev/null || echo 0)" -ge 2 ] || return
	done
}

end_guests()
{
	kill $one $two 2>/dev/null
	wait
	rm -rf "$wire"
}

if [ $# -eq 2 ]; then
	dir=$1
	node=$2
	dio_init
	node_cases
	exit
fi
kernel=${KERNEL:-patched}
dio_init "$@"
rm -rf "$dir"
mkdir "$dir"
wire=$(mktemp -d)	# the path of a socket is 107 bytes at most
dio_plan 5
# What was on the disk is seen if it shows in a file.
tr '\0' '\333' </dev/zero | head -c $((192 << 20)) >"$dir/disk"
start 1
one=$!
start 2
two=$!
dio_on_exit end_guests
dio_check "both nodes come to write" dio_wait 3000 far_enough
kill -KILL "$(cat "$wire/1.pid")"
: >"$dir/killed"
wait $one
dio_check "node 1 was killed while it wrote" [ $? -eq 124 ]
wait $two
dio_check "node 2 ended well, and its kernel was silent" [ $? -eq 0 ]
dio_check "what node 1 had tried went well" [ "$(grep -c '^ok ' "$dir/guest.1")" -eq 16 ]
"$DIO_DIR/complaints.sh" "$O/log/guest-$kernel-node1.log"
dio_check "the kernel of node 1 was silent to its end" [ $? -eq 1 ]
sed 's/^/# node 1: /' "$dir/guest.1"
sed 's/^/# node 2: /' "$dir/guest.2"
