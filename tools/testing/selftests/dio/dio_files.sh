#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# File systems to test direct I/O on: all of 6.1 to 7.3 that map blocks with get_block and can be made
# on Debian, some of which left that for iomap, and ext4 and xfs, which have had iomap all along.
# ocfs2 is mounted by one machine here. Left out: hfs, hfsplus, affs (nothing makes them).
#
# A test sources this after dio_common.sh, and works through the lines of dio_systems:
#
#	NAME:MAKER[:LESS]
#
# NAME is the type, maybe with a dash and more; MAKER a command line that wants the disk behind it;
# and the test does LESS times fewer operations: nilfs2 is a log, which fills up.

# shellcheck disable=SC2034 # for the tests
dio_systems="ext2-1k:mke2fs -q -F -t ext2 -b 1024
ext2-4k:mke2fs -q -F -t ext2 -b 4096
jfs:mkfs.jfs -q
vfat:mkfs.vfat
exfat:mkfs.exfat
udf:mkudffs --media-type=hd
reiserfs:mkfs.reiserfs -q -f
nilfs2:mkfs.nilfs2 -q -B 64:4
ocfs2:mkfs.ocfs2 -q -M local -b 4K -C 4K -N 1 -J size=4M
ntfs3:mkfs.ntfs -q -F -Q
ext4:mke2fs -q -F -t ext4
xfs:mkfs.xfs -q -f --unsupported"

# dio_fs_lacks NAME MAKER: succeeds if this machine cannot have it, and says why.
dio_fs_lacks()
{
	if ! grep -qw "${1%%-*}" /proc/filesystems && ! modprobe -q "${1%%-*}" 2>/dev/null; then
		echo "this kernel has no ${1%%-*}"
	elif ! command -v "${2%% *}" >/dev/null; then
		echo "program ${2%% *} is missing"
	elif [ "$1" = nilfs2 ] && ! [ -e /etc/mtab ]; then
		echo "mkfs.nilfs2 wants an /etc/mtab"
	else
		return 1
	fi
}

# dio_fs_make NAME MAKER DEV: a fresh file system on the disk that dio_get_part gave, or a part of
# it, which is 0xdb all over, so that a new block that shows what was there before is noticed
dio_fs_make()
{
	[ -e "$DIO_TMP/fill" ] || tr '\0' '\333' </dev/zero |
		head -c $((DIO_SECTORS * 512)) >"$DIO_TMP/fill" || return
	dd if="$DIO_TMP/fill" of="$3" bs=1M count=$(($(dio_sys "$3" size) / 2048)) \
		oflag=direct status=none || return
	# shellcheck disable=SC2086 # a command line
	$2 "$3" >"$DIO_TMP/made" 2>&1 || { cat "$DIO_TMP/made"; echo "$2 failed"; return 1; }
	# ntfs3 of 6.1.192 makes no files where the table of files must grow first. This lets it.
	[ "$1" != ntfs3 ] || ntfscp -q "$3" "$DIO_DIR/dio_files.sh" first
}

# dio_fs_mount NAME DEV DIR, with $DIO_OPTION if there is one. -i: without helpers, of which nilfs2's
# starts a daemon. reiserfs refuses direct reads of the ends of files that it keeps elsewhere (tails);
# later kernels want to be told that an ocfs2 of one machine has no heartbeat.
dio_fs_mount()
{
	_dio_type=${1%%-*}
	_dio_option=rw
	[ "$_dio_type" != reiserfs ] || _dio_option=notail
	[ "$_dio_type" != ocfs2 ] || _dio_option=heartbeat=none
	mount -i -t "$_dio_type" -o "$_dio_option${DIO_OPTION:+,$DIO_OPTION}" "$2" "$3"
}

# dio_fs_on NAME DEV CMD...: CMD while what was made last on DEV is mounted as $DIO_TMP/mnt
dio_fs_on()
{
	dio_fs_mount "$1" "$2" "$DIO_TMP/mnt" || return
	shift 2
	dio_then "umount $DIO_TMP/mnt" "$@"
}

# dio_fs_with NAME MAKER DEV CMD...: CMD while a fresh one is mounted as $DIO_TMP/mnt
dio_fs_with()
{
	dio_fs_make "$1" "$2" "$3" || return
	_dio_fs=$1 _dio_dev=$3
	shift 3
	dio_fs_on "$_dio_fs" "$_dio_dev" "$@"
}

# dio_fs_try WHY CASE NAME MAKER CMD...: dio_try, skipped if there is a WHY, or for what this machine
# lacks
dio_fs_try()
{
	_dio_why=$1 _dio_case=$2
	[ -n "$_dio_why" ] || _dio_why=$(dio_fs_lacks "$3" "$4") || _dio_why=""
	shift 4
	dio_unless "$_dio_why" "$_dio_case" "$@"
}

# dio_fs_each WHY SYSTEMS CASE CMD WORD...: dio_fs_try with CMD NAME MAKER WORD... for each line of
# SYSTEMS; % in CASE is its NAME
dio_fs_each()
{
	_dio_each_why=$1 _dio_each=$2 _dio_each_case=$3 _dio_cmd=$4
	shift 4
	while IFS=: read -r _dio_fs_name _dio_fs_maker _; do
		dio_fs_try "$_dio_each_why" "${_dio_each_case%\%*}$_dio_fs_name${_dio_each_case#*%}" \
			"$_dio_fs_name" "$_dio_fs_maker" \
			"$_dio_cmd" "$_dio_fs_name" "$_dio_fs_maker" "$@"
	done <<-LIST
	$_dio_each
	LIST
}

# dio_fs_model NAME MAKER DEV WORD...: dio_ops WORD... with three seeds, on a fresh file system; once
# mounted anew, it must hold what their models do. DIO_ENTER names a command that is given the mounted
# directory each time, and prints the one in it where the files are to be.
dio_fs_model()
{
	_dio_fs=$1 _dio_dev=$3 _dio_bad=0
	dio_fs_make "$1" "$2" "$3" && _dio_enter || return
	shift 3
	rm -f "$DIO_TMP"/copy*
	for _dio_seed in 1 2 3; do
		"$DIO_DIR/dio_ops" "$@" "seed=$_dio_seed" "$_dio_files/file$_dio_seed" \
			"$DIO_TMP/copy$_dio_seed" || _dio_bad=1
	done
	umount "$DIO_TMP/mnt" && _dio_enter || return
	for _dio_seed in 1 2 3; do
		cmp "$_dio_files/file$_dio_seed" "$DIO_TMP/copy$_dio_seed" || _dio_bad=1
	done
	umount "$DIO_TMP/mnt" && return $_dio_bad
}

_dio_enter()
{
	dio_fs_mount "$_dio_fs" "$_dio_dev" "$DIO_TMP/mnt" &&
		_dio_files=$("${DIO_ENTER:-echo}" "$DIO_TMP/mnt")
}
