#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Arrays of md without mdadm: their superblocks are written here, and sysfs assembles them. A test
# sources this after dio_common.sh.
#
#	dio_md LEVEL DISK...	/dev/md125 becomes a clean array of LEVEL, raid0, raid1 or raid10;
#				LEVEL-bitmap has a bitmap. It has 48 MiB of each disk, at most
#				four, from 4 MiB on. Fails with the reason in DIO_WHY if this
#				kernel cannot have it, and with none if it should.
#	dio_md_remove		removes it, if it is still there

# shellcheck disable=SC2034 # for the test
_md_sysfs=/sys/block/md125/md
_md_sectors=98304
_md_uuid=0x6f6964

# _md_words WORD...: sets _md_bytes to little-endian words of 32 bits, for printf, and _md_sum to
# their sum
_md_words()
{
	_md_bytes="" _md_sum=0
	for _md_w in "$@"; do
		_md_sum=$((_md_sum + _md_w))
		for _md_b in $((_md_w)) $((_md_w >> 8)) $((_md_w >> 16)) $((_md_w >> 24)); do
			_md_bytes="$_md_bytes\\$((_md_b >> 6 & 3))$((_md_b >> 3 & 7))$((_md_b & 7))"
		done
	done
}

# _md_put DISK SECTOR: what _md_words has left, and zeros to the end of 4 KiB
_md_put()
{
	# shellcheck disable=SC2059 # they are escapes
	{ printf "$_md_bytes" && head -c 4096 /dev/zero; } | head -c 4096 |
		dd of="$1" bs=4096 seek=$(($2 / 8)) iflag=fullblock oflag=direct conv=notrunc \
			status=none
}

# struct mdp_superblock_1 of version 1.2 at sector 8, that of a bitmap of version 4 at sector 16: it
# has a bit for 64 MiB, which is written back after 5 s.
_md_super()
{
	_md_csum=0
	for _md_round in 1 2; do
		_md_words 0xa92b4efc 1 "$_md_map" 0 $_md_uuid 0 0 0 0 0 0 0 0 0 0 0 0 0 \
			"${_md_level#raid}" "$_md_layout" $_md_sectors 0 "$_md_chunk" \
			"$_md_disks" 8 0 0 0 0 0 0 0 8192 0 $_md_sectors 0 8 0 0 0 \
			"$_md_n" 0 $((_md_n + 1)) 0 0 0 0 0 0 0 1 0 0xffffffff 0xffffffff \
			$_md_csum 4 0 0 0 0 0 0 0 0 0x10000 0x30002	# roles 0 to 3
		_md_csum=$(((_md_sum & 0xffffffff) + (_md_sum >> 32)))
	done
	_md_put "$1" 8 &&
		_md_words 0x6d746962 4 $_md_uuid 0 0 0 1 0 1 0 $_md_sectors 0 0 0x4000000 5 &&
		_md_put "$1" 16
}

_md_assemble()
{
	_dio_put md125 /sys/module/md_mod/parameters/new_array && dio_wait 10 [ -d $_md_sysfs ] &&
		_dio_put 1.2 $_md_sysfs/metadata_version || return
	for _md_d in "$@"; do
		_dio_put "$(dio_sys "$_md_d" dev)" $_md_sysfs/new_dev || return
	done
	_dio_put active $_md_sysfs/array_state 2>/dev/null && dio_wait 10 [ -b /dev/md125 ]
}

dio_md()
{
	_md_level=${1%-bitmap} _md_map=0 _md_layout=0 _md_chunk=128 _md_n=0
	case $1 in
	*-bitmap)	_md_map=1 ;;
	esac
	case $_md_level in
	raid1)		_md_chunk=0 ;;
	raid10)		_md_layout=258 ;;	# two copies, near each other
	esac
	shift
	[ -e /sys/module/md_mod ] || modprobe -q md_mod 2>/dev/null
	modprobe -q "$_md_level" 2>/dev/null
	DIO_WHY="no md in this kernel (CONFIG_BLK_DEV_MD)"
	[ -e /sys/module/md_mod ] || return
	DIO_WHY="md125 is somebody else's"
	[ ! -e /sys/block/md125 ] || return
	_md_disks=$#
	for _md_d in "$@"; do
		_md_super "$_md_d" || return
		_md_n=$((_md_n + 1))
	done
	dio_on_exit dio_md_remove
	_md_assemble "$@" && return
	DIO_WHY="md of this kernel has no $_md_level"
	! grep -q "\[$_md_level\]" /proc/mdstat || DIO_WHY=""
	return 1
}

dio_md_remove()
{
	[ ! -d $_md_sysfs ] || _dio_put clear $_md_sysfs/array_state &&
		dio_wait 10 [ ! -e /sys/block/md125 ]
}
