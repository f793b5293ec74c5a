#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One of the guests of hosts.sh: hosts_node.sh DIR NODE [WORD]...
#
# All have a card on one wire, a Fibre Channel port (FCoE) and an address on it. Node 0 has the kernel's
# own target (LIO, tcm_fc) with one LUN for all others, and runs field hosts WORD... on them; its
# output and figures go to DIR. Nodes 1 to 3 find that disk, look at its stamps, and run field serve.
# Files in DIR say how far each is; hosts.sh ends who waits for too long.

set -eu

dir=$1
node=$2
shift 2
bin=${O:-$PWD}/kselftest
lun_mib=64
# shellcheck source=fc.sh
. "$(dirname "$0")/fc.sh"

die()
{
	echo "node $node: $2"
	echo "$2" >"$dir/failed.$node"
	exit "$1"
}

must()
{
	"$@" || die 1 "failed: $*"
}

# put VALUE FILE
put()
{
	{ printf '%s' "$1" >"$2"; } 2>/dev/null || die 1 "$2 does not take '$1'"
}

mac_of()
{
	echo "02:00:00:00:77:0$1"
}

# wait_for CMD...
wait_for()
{
	until "$@"; do
		! compgen -G "$dir/failed.*" >/dev/null || die 1 "another node failed"
		sleep 0.1
	done
}

# Sets card.
card_up()
{
	must modprobe virtio_net
	card=$(grep -l "$(mac_of "$node")" /sys/class/net/*/address)
	card=${card%/address}
	card=${card##*/}
	must ip address add "192.0.2.1$node/24" dev "$card"
	fc_card "$card"
}

# Sets disk to the target's.
disk_came()
{
	disk=$(grep -lsaw fc0 /sys/block/sd*/device/vpd_pg80) || return
	disk=${disk%/device/vpd_pg80}
	disk=/dev/${disk##*/}
	[ -b "$disk" ]
}

# all WHAT: of the three
all()
{
	[ -e "$dir/$1.1" ] && [ -e "$dir/$1.2" ] && [ -e "$dir/$1.3" ]
}

serves()
{
	grep -q "^field: next" "$dir/serve.$node" || ! kill -0 "$pid" 2>/dev/null
}

# What each initiator has moved, by its port's name
sessions()
{
	local acl

	for acl in "$fc_tpg"/acls/*; do
		grep -H . "$acl"/lun_0/statistics/scsi_auth_intr/{num_cmds,read_mbytes,write_mbytes}
	done
}

target()
{
	fc_start
	card_up
	fc_target "$(mac_of 0)" "$(mac_of 1)" "$(mac_of 2)" "$(mac_of 3)"
	fc_lun 0 $((lun_mib << 20)) ${lun_mib}m
	fc_enable "$card"
	: >"$dir/target"
	wait_for all serves
	cd "$dir"
	must "$bin/field.sh" hosts 192.0.2.11 192.0.2.12 192.0.2.13 "$@" >"$dir/field.out" 2>&1
	"$bin/field.sh" compare field.json >"$dir/table"
	sessions >"$dir/sessions"
	wait_for all ended	# they read the stamps again
}

host()
{
	card_up
	wait_for test -e "$dir/target"
	fc_enable "$card"
	wait_for disk_came
	must "$bin/disk_read" blocks=$lun_mib bs=1m direct verify "$disk"
	ls -l "/sys/block/${disk##*/}"
	"$bin/field.sh" serve --disks "$disk" --listen="192.0.2.1$node" >"$dir/serve.$node" 2>&1 &
	pid=$!
	wait_for serves
	: >"$dir/serves.$node"
	wait $pid || die 1 "$(tail -n 1 "$dir/serve.$node")"
	must "$bin/disk_read" blocks=$lun_mib bs=1m direct verify "$disk"
	: >"$dir/ended.$node"
}

case $node in
0)	target "$@" ;;
*)	host ;;
esac
