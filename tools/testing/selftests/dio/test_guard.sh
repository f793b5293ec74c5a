#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Disks in use are refused: the tests must never touch a disk that somebody uses, here or elsewhere,
# by whatever path, and a program that writes to one has claimed it.
#
# Who is hurt by a broken guard: whoever gives these tests the name of the wrong disk. Everything
# here happens on scsi_debug disks, whatever DIO_DISKS and DIO_SCRATCH say.

. "$(dirname "$0")/dio_common.sh"
. "$DIO_DIR/dio_lio.sh"

# --- What is said ------------------------------------------------------------------------------

# accepted NAME [NODE]: the guard says yes, and gives the kernel's name, NODE or $disk
accepted()
{
	dio_says 0 "^${2:-$disk}\$" "$DIO_DIR/dio_guard.sh" "$1"
}

# refused REGEX WORD... DEV: the guard says no, in a line that names DEV and the reason. Who has the
# disk open (8) is not the guard.
refused()
{
	regex=$1
	shift
	for last in "$@"; do :; done
	dio_says 1 "^$last $regex" "$DIO_DIR/dio_guard.sh" "$@" 8>&-
}

# skips REGEX VARIABLE=VALUE... TEST [ARG]: the test ends as a SKIP with this reason
skips()
{
	regex=$1
	shift
	dio_ends 4 "^1\.\.0 # SKIP $regex" env "$@"
}

# The disk's first bytes, to see that nobody wrote them.
content()
{
	dd if="$disk" bs=1M count=1 iflag=direct status=none | cksum
}

# Programs that write to a disk claim it. race opens raw devices only when it has written.
nobody_writes()
{
	before=$(content)
	dio_says 3 "in use" "$DIO_DIR/disk_stamp" disk=1 write-device "$disk" &&
		dio_says 1 "is not a raw device\$" "$DIO_DIR/raw_io" same "$disk" "$disk" || return
	[ ! -e /dev/raw/rawctl ] || dio_says 1 "in use" \
		"$DIO_DIR/raw_io" race /dev/raw/rawctl "$disk" "$DIO_RAW" "$disk" || return
	[ "$(content)" = "$before" ] || { echo "$disk was written"; return 1; }
}

# used REGEX USE...: while that uses it the disk is refused like that, and not written if it is
# claimed. USE leaves in undo what ends it.
used()
{
	used_regex=$1 undo=: used_rc=0
	shift
	"$@" && refused "$used_regex" "$disk" || used_rc=$?
	case $used_rc:$used_regex in
	0:cannot*)	nobody_writes || used_rc=1 ;;
	esac
	$undo && return $used_rc
}

# --- Who uses it -------------------------------------------------------------------------------

# mounts [DISK]
mounts()
{
	mke2fs -q -F "${1:-$disk}" && mount -t ext2 "${1:-$disk}" "$DIO_TMP/mnt" &&
		undo="umount $DIO_TMP/mnt"
}

# The tests themselves ask the guard.
mounts_for_tests()
{
	mounts && skips "DIO_DISKS: $disk cannot be claimed" DIO_DISKS="$disk $disk" \
		"$DIO_DIR/test_disk_read.sh" &&
		skips "DIO_SCRATCH: $disk cannot be claimed" DIO_SCRATCH="$disk" \
			"$DIO_DIR/test_boundary.sh" --write
}

# A virtual machine or a data base need not claim it. Who only reads hurts nobody.
opens()
{
	undo="eval exec 8<&-"
	exec 8<"$disk"
	accepted "$disk" && exec 8<>"$disk"
}

# Over device-mapper. The device itself may be used, by a node of another name, too, as in /dev/mapper.
holds()
{
	dio_dm guard "0 2048 linear $disk 0" || { set -- $?; echo "$DIO_WHY"; return "$1"; }
	undo="dio_dm_remove guard"
	accepted "$DIO_DM" "$DIO_DM" && mknod "$DIO_TMP/mapper" b \
		"$(stat -c 0x%t "$DIO_DM")" "$(stat -c 0x%T "$DIO_DM")" &&
		accepted "$DIO_TMP/mapper" "$DIO_DM"
}

loops()
{
	loop=$(losetup -f --show "$disk") && undo="losetup -d $loop"
}

