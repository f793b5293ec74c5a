#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Arrays of md without mdadm: their superblocks are written here, and sysfs assembles them. A test
# sources this after dio_common.sh.
#
#	dio_md LEVEL DISK...	/dev/md125 becomes a clean array of LEVEL, raid0, raid1 or raid10;
#				LEVEL-bitmap has a bitmap. It has as much of each disk, at most
#				64, as the first has from 4 MiB on. Fails with the reason in
#				DIO_WHY if this kernel cannot have it, and with none if it
#				should.
#	dio_md_remove		removes it, if it is still there

# shellcheck disable=SC2034 # for the test
_md_sysfs=/sys/block/md125/md
_md_uuid=0x6f6964

# _md_put DISK SECTOR WORD...: little-endian words of 32 bits, and zeros to the end of 4 KiB
_md_put()
{
	_md_to="of=$1 seek=$(($2 / 8))" _md_bytes=""
	shift 2
	for _md_w in "$@"; do
		_md_bytes="$_md_bytes $((_md_w & 255)) $((_md_w >> 8 & 255))"
		_md_bytes="$_md_bytes $((_md_w >> 16 & 255)) $((_md_w >> 24 & 255))"
	done
	# shellcheck disable=SC2046,SC2059,SC2086 # escapes, of a list
	{ printf "$(printf '\\%03o' $_md_bytes)" && head -c 4096 /dev/zero; } | head -c 4096 |
		dd $_md_to bs=4096 iflag=fullblock oflag=direct conv=notrunc status=none
}

# _md_super DISK N LEVEL CHUNK DISKS: struct mdp_superblock_1 of version 1.2 at sector 8, that of a
# bitmap of version 4 at sector 16: it has a bit for 64 MiB, which is written back after 5 s.
_md_super()
{
	_md_head="0xa92b4efc 1 $_md_map 0 $_md_uuid 0 0 0 0 0 0 0 0 0 0 0 0 0 $3 $_md_layout
		$_md_sectors 0 $4 $5 8 0 0 0 0 0 0 0 8192 0 $_md_sectors 0 8 0 0 0
		$2 0 $(($2 + 1)) 0 0 0 0 0 0 0 1 0 0xffffffff 0xffffffff"
	_md_tail="64 0 0 0 0 0 0 0 0 $(seq -f '%.0f' 65536 131074 4194303)"	# roles 0 to 63
	# shellcheck disable=SC2046,SC2086 # lists
	_md_sum=$(($(printf '%s+' $_md_head $_md_tail)0))
	# shellcheck disable=SC2086 # lists
	_md_put "$1" 8 $_md_head $(((_md_sum & 0xffffffff) + (_md_sum >> 32))) $_md_tail &&
		_md_put "$1" 16 0x6d746962 4 $_md_uuid 0 0 0 1 0 1 0 "$_md_sectors" 0 0 0x4000000 5
}

# _md_assemble LEVEL DISK...
_md_assemble()
{
	_md_map=0 _md_layout=0 _md_chunk=128 _md_n=0
	[ "$1" = "${1%-bitmap}" ] || _md_map=1
	case $1 in
	raid1|raid1-*)	_md_chunk=0 ;;
	raid10*)	_md_layout=258 ;;	# two copies, near each other
	esac
	_md_level=${1#raid}
	shift
	_md_sectors=$((($(dio_sys "$1" size) - 8192) & ~255))
	for _md_d in "$@"; do
		_md_super "$_md_d" $_md_n "${_md_level%-*}" $_md_chunk $# || return
		_md_n=$((_md_n + 1))
	done
	_dio_put md125 /sys/module/md_mod/parameters/new_array && dio_wait 10 [ -d $_md_sysfs ] &&
		_dio_put 1.2 $_md_sysfs/metadata_version || return
	for _md_d in "$@"; do
		_dio_put "$(dio_sys "$_md_d" dev)" $_md_sysfs/new_dev || return
	done
	_dio_put active $_md_sysfs/array_state && dio_wait 10 [ -b /dev/md125 ]
}

dio_md()
{
	[ -e /sys/module/md_mod ] || modprobe -q md_mod 2>/dev/null
	modprobe -q "${1%-bitmap}" 2>/dev/null
	DIO_WHY="no md in this kernel (CONFIG_BLK_DEV_MD)"
	[ -e /sys/module/md_mod ] || return
	DIO_WHY="md125 is somebody else's"
	[ ! -e /sys/block/md125 ] || return
	dio_on_exit dio_md_remove
	_md_assemble "$@" && return
	DIO_WHY="md of this kernel has no ${1%-bitmap}"
	! grep -q "\[${1%-bitmap}\]" /proc/mdstat || DIO_WHY=""
	return 1
}

dio_md_remove()
{
	[ ! -d $_md_sysfs ] || _dio_put clear $_md_sysfs/array_state &&
		dio_wait 10 [ ! -e /sys/block/md125 ]
}
