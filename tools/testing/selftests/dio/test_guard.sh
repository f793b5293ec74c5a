#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Disks in use are refused: the tests must never touch a disk that somebody uses, here or elsewhere,
# by whatever path, and a program that writes to one has claimed it.
#
# Who is hurt by a broken guard: whoever gives these tests the name of the wrong disk. Everything
# here happens on scsi_debug disks, whatever DIO_DISKS and DIO_SCRATCH say.

. "$(dirname "$0")/dio_common.sh"

# --- What is said ------------------------------------------------------------------------------

# accepted NAME [NODE]: the guard says yes, and gives the kernel's name, NODE or $disk
accepted()
{
	said=$(dio_guard "$1")
	rc=$?
	echo "$1: $said"
	[ "$rc" -eq 0 ] && [ "$said" = "${2:-$disk}" ]
}

# refused REGEX DEV...: the guard says no, in a line that names the last one and the reason.
refused()
{
	regex=$1
	shift
	said=$(dio_guard "$@") && { echo "accepted: $said"; return 1; }
	for last in "$@"; do :; done
	echo "$said"
	[ "$(echo "$said" | wc -l)" -eq 1 ] && echo "$said" | grep -Eq "^$last $regex"
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

# Programs that write to a disk claim it.
nobody_writes()
{
	before=$(content)
	bad=0
	dio_says 3 "in use" "$DIO_DIR/disk_stamp" disk=1 write-device "$disk" &&
		dio_says 1 "is not a raw device\$" "$DIO_DIR/raw_io" same "$disk" "$disk" || bad=1
	# race writes its disks' first pages, and opens raw devices only then.
	[ ! -e /dev/raw/rawctl ] || dio_says 1 "in use" \
		"$DIO_DIR/raw_io" race /dev/raw/rawctl "$disk" "$DIO_RAW" "$disk" || bad=1
	[ "$(content)" = "$before" ] || { echo "$disk was written"; bad=1; }
	return $bad
}

# --- Who uses it: each leaves in undo what ends that -------------------------------------------

# used REGEX CMD...: while CMD uses it the disk is refused like that, and not written if it is claimed
used()
{
	used_regex=$1
	shift
	used_bad=0 undo=""
	"$@" && refused "$used_regex" "$disk" || used_bad=1
	case $used_regex in
	cannot*)	nobody_writes || used_bad=1 ;;
	esac
	$undo && return $used_bad
}

# mounts DISK
mounts()
{
	mke2fs -q -F "$1" && mount -t ext2 "$1" "$DIO_TMP/mnt" && undo="umount $DIO_TMP/mnt"
}

# The tests themselves ask the guard.
mounts_and_tests()
{
	mounts "$disk" && skips "DIO_DISKS: $disk cannot be claimed" DIO_DISKS="$disk $disk" \
		"$DIO_DIR/test_disk_read.sh" &&
		skips "DIO_SCRATCH: $disk cannot be claimed" DIO_SCRATCH="$disk" \
			"$DIO_DIR/test_boundary.sh" --write
}

# user CONDITION CMD...: starts CMD, and waits until CONDITION
user()
{
	condition=$1
	shift
	"$@" &
	user=$!
	undo=stop_user
	dio_wait 60 "$condition"
}

stop_user()
{
	[ -z "$user" ] && return
	kill "$user"
	wait "$user" 2>/dev/null
	user=""
}

# It runs what it runs once it has the disk. (Trying to claim it could take it away from it.)
is_claimed()
{
	[ "$(cat "/proc/$user/comm")" = sleep ]
}

is_open()
{
	[ "$(readlink "/proc/$user/fd/8")" = "$disk" ]
}

# A virtual machine or a data base need not claim it.
opens()
{
	user is_open sleep 1000 8<>"$disk"
}

# Who only reads hurts nobody, and is not hurt.
reads()
{
	user is_open sleep 1000 8<"$disk" && accepted "$disk"
	bad=$?
	stop_user
	return $bad
}

# Over device-mapper. The device itself may be used, by a node of another name, too, as in /dev/mapper.
holds()
{
	dio_dm guard "0 2048 linear $disk 0" || { echo "$DIO_WHY"; return 1; }
	undo="dio_dm_remove guard"
	rm -f "$DIO_TMP/mapper"
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
	lun=/sys/kernel/config/target/core/fileio_7/dio_guard
	undo="rmdir $lun ${lun%/*}"
	mkdir -p "$lun" && echo "fd_dev_name=$link,fd_dev_size=1048576" >"$lun/control" &&
		echo 1 >"$lun/enable"
}

# has_parts: does the kernel see the partition?
has_parts()
{
	[ -e "/sys/class/block/${disk##*/}1" ]
}

