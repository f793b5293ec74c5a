#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Kinds of direct I/O beside the plain one, on ext4, xfs and the disk: polled, in small pieces of
# memory, write-through (O_DSYNC by FUA), whole or not at all (RWF_ATOMIC), on disks with protection
# information, on encrypted files, of blocks that files share.
#
# Who is hurt by a broken one: a program that polls waits for ever; a data base pays a flush of the
# array's cache for each commit, or does without it where it must not; pages that change under way
# fail their checksums; what should be encrypted is not read back; a copy changes with what it was
# made of. dio_ops has the others. DIO_OPS scales the number of operations.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_files.sh"
. "$(dirname "$0")/dio_lio.sh"

ops=${DIO_OPS:-200}
mib=$((1 << 20))

# on_each SYSTEMS CASE CMD WORD...: dio_fs_each for those that are named so, unless $lacking says
# why not
on_each()
{
	oe_systems=$(echo "$dio_systems" | grep -E "^($1):")
	shift
	dio_fs_each "$lacking" "$oe_systems" "$@"
	lacking=""
}

# flushed FILE LEAST MOST: how often, by eight writes that O_DSYNC says are safe; nothing else is
# left to be written
flushed()
{
	sync
	sync "$1" || return	# and what the inode waits for in the journal
	before=$(dio_stat "$DIO_DISK" 16)
	dd if=/dev/zero of="$1" bs=4k count=8 oflag=direct,dsync conv=notrunc status=none || return
	counted=$(($(dio_stat "$DIO_DISK" 16) - before))
	echo "$1: $counted flushes"
	[ "$counted" -ge "$2" ] && [ "$counted" -le "$3" ]
}

# Where all is allocated the disk writes through, and only a journal may flush it by the way; where
# not, each write does.
through()
{
	dd if=/dev/zero of="$DIO_TMP/mnt/over" bs=64k count=1 status=none &&
		truncate -s 64K "$DIO_TMP/mnt/hole" && flushed "$DIO_TMP/mnt/over" 0 3 &&
		flushed "$DIO_TMP/mnt/hole" 8 99
}

