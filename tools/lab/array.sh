#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Brings an array of disks up in the guest, checks it, and takes it away.
#
#	array.sh up NAME [md|dm]	print its disks, or the one disk that joins them, one a line
#	array.sh down NAME		leave nothing behind, however far up got
#
# NAME is one of
#	fc		8 Fibre Channel disks of 1 GiB. The HBA is libfc on one end of a veth pair (FCoE,
#			mode VN2VN: no switch), the array is the kernel's own target on the other end,
#			its disks are sparse files in memory
#	many		64 scsi_debug disks with a store each; guest.sh -a many makes them 16 MiB
#	qla		8 scsi_debug disks behind a virtual ISP24xx and its driver, qla2xxx, on a fabric
#	model		8 disks of 64 MiB that take the time of Fibre Channel disks of 2002, on one loop
#			(model_disk)
#
# Every disk is stamped over its first 16 MiB, 4 of many's, and all are read back through the HBA.
# Joined, disks take turns every 128 KiB: md RAID0 without a superblock, or a dm stripe. A disk that
# joins others is theirs to write, so its stamps end there.
#
# Nothing is waited for longer than 120 seconds, which is for a busy host: an idle one takes 3.
# Exit: 0 up (or down), 2 usage, else a step failed (one line on stderr says which): down takes away
# what there is.

set -eu

out=${O:-$PWD}
bin=$out/kselftest
chunk=131072
stamped_mib=16

# The initiator's and the target's port; the name of a port is 20:00 and the MAC address.
ports=(fcini fctgt)
macs=(02:00:00:00:fc:01 02:00:00:00:fc:02)
config=/sys/kernel/config/target
scsi_debug=/sys/bus/pseudo/drivers/scsi_debug
isp24xx=/sys/kernel/debug/isp24xx
run=/run/array		# is there while an array is up

die()
{
	echo "array: $2" >&2
	exit "$1"
}

# wait_for WHAT CMD...: try CMD until it succeeds. The last try begins when the time is over: where
# instructions are the clock it leaps while a program comes from the host, over all of the time.
wait_for()
{
	local what=$1 end=$((SECONDS + 120)) late=0
	shift

	until "$@"; do
		[ $late -eq 0 ] || die 1 "waited 120 s for $what"
		sleep 0.1
		[ $SECONDS -lt $end ] || late=1
	done
}

# must CMD...: a step that may fail; CMD has said why, this says what
must()
{
	"$@" || die 1 "failed: $*"
}

# put VALUE FILE: write to a control file, and say which one if it refuses
put()
{
	{ printf '%s' "$1" >"$2"; } 2>/dev/null || die 1 "$2 does not take '$1'"
}

# --- Finding disks -----------------------------------------------------------------------------