# One Linux partition from sector 2048, 8 MiB; it is mounted.
partitions()
{
	undo=no_parts
	sign dos && blockdev --rereadpt "$disk" && dio_wait 10 has_parts &&
		refused "is a partition, not a whole disk\$" "${disk}1" && mounts "${disk}1" &&
		undo=no_parts
}

no_parts()
{
	dio_umount "$DIO_TMP/mnt"
	sign none && blockdev --rereadpt "$disk"
}

# --- What it holds -----------------------------------------------------------------------------

# put OFFSET TEXT: TEXT is for printf
put()
{
	# shellcheck disable=SC2059 # it is a format
	printf "$2" | dd of="$disk" bs=1 seek="$1" conv=notrunc status=none
}

# sign TYPE: what blkid takes for one
sign()
{
	dd if=/dev/zero of="$disk" bs=1M count=2 oflag=direct status=none || return
	case $1 in
	oracleasm)	put 32 'ORCLDISKVOL1' ;;
	dos)		put 446 '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' && put 510 '\125\252' ;;
	esac
	sync
}

# signed TYPE: refused, unless the one word says that it is this; another does not do
signed()
{
	sign "$1" || return
	DIO_CONTENT=swap
	refused "holds $1, and others may use that" "$disk" && DIO_CONTENT=$1 && accepted "$disk"
	bad=$?
	DIO_CONTENT=""
	sign none
	return $bad
}

# --- Two paths ---------------------------------------------------------------------------------

one_disk()
{
	accepted "$disk" && refused "and $other are one disk\$" "$other" "$disk" &&
		refused "is named twice\$" "$disk" "$link"
}

# --- The cases ---------------------------------------------------------------------------------

unset DIO_DISKS DIO_SCRATCH
DIO_CONTENT=""
dio_init "$@"
dio_need blkid blockdev dd mke2fs
dio_get_disks 1
disk=$DIO_LIST
link=$DIO_TMP/by-id
ln -s "$disk" "$link"
user=""
[ ! -e /dev/raw/rawctl ] || dio_get_raw
dio_on_exit stop_user
dio_plan 17

dio_check "a disk that nobody uses is accepted" accepted "$disk"
dio_check "and by a name that udev gave it" accepted "$link"
dio_check "no such disk" refused "does not exist" /dev/nosuchdisk
dio_check "not a disk" refused "is not a block device" /dev/null
claimed="cannot be claimed: .*in use"
dio_check "a mounted disk is refused and not written" \
	used "$claimed.*; mounted on $DIO_TMP/mnt\$" mounts_and_tests
dio_check "a disk that a program has open for writing is refused" \
	used "is open for writing in process [0-9]+ \(sleep\)\$" opens
dio_check "a disk that a program reads is accepted" reads
dio_unless "$(command -v dmsetup >/dev/null || echo "program dmsetup is missing")" \
	"a held disk is refused, what holds it may be used" used "$claimed.*; held by dm-" holds
dio_check "a disk below a loop device is refused" \
	used "is served to others: /sys/block/loop[0-9]*/loop/backing_file\$" loops
modprobe -q target_core_file 2>/dev/null
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config 2>/dev/null
dio_unless "$([ -d /sys/kernel/config/target/core ] || echo "no LIO in this kernel")" \
	"a disk that is served to others is refused" used "is served to others: .*/fileio_7/dio_guard/info\$" serves
dio_check "a partitioned disk is refused, and a partition" \
	used "is partitioned: ${disk##*/}1\$" partitions
dio_check "a disk of oracleasm is refused, unless a word says so" signed oracleasm
dio_check "DIO_SCRATCH without --write is not touched" skips \
	"DIO_SCRATCH=$disk is not written unless --write is given too" \
	DIO_SCRATCH="$disk" "$DIO_DIR/test_boundary.sh"
sign none
dio_check "all disks named are looked at together" skips "DIO_SCRATCH: $link is named twice" \
	DIO_SCRATCH="$disk" DIO_DISKS="$link" "$DIO_DIR/test_boundary.sh" --write

# Without its host's number it may have the WWID of the paths.
dio_pull "$disk"
dio_get_paths
other=${DIO_LIST% *}
disk=${DIO_LIST#* }
ln -sf "$disk" "$link"
dio_check "two paths to one disk are one disk" one_disk
dio_check "a disk mounted by another path is refused and not written" \
	used "cannot be claimed: $disk: $other, another path to that disk, is in use\$" mounts "$other"
dio_check "a claim is to all paths" \
	used "$claimed" user is_claimed "$DIO_DIR/disk_claim" "$other" sleep 1000