# whole [DISK]: there the kernel must make one request of each atomic write (U in the trace). Of a
# file the disk must be told at least of the shortest from each memory; longer ones xfs may have
# done in another way.
whole()
{
	dio_traced block/block_rq_issue "$DIO_DIR/dio_ops" atomic "${1-$DIO_TMP/mnt/file}" \
		>"$DIO_TMP/writes" || return
	told=$(grep -cE ' W[A-Z]*U ' "$dio_trace")
	echo "$told atomic requests of $(cat "$DIO_TMP/writes") writes"
	[ "$told" -ge 2 ] && { [ $# -eq 0 ] || [ "$told" -eq "$(cat "$DIO_TMP/writes")" ]; }
}

# encrypted DIR: the directory in it whose files are, with the key for this mount
encrypted()
{
	key=$(head -c 64 /dev/zero | tr '\0' k | xfs_io -c add_enckey "$1" |
		sed -n 's/.*identifier //p')
	[ -n "$key" ] || return
	[ -d "$1/crypt" ] || { mkdir "$1/crypt" && xfs_io -c "set_encpolicy $key" "$1/crypt"; } || return
	echo "$1/crypt"
}

encryption()
(
	DIO_OPTION=inlinecrypt DIO_ENTER=encrypted
	dio_fs_model ext4 "$2 -O encrypt" "$disk" unit=4096 "n=$ops"
)

# blocks_in_pieces BLOCK PIECE: on a disk that takes memory at such addresses; 300 operations meet
# blocks that were written, in more pieces than a small bio has room for.
blocks_in_pieces()
{
	lio_lun 1 $((64 * mib)) "block_size=$1" && lio_path 1 0 || lacking=$DIO_WHY
	[ -n "$lacking" ] ||
		[ "$(dio_sys "$LIO_DISK" queue/dma_alignment)" -lt "$2" ] ||
		lacking="the disk does not take pieces of $2 bytes"
	case $(uname -r) in
	6.*)	lacking="this kernel takes whole blocks in each piece" ;;
	esac
	on_each "ext4|xfs" "random operations on %, blocks of $1 in pieces of $2" dio_fs_model \
		"$LIO_DISK" "unit=$1" "piece=$2" "n=$((ops > 300 ? ops : 300))"
	lio_remove 1
}

one_file()
{
	head -c 64K /dev/urandom >"$DIO_TMP/before" &&
		dd if="$DIO_TMP/before" of="$DIO_TMP/mnt/one" bs=64k oflag=direct status=none && sync
}

# A write over a block that another file has, too, is that file's alone no more.
shared()
{
	one_file && cp --reflink=always "$DIO_TMP/mnt/one" "$DIO_TMP/mnt/two" && sync &&
		dd if=/dev/zero of="$DIO_TMP/mnt/one" bs=4k seek=1 count=1 oflag=direct \
			conv=notrunc status=none &&
		dd if="$DIO_TMP/mnt/two" of="$DIO_TMP/two" bs=64k iflag=direct status=none &&
		cmp "$DIO_TMP/before" "$DIO_TMP/two" &&
		cmp -i 4096:0 -n 4096 "$DIO_TMP/mnt/one" /dev/zero
}

# A write over a block fails if the disk does, and the file is as it was.
refused()
{
	one_file && dio_dm_table kinds "0 $DIO_SECTORS error" || return
	dio_ends 1 'Input/output error' dd if=/dev/zero of="$DIO_TMP/mnt/one" count=1 oflag=direct \
		bs="$(stat -c %o "$DIO_TMP/mnt/one")" conv=notrunc status=none
	refused_rc=$?
	dio_dm_table kinds "0 $DIO_SECTORS linear $DIO_DISK 0" && [ $refused_rc -eq 0 ] &&
		cmp "$DIO_TMP/before" "$DIO_TMP/mnt/one"
}

# protected NAME MAKER: each command that moves data brings or takes protection information.
protected()
{
	dio_traced scsi/scsi_dispatch_cmd_start dio_fs_model "$1" "$2" "$LIO_DISK" unit=512 "n=$ops" ||
		return
	address=$(basename "$(realpath "/sys/block/${LIO_DISK##*/}/device")" |
		sed 's/:/ channel=/; s/:/ id=/; s/:/ lun=/')
	commands=$(grep "host_no=$address .*_PROT_.*(\(READ\|WRITE\)_[1-9]" "$dio_trace")
	bare=$(echo "$commands" | grep -vc "_PASS ")
	echo "$(echo "$commands" | wc -l) commands, $bare without protection"
	[ -n "$commands" ] && [ "$bare" -eq 0 ]
}

dio_init "$@"
dio_need dd mke2fs cmp awk
dio_get_scratch
lacking=""
dio_plan 19

dio_try "writes that are whole or not at all, the disk" whole "$DIO_DISK"
dio_get_part kinds
disk=$DIO_DM
# 200 operations with one of the seeds meet what stock 7.3 lets nobody poll for: a part of a new
# block that ext4 and xfs wait for, or a request of several mappings.
polls=$ops
dio_null polled poll_queues=1 || lacking=$DIO_WHY
case ${DIO_STOCK:-0}:$(uname -r) in
?:6.1.*|1:6.12.*|?:6.12.[0-9][0-9]|?:6.12.[0-9][0-9][!0-9]*)
	lacking="here a polled request of several bios may never end, or tell 0 bytes" ;;
?:7.*)
	[ "$polls" -gt 200 ] || polls=200 ;;
esac
on_each "ext4|xfs" "random operations on %, polled" dio_fs_model "$DIO_NULL" unit=512 "n=$polls" polled
dio_null_remove polled

blocks_in_pieces 512 64
blocks_in_pieces 4096 512
on_each xfs "a write over a block that two files share, %" dio_fs_with "$disk" shared
on_each "ext4|xfs" "a write over a block that the disk refuses, %" dio_fs_with "$disk" refused

[ "$(dio_sys "$DIO_DISK" queue/fua)" = 1 ] || lacking="the disk has no FUA"
on_each "ext4|xfs" "O_DSYNC on % writes through, and flushes where it allocates" \
	dio_fs_with "$disk" through
on_each "ext4|xfs" "writes that are whole or not at all, %" dio_fs_with "$disk" whole

lio_lun 1 $((64 * mib)) pi_prot_type=1 pi_prot_format=1 && lio_path 1 0 || lacking=$DIO_WHY
[ -n "$lacking" ] || [ -e "/sys/block/${LIO_DISK##*/}/integrity/format" ] ||
	lacking="this kernel has no CONFIG_BLK_DEV_INTEGRITY"
on_each "ext4|xfs|jfs" "random operations on %, T10-PI" protected
lio_remove 1

[ -e /sys/fs/ext4/features/encryption ] || lacking="ext4 of this kernel encrypts nothing"
command -v xfs_io >/dev/null || lacking="program xfs_io is missing"
on_each ext4 "random operations on %, encrypted" encryption
dio_no_complaints
