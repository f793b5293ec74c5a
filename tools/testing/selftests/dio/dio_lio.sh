#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# LUNs of the kernel's own target (LIO), each a file in memory, which this machine sees as a SCSI disk
# by one path or two (tcm_loop). A test sources this after dio_common.sh:
#
#	lio_lun N BYTES [ATTRIBUTE=VALUE]...	LUN number N, with no path yet. LIO_FILE keeps it: a
#						file that is made, or a raw device that is named so,
#						which gets asynchronous direct I/O
#	lio_path N 0|1				give it a path; LIO_DISK becomes the disk's node, which
#						merges no requests: one that fails takes none with it
#	lio_transport N 0|1 offline|online	whether that path works
#	lio_remove N				take it away
#
# Each fails with the reason in DIO_WHY. What is left at the end of the test is taken away.

# shellcheck disable=SC2034 # these are for the tests
LIO_DISK=""
LIO_FILE=""

_lio=/sys/kernel/config/target
_lio_core=$_lio/core/fileio_99
_lio_store=""

# _lio_try WHY CMD...
_lio_try()
{
	_lio_why=$1
	shift
	"$@" 2>/dev/null && return
	DIO_WHY=$_lio_why
	return 1
}

# _lio_put VALUE FILE
_lio_put()
{
	_lio_try "LIO does not take $1 for ${2##*/}" _dio_put "$1" "$2"
}

# The directories of port 0 or 1 of LUN N
_lio_port()
{
	echo "$_lio/loopback/naa.6001405d1000000$1/tpgt_$2"
}

_lio_start()
{
	[ -z "$_lio_store" ] || return 0
	[ -d /sys/kernel/config ] || modprobe -q configfs 2>/dev/null || :
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config 2>/dev/null || :
	for _lio_m in target_core_mod target_core_file tcm_loop; do
		[ -d "/sys/module/$_lio_m" ] || modprobe -q $_lio_m 2>/dev/null || :
	done
	_lio_try "no LIO in this kernel" [ -d "$_lio/core" ] &&
		_lio_try "no tcm_loop in this kernel" mkdir -p "$_lio/loopback" &&
		mkdir "$DIO_TMP/lio" &&
		_lio_try "no tmpfs for LUNs" mount -t tmpfs -o size=80% none "$DIO_TMP/lio" || return
	_lio_store=$DIO_TMP/lio
	dio_on_exit _lio_end
}

_lio_end()
{
	for _lio_n in 1 2 3 4 5 6 7 8 9; do
		lio_remove $_lio_n
	done
	umount "$_lio_store"
}

lio_lun()
{
	_lio_start || return
	_lio_dev=$_lio_core/dio$1
	_lio_async=fd_async_io=1
	if [ ! -c "$LIO_FILE" ]; then
		LIO_FILE=$_lio_store/dio$1 _lio_async=""
		_lio_try "no file of $2 bytes in a tmpfs" truncate -s "$2" "$LIO_FILE" || return
	fi
	_lio_try "LIO makes no LUN of a file" mkdir -p "$_lio_dev" &&
		_lio_put "fd_dev_name=$LIO_FILE,fd_dev_size=$2,$_lio_async" "$_lio_dev/control" &&
		_lio_put 1 "$_lio_dev/enable" &&
		_lio_put "d1000000$1" "$_lio_dev/wwn/vpd_unit_serial" || return
	_lio_n=$1
	shift 2
	for _lio_word in "$@"; do
		_lio_put "${_lio_word#*=}" "$_lio_core/dio$_lio_n/attrib/${_lio_word%%=*}" || return
	done
}

# Sets LIO_DISK; succeeds when it has its node.
_lio_arrived()
{
	for _lio_d in /sys/class/scsi_device/"$1":0/device/block/*; do
		LIO_DISK=/dev/${_lio_d##*/}
		! dio_opens "$LIO_DISK" || return 0
	done
	return 1
}

lio_path()
{
	_lio_tpg=$(_lio_port "$1" "$2")
	_lio_try "tcm_loop makes no port" mkdir -p "$_lio_tpg" &&
		_lio_put "naa.6001405d20000$1$2" "$_lio_tpg/nexus" &&
		_lio_try "LIO makes no LUN" mkdir "$_lio_tpg/lun/lun_0" &&
		_lio_try "LIO exports no LUN" ln -s "$_lio_core/dio$1" "$_lio_tpg/lun/lun_0/disk" ||
		return
	_lio_address=$(cat "$_lio_tpg/address")
	_lio_try "no disk came of a path" dio_wait 30 _lio_arrived "$_lio_address" &&
		_lio_put 2 "/sys/block/${LIO_DISK##*/}/queue/nomerges"
}

lio_transport()
{
	_lio_put "$3" "$(_lio_port "$1" "$2")/transport_status"
}

lio_remove()
{
	for _lio_tpg in "$(_lio_port "$1" 0)" "$(_lio_port "$1" 1)"; do
		[ -d "$_lio_tpg" ] || continue
		_dio_put online "$_lio_tpg/transport_status"
		rm -f "$_lio_tpg/lun/lun_0/disk"
		rmdir "$_lio_tpg/lun/lun_0" "$_lio_tpg"
	done
	[ ! -d "${_lio_tpg%/*}" ] || rmdir "${_lio_tpg%/*}"
	_lio_dev=$_lio_core/dio$1
	[ -d "$_lio_dev" ] || return 0
	rmdir "$_lio_dev" && rm -f "$_lio_store/dio$1" "$_lio_store/dio$1.protection"
}