# An array of LIO's: a file, for which it takes a disk, too
serves()
{
	LIO_FILE=$link lio_lun 1 1048576 || { set -- $?; echo "$DIO_WHY"; return "$1"; }
	undo="lio_remove 1"
}

# One Linux partition from sector 2048, 8 MiB; it is mounted.
partitions()
{
	undo=no_parts
	sign 446 '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' && sign 510 '\125\252' &&
		blockdev --rereadpt "$disk" && dio_wait 10 [ -b "${disk}1" ] &&
		refused "is a partition, not a whole disk\$" "${disk}1" && mounts "${disk}1" &&
		undo=no_parts
}

no_parts()
{
	dio_umount "$DIO_TMP/mnt"
	blank && blockdev --rereadpt "$disk"
}

# --- What it holds -----------------------------------------------------------------------------

blank()
{
	dd if=/dev/zero of="$disk" bs=1M count=2 oflag=direct status=none
}

# sign OFFSET TEXT: TEXT is for printf
sign()
{
	# shellcheck disable=SC2059 # it is a format
	printf "$2" | dd of="$disk" bs=1 seek="$1" conv=notrunc,fsync status=none
}

# Refused, unless the one word says that it is this; another does not do.
signed()
{
	undo=blank
	blank && sign 32 ORCLDISKVOL1 && "$DIO_DIR/dio_guard.sh" --content=oracleasm "$disk" &&
		refused "holds oracleasm, and others may use that" --content=swap "$disk"
}

# Two paths to it
one_disk()
{
	accepted "$disk" && refused "and $other are one disk\$" "$other" "$disk" &&
		refused "is named twice\$" "$disk" "$link"
}

# --- The cases ---------------------------------------------------------------------------------

unset DIO_DISKS DIO_SCRATCH
dio_init "$@"
dio_need blockdev dd losetup mke2fs wipefs
dio_get_disks 1
disk=$DIO_LIST
link=$DIO_TMP/by-id
ln -s "$disk" "$link"
[ ! -e /dev/raw/rawctl ] || dio_get_raw
dio_plan 16

blank
dio_check "a disk that nobody uses is accepted" accepted "$disk"
dio_check "and by a name that udev gave it" accepted "$link"
dio_check "no such disk" refused "does not exist" /dev/nosuchdisk
dio_check "not a disk" refused "is not a block device" /dev/null
while IFS=';' read -r use how name; do
	dio_try "$name" used "$how" "$use"
done <<END
mounts_for_tests;cannot be claimed: .*in use.* $DIO_TMP/mnt$;a mounted disk is not written
opens;is open for writing in process [0-9]+ \(.*\)$;one that is open for writing, not for reading
holds;cannot be claimed: .*in use.* dm-[0-9]+$;a held disk is refused, what holds it may be used
loops;is served to others: /sys/block/loop[0-9]*/loop/backing_file$;a disk below a loop device
serves;is served to others: .*/dio1/info$;a disk that is served to others
partitions;is partitioned: ${disk##*/}1$;a partitioned disk is refused, and a partition
signed;holds oracleasm, and others may use that;a disk of oracleasm, unless a word says so
END
dio_check "DIO_SCRATCH without --write is not touched" skips \
	"DIO_SCRATCH=$disk is not written unless --write is given too" \
	DIO_SCRATCH="$disk" "$DIO_DIR/test_boundary.sh"
dio_check "all disks named are looked at together" skips "DIO_SCRATCH: $link is named twice" \
	DIO_SCRATCH="$disk" DIO_DISKS="$link" "$DIO_DIR/test_boundary.sh" --write

LIO_FILE=""
no_paths=""
lio_lun 2 67108864 && lio_path 2 0 && other=$LIO_DISK && lio_path 2 1 || no_paths=$DIO_WHY
disk=$LIO_DISK
ln -sf "$disk" "$link"
dio_unless "$no_paths" "two paths to one disk are one disk" one_disk
dio_unless "$no_paths" "a disk mounted by another path" \
	used "cannot be claimed: $disk: $other, another path to that disk, is in use" \
	mounts "$other"
dio_unless "$no_paths" "a claim is to all paths" dio_says 1 "^$disk cannot be claimed: .*in use" \
	"$DIO_DIR/disk_claim" "$other" "$DIO_DIR/dio_guard.sh" "$disk"
