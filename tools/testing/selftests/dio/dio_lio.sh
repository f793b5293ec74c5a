#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# LUNs of the kernel's own target (LIO), each a file in memory, which this machine sees as a SCSI disk
# by one path or two (tcm_loop). A test sources this after dio_common.sh:
#
#	lio_lun N BYTES [ATTRIBUTE=VALUE]...	LUN number N (0 to 9), with no path yet: LIO_DIR.
#						LIO_FILE keeps it: a file that is made, or a disk or
#						raw device that is named so, which gets asynchronous
#						direct I/O
#	lio_path N 0|1				give it a path; LIO_DISK becomes the disk's node, which
#						merges no requests: one that fails takes none with it
#	lio_transport N 0|1 offline|online	whether that path works
#	lio_remove N				take it away
#	lio_end					all of them, as is done at the end of the test
#
# Each fails with the reason in DIO_WHY, lio_lun by 4 if this kernel has no LIO.

# shellcheck disable=SC2034 # these are for the tests
LIO_DISK=""
LIO_FILE=""
LIO_DIR=""

_lio=/sys/kernel/config/target
_lio_core=$_lio/core/fileio_99

_lio_try()
{
	"$@" 2>/dev/null && return
	DIO_WHY="LIO of this kernel fails: $*"
	return 1
}

# The directory of port 0 or 1 of LUN N
_lio_port()
{
	echo "$_lio/loopback/naa.6001405d1000000$1/tpgt_$2"
}

_lio_start()
{
	! mountpoint -q "$DIO_TMP/lio" || return 0
	dio_configfs
	modprobe -q -a target_core_mod target_core_file tcm_loop 2>/dev/null
	_lio_try [ -d "$_lio/core" ] || return 4
	mkdir -p "$DIO_TMP/lio" &&
		_lio_try mount -t tmpfs -o size=80% none "$DIO_TMP/lio" && dio_on_exit lio_end
}

lio_end()
{
	for _lio_n in 0 1 2 3 4 5 6 7 8 9; do
		lio_remove $_lio_n
	done
	! mountpoint -q "$DIO_TMP/lio" || umount "$DIO_TMP/lio"
	[ ! -d "$_lio_core" ] || rmdir "$_lio_core"
}

lio_lun()
{
	_lio_start || return
	LIO_DIR=$_lio_core/dio$1
	_lio_async=fd_async_io=1
	if [ ! -c "$LIO_FILE" ] && [ ! -b "$LIO_FILE" ]; then
		LIO_FILE=$DIO_TMP/lio/dio$1 _lio_async=""
		_lio_try truncate -s "$2" "$LIO_FILE" || return
	fi
	_lio_try mkdir -p "$LIO_DIR" && _lio_try _dio_put \
		"fd_dev_name=$LIO_FILE,fd_dev_size=$2,$_lio_async" "$LIO_DIR/control" &&
		_lio_try _dio_put 1 "$LIO_DIR/enable" &&
		_lio_try _dio_put "d1000000$1" "$LIO_DIR/wwn/vpd_unit_serial" || return
	shift 2
	for _lio_word in "$@"; do
		_lio_try _dio_put "${_lio_word#*=}" "$LIO_DIR/attrib/${_lio_word%%=*}" || return
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
	_lio_try mkdir -p "$_lio/loopback" && _lio_try mkdir -p "$_lio_tpg" &&
		_lio_try _dio_put "naa.6001405d20000$1$2" "$_lio_tpg/nexus" &&
		_lio_try mkdir "$_lio_tpg/lun/lun_0" &&
		_lio_try ln -s "$_lio_core/dio$1" "$_lio_tpg/lun/lun_0/disk" &&
		_lio_try dio_wait 30 _lio_arrived "$(cat "$_lio_tpg/address")" &&
		_lio_try _dio_put 2 "/sys/block/${LIO_DISK##*/}/queue/nomerges"
}

lio_transport()
{
	_lio_try _dio_put "$3" "$(_lio_port "$1" "$2")/transport_status"
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
	[ -d "$_lio_core/dio$1" ] || return 0
	rmdir "$_lio_core/dio$1" && rm -f "$DIO_TMP/lio/dio$1" "$DIO_TMP/lio/dio$1.protection"
}
