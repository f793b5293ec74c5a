#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# One node of a cluster, in a guest that cluster.sh has booted: cluster_node.sh DIR NODE
#
# Makes this guest node 1 or 2 of the o2cb cluster "dio", by hand in configfs: no daemon and no file
# in /etc is wanted. Then does what cluster.sh asks for, a function of this file and its words, in
# DIR/NODE/1.ask, 2.ask and so on, and leaves what that printed and its exit status in 1.out and
# 1.rc, until it is asked to leave. Nothing waits for a time here, only for files.

dir=$1
node=$2
other=$((3 - node))
mnt=/run/cluster
config=/sys/kernel/config
cluster=$config/cluster/dio
bin=${O:-$PWD}/kselftest
io=${O:-$PWD}/build/cluster_io

# wait_file FILE: cluster.sh bounds the time
wait_file()
{
	until [ -e "$1" ]; do
		sleep 0.1
	done
}

# rendezvous NAME: go on when the other node is here, too
rendezvous()
{
	: >"$dir/$1.$node"
	wait_file "$dir/$1.$other"
}

# find_device CLASS FILE WORD: the device of that class that says WORD in FILE
find_device()
{
	for each in "/sys/class/$1"/*; do
		if grep -qsaw "$3" "$each/$2"; then
			echo "${each##*/}"
			return
		fi
	done
	echo "no $1 device has $3 in $2"
	return 1
}

net_up()
{
	modprobe virtio_net || return
	card=$(find_device net address "02:00:00:00:77:0$node") || { echo "$card"; return 1; }
	ip address add "192.0.2.$node/24" dev "$card" && ip link set "$card" up
}

# put VALUE FILE
put()
{
	{ echo "$1" >"$2"; } 2>/dev/null || { echo "$2 does not take $1"; return 1; }
}

# A node is dead when its heartbeat has been missing for (21 - 1) * 2 seconds: a busy host must not
# look like that. The network has to be patient for longer, or the living one takes itself for the
# cut off one. Who must leave the cluster says so in its log.
cluster_up()
{
	modprobe ocfs2 && modprobe ocfs2_stack_o2cb || return
	mountpoint -q $config || mount -t configfs none $config || return
	put o2cb /sys/fs/ocfs2/cluster_stack || return
	mkdir $cluster || return
	for each in 1 2; do
		mkdir "$cluster/node/node$each" &&
			put 7777 "$cluster/node/node$each/ipv4_port" &&
			put "192.0.2.$each" "$cluster/node/node$each/ipv4_address" &&
			put "$each" "$cluster/node/node$each/num" || return
	done
	put 1 "$cluster/node/node$node/local" &&
		put 21 $cluster/heartbeat/dead_threshold &&
		put 60000 $cluster/idle_timeout_ms &&
		put panic $cluster/fence_method
}

make_fs()
{
	mkfs.ocfs2 -q -F -N 2 -b 4K -C 4K -J size=4M --cluster-stack=o2cb --cluster-name=dio \
		"$disk"
}

# mount_fs OPTIONS: its helper starts the heartbeat; umount ends it.
mount_fs()
{
	mkdir -p $mnt && mount -t ocfs2 -o "$1" "$disk" $mnt
}

unmount_fs()
{
	umount $mnt
}

# Nobody has it mounted: cluster.sh sees to that. fsck could not without dlmfs (-F), and wants a
# yes.
check_fs()
{
	echo y | fsck.ocfs2 -f -n -F "$disk"
}

# lay_out HOW NAME BLOCKS: a file for both of so many blocks each: there with other data, one hole,
# or empty
lay_out()
{
	rm -f "$mnt/$2"
	case $1 in
	there)	"$bin/dio_write" create direct bs=64k size=$(($3 * 8))k n=1 "$mnt/$2" ;;
	hole)	truncate -s $(($3 * 8192)) "$mnt/$2" ;;
	empty)	: >"$mnt/$2" ;;
	esac
}

# write_half NAME BLOCKS WORD...: at once with the other node
write_half()
{
	rendezvous "write-$1"
	write_alone "$@"
}

# write_alone NAME BLOCKS WORD...
write_alone()
{
	name=$1
	blocks=$2
	shift 2
	"$io" write "node=$node" "n=$blocks" "$@" "$mnt/$name"
}

# check_half OF NAME BLOCKS WORD...
check_half()
{
	of=$1
	name=$2
	blocks=$3
	shift 3
	"$io" check "node=$of" "n=$blocks" "$@" "$mnt/$name"
}

# random_ops N: see dio_ops; the model of the file is where the other node sees it, too.
random_ops()
{
	rendezvous ops
	"$bin/dio_ops" unit=512 "n=$1" "seed=$node" "$mnt/ops$node" "$dir/model$node"
}

# check_ops: the other node's file, past the page cache
check_ops()
{
	dd if="$mnt/ops$other" bs=64k iflag=direct status=none | cmp - "$dir/model$other"
}

# keep_writing NAME WORD...: until cluster.sh says stop (or kills); that it has begun is seen in
# what it tells
keep_writing()
{
	name=$1
	shift
	setsid "$io" write "node=$node" "$@" "tell=$dir/told-$name-$node" "until=$dir/stop" \
		"$mnt/$name" >"$dir/wrote-$name-$node" 2>&1 &
}

# wrote NAME: writing has ended, well; prints the last round
wrote()
{
	until grep -q . "$dir/wrote-$1-$node"; do
		sleep 0.1
	done
	cat "$dir/wrote-$1-$node"
	grep -qx '[0-9]*' "$dir/wrote-$1-$node"
}

# replayed: this kernel has replayed the journal of the other node
replayed()
{
	dmesg | grep "ocfs2: End replay journal (node $other,"
}

disk=/dev/$(find_device block device/vpd_pg80 shared) || { echo "${disk#/dev/}"; exit 1; }
net_up && cluster_up || exit
: >"$dir/up.$node"
turn=1
while :; do
	at=$dir/$node/$turn
	wait_file "$at.ask"
	read -r words <"$at.ask"
	[ "$words" != leave ] || break
	rc=0
	# shellcheck disable=SC2086 # a list
	( $words ) >"$at.out" 2>&1 </dev/null || rc=$?
	echo $rc >"$at.part"
	mv "$at.part" "$at.rc"
	turn=$((turn + 1))
done