# by_serial PREFIX N: sets $disks to the N disks with serials PREFIX0, PREFIX1 and so on
by_serial()
{
	local n disk

	disks=()
	for ((n = 0; n < $2; n++)); do
		for disk in /sys/block/sd*; do
			if grep -qsaw "$1$n" "$disk/device/vpd_pg80"; then
				disks+=("/dev/${disk##*/}")
			fi
		done
	done
	[ ${#disks[@]} -eq "$2" ]
}

# by_host DRIVER N: sets $disks to the N disks of DRIVER, a directory, in the order of their hosts.
# No program is started for each disk: that takes a tenth of a second in an emulated guest.
by_host()
{
	mapfile -t disks < <(compgen -G "$1/adapter*/host*/target*/*/block/*" | sort -V)
	disks=("${disks[@]/#*\///dev/}")
	[ ${#disks[@]} -eq "$2" ]
}

# by_port N: sets $disks to the N disks of Fibre Channel HBAs, in the order of their ports' names
by_port()
{
	local disk

	mapfile -t disks < <(compgen -G '/sys/class/fc_host/host*/device/rport-*/target*/*/block/*' |
		while read -r disk; do
			echo "$(cat "${disk%/*/*/*/*}"/fc_remote_ports/*/port_name) /dev/${disk##*/}"
		done | sort | cut -d ' ' -f 2)
	[ ${#disks[@]} -eq "$1" ]
}

# --- The arrays --------------------------------------------------------------------------------

# fc_lun N: LUN N of the target, a file of 1 GiB whose first bytes are stamped
fc_lun()
{
	local dir=$config/core/fileio_0/fc$1 file=$run/fc$1 size=$((1 << 30))

	"$bin/disk_stamp" disk="$1" size=${stamped_mib}m "$file" || die 1 "fc$1 cannot be stamped"
	must truncate -s $size "$file"
	must mkdir "$dir"
	put "fd_dev_name=$file,fd_dev_size=$size" "$dir/control"
	put 1 "$dir/enable"
	put "fc$1" "$dir/wwn/vpd_unit_serial"
	# Else it names 8 MiB, and readahead reads twice that.
	put 0 "$dir/attrib/optimal_sectors"
	must mkdir "$tpg/lun/lun_$1"
	must ln -s "$dir" "$tpg/lun/lun_$1/disk"
	must mkdir "$acl/lun_$1"
	must ln -s "$tpg/lun/lun_$1" "$acl/lun_$1/disk"
	put 0 "$acl/lun_$1/write_protect"
}

# controller PORT: the directory of its FCoE controller
controller()
{
	local dir

	for dir in /sys/bus/fcoe/devices/ctlr_*; do
		case $(readlink -f "$dir") in
		*/net/"$1"/*)
			echo "$dir"
			return
			;;
		esac
	done
	die 1 "$1 has no FCoE controller"
}

# FCoE, mode VN2VN, with LIO's tcm_fc. The order matters: first the cards and their controllers, then
# the target and its LUNs, then both are enabled. A remote port that comes up to a target without a LUN
# is never asked again.
up_fc()
{
	local n port tpg=$config/fc/20:00:${macs[1]}/tpgt_1 acl

	acl=$tpg/acls/20:00:${macs[0]}
	[ -d /sys/bus/fcoe ] || die 1 "this kernel has no FCoE"
	mountpoint -q /sys/kernel/config || must mount -t configfs none /sys/kernel/config
	mkdir -p $config/core/fileio_0 $config/fc || die 1 "this kernel has no FC target"
	must mount -t tmpfs -o size=80% none $run
	must ip link add "${ports[0]}" address "${macs[0]}" mtu 2500 type veth \
		peer name "${ports[1]}" address "${macs[1]}" mtu 2500
	for port in "${ports[@]}"; do
		must ip link set "$port" up
		put "$port" /sys/bus/fcoe/ctlr_create
		put VN2VN "$(controller "$port")/mode"
	done
	must mkdir -p "$tpg"
	must mkdir "$acl"
	for n in 0 1 2 3 4 5 6 7; do
		fc_lun "$n"
	done
	for port in "${ports[@]}"; do
		put 1 "$(controller "$port")/enabled"
	done
	wait_for "eight FC disks" by_serial fc 8
}

no_controller()
{
	! compgen -G '/sys/bus/fcoe/devices/ctlr_*' >/dev/null
}

# Both ports go before the target does, so that no command is under way then. ctlr_destroy only asks
# for it, and refuses a port that has no controller yet.
down_fc()
{
	local port dir

	for port in "${ports[@]}"; do
		[ ! -d "/sys/class/net/$port" ] ||
			{ printf '%s' "$port" >/sys/bus/fcoe/ctlr_destroy; } 2>/dev/null || :
	done
	wait_for "the FCoE controllers to go" no_controller
	for dir in "$config"/fc/*/tpgt_1; do
		[ -d "$dir" ] || continue
		rm -f "$dir"/acls/*/lun_*/disk
		rmdir "$dir"/acls/*/lun_* "$dir"/acls/* 2>/dev/null || :
		rm -f "$dir"/lun/lun_*/disk
		rmdir "$dir"/lun/lun_* 2>/dev/null || :
		rmdir "$dir" "${dir%/*}"
	done
	for dir in "$config"/core/fileio_0/fc* $config/core/fileio_0 $config/fc; do
		[ ! -d "$dir" ] || rmdir "$dir"
	done
	[ ! -d "/sys/class/net/${ports[0]}" ] || ip link del "${ports[0]}"
	! mountpoint -q $run || umount $run
}

# stamp_all: the disks, in their order
stamp_all()
{
	local n

	for n in "${!disks[@]}"; do
		must "$bin/disk_stamp" disk="$n" size=${stamped_mib}m write-device "${disks[n]}"
	done
}

# with_stores N: N hosts of scsi_debug with a disk and a store each
with_stores()
{
	[ -d $scsi_debug ] || die 1 "this kernel has no scsi_debug"
	put 1 $scsi_debug/per_host_store
	put 1 $scsi_debug/num_tgts
	put 0 $scsi_debug/delay
	put "$1" $scsi_debug/add_host
	wait_for "$1 scsi_debug disks" by_host $scsi_debug "$1"
}

up_many()
{
	stamped_mib=4
	with_stores 64
	stamp_all
}

down_many()
{
	local hosts

	[ -e $scsi_debug/add_host ] || return 0
	hosts=$(cat $scsi_debug/add_host)
	[ "$hosts" -eq 0 ] || put "-$hosts" $scsi_debug/add_host
	put 0 $scsi_debug/per_host_store
}

up_qla()
{
	local first

	[ -e $isp24xx/do ] || die 1 "this kernel has no virtual adapter"
	with_stores 8
	first=$(compgen -G "$scsi_debug/adapter*/host*" | sed 's/.*host//' | sort -n | head -n 1)
	put "new $first 8 fabric" $isp24xx/do
	wait_for "eight disks behind qla2xxx" by_port 8
	stamp_all
}

down_qla()
{
	! grep -qs . $isp24xx/state || put remove $isp24xx/do
	wait_for "the disks behind qla2xxx to go" by_port 0
	down_many
}

# ended PID: nothing but its status is left of it
ended()
{
	local state

	! { read -r _ _ state _ <"/proc/$1/stat"; } 2>/dev/null || [ "$state" = Z ]
}

# model_said PID: it has printed eight names, or it has ended
model_said()
{
	[ "$(wc -l <$run/disks)" -eq 8 ] || ended "$1"
}

up_model()
{
	: >$run/disks
	"$bin/model_disk" fc n=8 size=64m >$run/disks 2>$run/said &
	echo $! >$run/pid
	wait_for "eight modelled disks" model_said $!
	mapfile -t disks <$run/disks
	[ ${#disks[@]} -eq 8 ] || die 1 "no modelled disks: $(tail -n 1 $run/said)"
	stamp_all
}

down_model()
{
	local pid

	[ -s $run/pid ] || return 0
	read -r pid <$run/pid
	kill "$pid" 2>/dev/null || :
	wait_for "the modelled disks to go" ended "$pid"
}

# --- Joining -----------------------------------------------------------------------------------

# measure: sets $each, the sectors of a disk that are joined: whole chunks of the smallest
measure()
{
	local disk size

	each=0
	for disk in "${disks[@]}"; do
		read -r size <"/sys/class/block/${disk##*/}/size"
		if [ "$each" -eq 0 ] || [ "$size" -lt "$each" ]; then
			each=$size
		fi
	done
	each=$((each / (chunk / 512) * (chunk / 512)))
}

join_md()
{
	local md=/sys/block/md127/md n disk dev

	put md127 /sys/module/md_mod/parameters/new_array
	wait_for "md127" test -d $md
	put none $md/metadata_version
	put raid0 $md/level
	put $chunk $md/chunk_size
	put ${#disks[@]} $md/raid_disks
	for n in "${!disks[@]}"; do
		disk=${disks[n]##*/}
		read -r dev <"/sys/class/block/$disk/dev"
		put "$dev" $md/new_dev
		put "$n" "$md/dev-$disk/slot"
		put $((each / 2)) "$md/dev-$disk/size"
	done
	put active $md/array_state
	joined=/dev/md127
	wait_for $joined test -b $joined
}

dm()
{
	dmsetup "$@" --noudevrules --noudevsync
}

join_dm()
{
	local table disk

	table="0 $((each * ${#disks[@]})) striped ${#disks[@]} $((chunk / 512))"
	for disk in "${disks[@]}"; do
		table="$table $disk 0"
	done
	dm create array --table "$table" || die 1 "the disks cannot be joined by device-mapper"
	joined=/dev/$(dmsetup info -c --noheadings -o blkdevname array)
	wait_for "$joined" test -b "$joined"
}

separate()
{
	if [ -d /sys/block/md127/md ]; then
		put clear /sys/block/md127/md/array_state
		wait_for "md127 to go" test ! -e /sys/block/md127
	fi
	if dmsetup info array >/dev/null 2>&1; then
		dm remove array
	fi
}

# --- Checking ----------------------------------------------------------------------------------

# Every stamp, read from all disks at once
check_stamps()
{
	local mib=$((each / 2048))

	[ "$mib" -le $stamped_mib ] || mib=$stamped_mib
	"$bin/disk_read" blocks="$mib" bs=1m direct verify "${disks[@]}" >&2 ||
		die 1 "$name: the disks do not hold their stamps"
}

down()
{
	separate
	"down_$name"
	mountpoint -q $run || rm -rf $run	# another array's is not touched
}

up()
{
	mkdir $run 2>/dev/null || die 1 "an array is up: take it down first"
	"up_$name"
	measure
	check_stamps
	if [ -z "$1" ]; then
		printf '%s\n' "${disks[@]}"
	else
		"join_$1"
		echo "$joined"
	fi
}

usage()
{
	die 2 "usage: array.sh up fc|many|qla|model [md|dm] | down NAME"
}

name=${2-}
[ $# -le 3 ] || usage
case $name in
fc|many|qla|model)	;;
*)	usage ;;
esac
case ${1-}:${3-} in
up:|up:md|up:dm)	up "${3-}" ;;
down:)	down ;;
*)	usage ;;
esac
