#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What statx() promises of direct I/O, STATX_DIOALIGN and STATX_DIO_READ_ALIGN: is it kept, on disks
# of 512 and of 4096 bytes a sector and on each file system, in blocks of 1 to 64 KiB? dio_ops has
# the requests. Those that map blocks by get_block, and write to them, must tell; where others tell
# nothing there is no promise, and the case is skipped.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_lio.sh"
. "$(dirname "$0")/dio_files.sh"

systems="$dio_systems
ext4-1k:mke2fs -q -F -t ext4 -b 1024
ext4-64k:mke2fs -q -F -t ext4 -b 65536
xfs-1k:mkfs.xfs -q -f --unsupported -b size=1k
xfs-64k:mkfs.xfs -q -f --unsupported -b size=64k
vfat-64k:mkfs.vfat -s 128
udf-4k:mkudffs --media-type=hd --blocksize=4096
nilfs2-1k:mkfs.nilfs2 -q -B 64 -b 1024
ocfs2-1k:mkfs.ocfs2 -q -M local -b 1K -C 4K -N 1 -J size=4M"

promised()
{
	"$DIO_DIR/dio_ops" promised n=200 seed=1 "$1"
}

# on_files NAME MAKER SECTOR: exits with 4 where there are no such blocks
on_files()
{
	if ! dio_fs_make "$1" "$2" "$disk" || ! dio_fs_mount "$1" "$disk" "$DIO_TMP/mnt"; then
		echo "this kernel or its tools cannot have $1 on sectors of $3 bytes"
		case $1:$3 in
		*-64k:*|*:4096)	return 4 ;;
		esac
		return 1
	fi
	case $1 in
	udf*)	# It has small files in their inodes, where there is no direct I/O to tell of.
		promised "$DIO_TMP/mnt/small"
		[ $? -eq 4 ] || return 1
		;;
	esac
	head -c 65536 /dev/zero >"$DIO_TMP/mnt/file"
	promised "$DIO_TMP/mnt/file"
	files_rc=$?
	case $files_rc:$1 in
	4:jfs|4:vfat*|4:udf*|4:ocfs2*)	files_rc=1 ;;
	esac
	umount "$DIO_TMP/mnt" && return $files_rc
}

# on_disk SECTOR: not of null_blk, which in 7.3 loses what lies at odd addresses, in sectors of 4096
on_disk()
{
	lacking=""
	lio_lun 1 $((64 << 20)) "block_size=$1" && lio_path 1 0 || lacking=$DIO_WHY
	disk=$LIO_DISK
	dio_fs_each "$lacking" "$systems" "%, sectors of $1" on_files "$1"
	lio_remove 1
}

dio_init "$@"
dio_need dd
dio_get_scratch
DIO_SECTORS=131072
dio_plan $(($(echo "$systems" | wc -l) * 2 + 2))

dio_try "the disk" promised "$DIO_DISK"
on_disk 512
on_disk 4096
dio_no_complaints
