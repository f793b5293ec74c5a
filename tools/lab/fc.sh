# shellcheck shell=bash disable=SC2154 # bin is of who sources it
# SPDX-License-Identifier: GPL-2.0
#
# Fibre Channel on network cards (FCoE, mode VN2VN: no switch), with the kernel's own target (LIO,
# tcm_fc), whose disks are sparse files in memory. To be sourced by who has die, must and put
# (array.sh), and $bin with disk_stamp. The name of a port is 20:00 and its card's MAC address.
#
# The order matters: first fc_start and fc_card of each card, then fc_target and its fc_luns, then
# fc_enable. A remote port that comes up to a target without a LUN is never asked again.

config=/sys/kernel/config/target
store=/run/array

fc_start()
{
	[ -d /sys/bus/fcoe ] || die 1 "this kernel has no FCoE"
	mountpoint -q /sys/kernel/config || must mount -t configfs none /sys/kernel/config
	mkdir -p "$store" "$config/core/fileio_0" "$config/fc" ||
		die 1 "this kernel has no FC target"
	must mount -t tmpfs -o size=80% none "$store"
}

# fc_card CARD: up, with a controller that is not enabled yet
fc_card()
{
	must ip link set "$1" mtu 2500 up
	put "$1" /sys/bus/fcoe/ctlr_create
	put VN2VN "$(controller "$1")/mode"
}

fc_enable()
{
	put 1 "$(controller "$1")/enabled"
}

# fc_target MAC INITIATOR...: a target on the card MAC, for cards with those addresses
fc_target()
{
	local initiator

	fc_tpg=$config/fc/20:00:$1/tpgt_1
	shift
	must mkdir -p "$fc_tpg"
	for initiator in "$@"; do
		must mkdir "$fc_tpg/acls/20:00:$initiator"
	done
}

# fc_lun N BYTES STAMPED: LUN N of that target, with a file whose first bytes are stamped
fc_lun()
{
	local dir=$config/core/fileio_0/fc$1 acl

	"$bin/disk_stamp" disk="$1" size="$3" "$store/fc$1" || die 1 "fc$1 cannot be stamped"
	must truncate -s "$2" "$store/fc$1"
	must mkdir "$dir"
	put "fd_dev_name=$store/fc$1,fd_dev_size=$2" "$dir/control"
	put 1 "$dir/enable"
	put "fc$1" "$dir/wwn/vpd_unit_serial"
	# Else it names 8 MiB, and readahead reads twice that.
	put 0 "$dir/attrib/optimal_sectors"
	must mkdir "$fc_tpg/lun/lun_$1"
	must ln -s "$dir" "$fc_tpg/lun/lun_$1/disk"
	for acl in "$fc_tpg"/acls/*; do
		must mkdir "$acl/lun_$1"
		must ln -s "$fc_tpg/lun/lun_$1" "$acl/lun_$1/disk"
		put 0 "$acl/lun_$1/write_protect"
	done
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
