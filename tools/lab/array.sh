#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Brings an array of disks up in the guest, checks it, and takes it away.
#
#	array.sh up NAME [md|dm]	print its disks, or the one disk that joins them, one a line
#	array.sh down NAME		leave nothing behind, however far up got
#
# Documentation/dio/arrays.rst tells what each NAME is: fc, many, qla or model.
#
# Every disk is stamped over its first MiB, and all are read back through the HBA.
# Joined, disks take turns every 128 KiB: md RAID0 from 4 MiB on, or a dm stripe. A disk that
# joins others is theirs to write, so its stamps end there.
#
# Nothing is waited for longer than 120 seconds, which is for a busy host: an idle one takes 3.
# Exit: 0 up (or down), 2 usage, else a step failed (one line on stderr says which): down takes away
# what there is.

dio=$(dirname "$0")/../testing/selftests/dio
# shellcheck source=../testing/selftests/dio/dio_common.sh
. "$dio/dio_common.sh"
# shellcheck source=../testing/selftests/dio/dio_lio.sh
. "$dio/dio_lio.sh"
# shellcheck source=../testing/selftests/dio/dio_md.sh
. "$dio/dio_md.sh"

bin=${O:-$PWD}/kselftest
stamped_mib=1

# The initiator's and the target's port; the name of a port is 20:00 and the MAC address.
initiator=02:00:00:00:fc:01
target=02:00:00:00:fc:02
fc=/sys/kernel/config/target/fc
scsi_debug=/sys/bus/pseudo/drivers/scsi_debug
isp24xx=/sys/kernel/debug/isp24xx
DIO_TMP=/run/array	# is there while an array is up

die()
{
	echo "array: $*" >&2
	exit 1
}

# must CMD...: a step that may fail; CMD has said why, this says what
must()
{
	"$@" || die "failed: $*"
}

put()
{
	_dio_put "$1" "$2" || die "$2 does not take '$1'"
}

wait_for()
{
	dio_wait 120 "$@" || die "waited 120 s for $*"
}

# What cannot be had is not skipped here.
dio_skip_all()
{
	die "$@"
}

# behind_hbas N: sets disks to the N disks of Fibre Channel HBAs
behind_hbas()
{
	disks=""
	for _disk in /sys/class/fc_host/host*/device/rport-*/target*/*/block/*; do
		! dio_opens "/dev/${_disk##*/}" || disks="$disks /dev/${_disk##*/}"
	done
	[ "$(echo "$disks" | wc -w)" -eq "$1" ]
}

# --- The arrays --------------------------------------------------------------------------------

# FCoE, mode VN2VN, with LIO's tcm_fc. The order matters: first the cards and their controllers,
# then the target and its LUNs, then both are enabled. A remote port that comes up to a target
# without a LUN is never asked again.
up_fc()
{
	[ -d /sys/bus/fcoe ] || die "this kernel has no FCoE"
	must ip link add fcini address $initiator mtu 2500 type veth \
		peer name fctgt address $target mtu 2500
	for port in fcini fctgt; do
		must ip link set $port up
		put $port /sys/bus/fcoe/ctlr_create
	done
	for ctlr in /sys/bus/fcoe/devices/ctlr_*; do
		put VN2VN "$ctlr/mode"
	done
	tpg=$fc/20:00:$target/tpgt_1
	acl=$tpg/acls/20:00:$initiator
	dio_configfs
	must mkdir -p $fc
	must mkdir -p "$acl"
	for n in 0 1 2 3 4 5 6 7; do
		# Else it names 8 MiB, and readahead reads twice that.
		lio_lun $n $((1 << 30)) optimal_sectors=0 || die "$DIO_WHY"
		must mkdir "$tpg/lun/lun_$n"
		must ln -s "$LIO_DIR" "$tpg/lun/lun_$n/disk"
		must mkdir "$acl/lun_$n"
		must ln -s "$tpg/lun/lun_$n" "$acl/lun_$n/disk"
		put 0 "$acl/lun_$n/write_protect"
	done
	for ctlr in /sys/bus/fcoe/devices/ctlr_*; do
		put 1 "$ctlr/enabled"
	done
	wait_for behind_hbas 8
}

# Both ports go before the target does, so that no command is under way then. ctlr_destroy only asks
# for it, and refuses a port that has no controller yet.
down_fc()
{
	for port in fcini fctgt; do
		[ ! -d /sys/class/net/$port ] || _dio_put $port /sys/bus/fcoe/ctlr_destroy
	done
	wait_for eval '! ls -d /sys/bus/fcoe/devices/ctlr_* >/dev/null 2>&1'
	tpg=$fc/20:00:$target/tpgt_1
	rm -f "$tpg"/acls/*/lun_*/disk "$tpg"/lun/lun_*/disk
	for dir in "$tpg"/acls/*/lun_* "$tpg"/acls/* "$tpg"/lun/lun_* "$tpg" "${tpg%/*}" $fc; do
		[ ! -d "$dir" ] || rmdir "$dir"
	done
	lio_end
	[ ! -d /sys/class/net/fcini ] || ip link del fcini
}

up_many()
{
	dio_sd_make 64
	disks=$_dio_new
}

down_many()
{
	hosts=$(cat $scsi_debug/add_host 2>/dev/null)
	[ "${hosts:-0}" -eq 0 ] || put "-$hosts" $scsi_debug/add_host
	[ ! -d $scsi_debug ] || put 0 $scsi_debug/per_host_store
}

up_qla()
{
	[ -e $isp24xx/do ] || die "this kernel has no virtual adapter"
	dio_sd_make 8
	first=$(echo $scsi_debug/adapter*/host* | tr ' ' '\n' | sed 's/.*host//' | sort -n | sed q)
	put "new $first 8 fabric" $isp24xx/do
	wait_for behind_hbas 8
}

down_qla()
{
	! grep -qs . $isp24xx/state || put remove $isp24xx/do
	wait_for behind_hbas 0
	down_many
}

# ended PID: nothing but its status is left of it
ended()
{
	! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

# model_said PID: it has printed eight names, or it has ended
model_said()
{
	[ "$(wc -l <$DIO_TMP/disks)" -eq 8 ] || ended "$1"
}

up_model()
{
	: >$DIO_TMP/disks
	"$bin/model_disk" fc n=8 size=64m >$DIO_TMP/disks 2>$DIO_TMP/said &
	echo $! >$DIO_TMP/pid
	wait_for model_said $!
	disks=$(cat $DIO_TMP/disks)
	[ "$(echo "$disks" | wc -w)" -eq 8 ] || die "no modelled disks: $(tail -n 1 $DIO_TMP/said)"
}

down_model()
{
	[ -s $DIO_TMP/pid ] || return 0
	read -r pid <$DIO_TMP/pid
	kill "$pid" 2>/dev/null
	wait_for ended "$pid"
}

# --- All of them -------------------------------------------------------------------------------

check_stamps()
{
	n=0
	for disk in $disks; do
		must "$bin/disk_stamp" disk=$n size=${stamped_mib}m write-device "$disk"
		n=$((n + 1))
	done
	# shellcheck disable=SC2086 # a list
	"$bin/disk_read" blocks=$stamped_mib bs=1m direct verify $disks >&2 ||
		die "$name: the disks do not hold their stamps"
}

join_md()
{
	dio_md raid0 "$@" || die "the disks cannot be joined by md. $DIO_WHY"
	echo /dev/md125
}

join_dm()
{
	each=$(($(dio_sys "$1" size) / 256 * 256))
	dio_dm array "0 $((each * $#)) striped $# 256$(printf ' %s 0' "$@")" ||
		die "the disks cannot be joined: $DIO_WHY"
	echo "$DIO_DM"
}

up()
{
	mkdir $DIO_TMP 2>/dev/null || die "an array is up: take it down first"
	"up_$name"
	check_stamps
	# shellcheck disable=SC2086 # a list
	case $1 in
	"")	printf '%s\n' $disks ;;
	*)	"join_$1" $disks ;;
	esac
}

down()
{
	must dio_dm_remove array
	must dio_md_remove
	"down_$name"
	mountpoint -q $DIO_TMP/lio || rm -rf $DIO_TMP	# another array's is not touched
}

usage()
{
	echo "array: usage: array.sh up fc|many|qla|model [md|dm] | down NAME" >&2
	exit 2
}

name=${2-}
case $name in
fc|many|qla|model)	;;
*)	usage ;;
esac
case $#:$1:${3-} in
2:up:|3:up:md|3:up:dm)	up "${3-}" ;;
2:down:)	down ;;
*)	usage ;;
esac
