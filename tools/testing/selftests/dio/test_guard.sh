#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Disks in use are refused: the tests must never touch a disk that somebody uses, here or elsewhere,
# by whatever path, and a program that writes to one has claimed it.
#
# Who is hurt by a broken guard: whoever gives these tests the name of the wrong disk. Everything
# here happens on scsi_debug disks, whatever DIO_DISKS and DIO_SCRATCH say.

# shellcheck source=dio_common.sh
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

# ends RC REGEX CMD...: exit and last line of a command
ends()
{
	wanted=$1
	regex=$2
	shift 2
	rc=0
	"$@" >"$DIO_TMP/said" 2>&1 || rc=$?
	cat "$DIO_TMP/said"
	echo "exit $rc, wanted $wanted and /$regex/ of $*"
	[ "$rc" -eq "$wanted" ] && tail -n 1 "$DIO_TMP/said" | grep -Eq "$regex"
}

# skips REGEX VARIABLE=VALUE... TEST [ARG]: the test ends as a SKIP with this reason, all else
# aside.
skips()
{
	regex=$1
	shift
	ends 4 "^1\.\.0 # SKIP $regex" env "$@"
}

# The disk's first bytes, to see that nobody wrote them.
content()
{
	dd if="$disk" bs=1M count=1 iflag=direct status=none | cksum
}

# nobody_writes DEV REGEX: the guard says no, like that; programs that write do not, either.
nobody_writes()
{
	before=$(content)
	bad=0
	refused "$2" "$1" &&
		ends 3 "in use" "$DIO_DIR/disk_stamp" disk=1 write-device "$1" &&
		ends 1 "in use" "$DIO_DIR/raw_io" data "$1" "$1" || bad=1
	# race writes its disks' first pages, and opens raw devices only then.
	[ ! -e /dev/raw/rawctl ] || ends 1 "in use" \
		"$DIO_DIR/raw_io" race /dev/raw/rawctl "$1" "$DIO_RAW" "$1" || bad=1
	[ "$(content)" = "$before" ] || { echo "$1 was written"; bad=1; }
	return $bad
}

# --- Who uses it -------------------------------------------------------------------------------

make_ext2()
{
	mke2fs -q -F "$1" && mkdir -p "$DIO_TMP/mnt"
}

mounted()
{
	make_ext2 "$disk" && mount -t ext2 "$disk" "$DIO_TMP/mnt" || return
	nobody_writes "$disk" "is mounted on $DIO_TMP/mnt\$" &&
		skips "DIO_DISKS: $disk is mounted on" DIO_DISKS="$disk $disk" \
			"$DIO_DIR/test_disk_read.sh" &&
		skips "DIO_SCRATCH: $disk is mounted on" DIO_SCRATCH="$disk" \
			"$DIO_DIR/test_boundary.sh" --write
	bad=$?
	umount "$DIO_TMP/mnt" && return $bad
}

# user CMD...: starts it; $user is its process.
user()
{
	"$@" &
	user=$!
}

stop_user()
{
	[ -z "$user" ] && return
	kill "$user"
	wait "$user" 2>/dev/null
	user=""
}

is_mounted_there()
{
	grep -qs " $DIO_TMP/mnt " "/proc/$user/mountinfo"
}

# It runs what it runs once it has the disk. (Trying to claim it could take it away from it.)
is_claimed()
{
	[ "$(cat "/proc/$user/comm")" = sleep ]
}

# In a mount namespace of its own: our own mountinfo says nothing.
mounted_elsewhere()
{
	make_ext2 "$disk" || return
	# Where ext4 is ext2 it writes its superblock later, unless it must not.
	# shellcheck disable=SC2016 # the inner shell's
	user unshare -m sh -c 'mount -r -t ext2 "$0" "$1" && exec sleep 1000' "$disk" "$DIO_TMP/mnt"
	dio_wait 60 is_mounted_there || return
	bad=0
	! grep -q " $DIO_TMP/mnt " /proc/self/mountinfo || { echo "it is here, too"; bad=1; }
	nobody_writes "$disk" "cannot be claimed: .*in use" || bad=1
	stop_user
	return $bad
}

# ZFS, a btrfs of several disks, and other programs do the same.
claimed()
{
	user "$DIO_DIR/disk_claim" "$disk" sleep 1000
	dio_wait 60 is_claimed || return
	nobody_writes "$disk" "cannot be claimed: .*in use"
	bad=$?
	stop_user
	return $bad
}

is_open()
{
	[ "$(readlink "/proc/$user/fd/8")" = "$disk" ]
}

# A virtual machine or a data base need not claim it.
open_for_writing()
{
	user sleep 1000 8<>"$disk"
	dio_wait 60 is_open || return
	refused "is open for writing in process $user \(sleep\)\$" "$disk"
	bad=$?
	stop_user
	[ "$bad" -eq 0 ] || return
	# Who only reads, hurts nobody, and is not hurt.
	user sleep 1000 8<"$disk"
	dio_wait 60 is_open && accepted "$disk"
	bad=$?
	stop_user
	return $bad
}

# Over device-mapper: the disk is held. The device itself may be used, also by a node of another
# name, as in /dev/mapper.
held()
{
	dio_dm guard "0 2048 linear $disk 0" || { echo "$DIO_WHY"; return 1; }
	refused "is held by ${DIO_DM##*/}\$" "$disk" &&
		accepted "$DIO_DM" "$DIO_DM" && mknod "$DIO_TMP/mapper" b \
			"$(stat -c 0x%t "$DIO_DM")" "$(stat -c 0x%T "$DIO_DM")" &&
		accepted "$DIO_TMP/mapper" "$DIO_DM"
	bad=$?
	dio_dm_remove guard && return $bad
}

below_loop()
{
	loop=$(losetup -f --show "$disk") || return
	refused "is served to others: /sys/block/${loop##*/}/loop/backing_file\$" "$disk"
	bad=$?
	losetup -d "$loop" && return $bad
}

# An array of LIO's: a file, for which it takes a disk, too
served()
{
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config || return
	lun=/sys/kernel/config/target/core/fileio_7/dio_guard
	mkdir -p "$lun" && echo "fd_dev_name=$link,fd_dev_size=1048576" >"$lun/control" &&
		echo 1 >"$lun/enable" && refused "is served to others: $lun/info\$" "$disk"
	bad=$?
	rmdir "$lun" "${lun%/*}" && return $bad
}

unswap()
{
	! grep -qs "^$disk " /proc/swaps || swapoff "$disk"
}

swapped()
{
	mkswap "$disk" >/dev/null && swapon "$disk" || return
	refused "is used as swap\$" "$disk"
	bad=$?
	swapoff "$disk" && return $bad
}

# has_parts: does the kernel see the partition?
has_parts()
{
	[ -e "/sys/class/block/${disk##*/}1" ]
}

# A partition table by hand: one Linux partition from sector 2048, 8 MiB.
partitioned()
{
	dd if=/dev/zero of="$disk" bs=512 count=1 oflag=direct status=none
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' | dd of="$DIO_TMP/mbr" bs=1 seek=446 status=none
	printf '\125\252' | dd of="$DIO_TMP/mbr" bs=1 seek=510 conv=notrunc status=none
	dd if="$DIO_TMP/mbr" of="$disk" bs=512 count=1 conv=sync oflag=direct status=none || return
	blockdev --rereadpt "$disk" && dio_wait 10 has_parts || return
	refused "is partitioned: ${disk##*/}1\$" "$disk" &&
		refused "is a partition, not a whole disk\$" "${disk}1" &&
		skips "DIO_SCRATCH: $disk is partitioned" DIO_SCRATCH="$disk" \
			"$DIO_DIR/test_boundary.sh" --write
	bad=$?
	make_ext2 "${disk}1" && mount -t ext2 "${disk}1" "$DIO_TMP/mnt" || return
	dio_guard "$disk" | grep -q "^${disk}1 is mounted on" || bad=1
	umount "$DIO_TMP/mnt"
	dd if=/dev/zero of="$disk" bs=512 count=1 oflag=direct status=none
	blockdev --rereadpt "$disk"
	return $bad
}

# --- What it holds -----------------------------------------------------------------------------

# put OFFSET TEXT: TEXT is for printf
put()
{
	# shellcheck disable=SC2059 # it is a format
	printf "$2" | dd of="$disk" bs=1 seek="$1" conv=notrunc status=none
}

# sign TYPE: what blkid takes for one; from 2.39 on it looks at checksums
sign()
{
	dd if=/dev/zero of="$disk" bs=1M count=2 oflag=direct status=none || return
	case $1 in
	LVM2_member)	# its checksum is that of these bytes and zeros
		put 512 'LABELONE\1\0\0\0\0\0\0\0\050\144\041\374\040\0\0\0LVM2 001'
		put 544 '0123456789abcdef0123456789abcdef'
		;;
	linux_raid_member)
		put 4096 '\374\116\053\251\1'
		put 4240 '\010'
		put 4312 '\005\117\053\251'
		;;
	oracleasm)
		put 32 'ORCLDISKVOL1'
		;;
	ocfs2)
		put 2048 'OCFSV2'
		;;
	dos)
		put 446 '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0'
		put 510 '\125\252'
		;;
	esac
	sync
}

# signed TYPE: refused, unless the one word says that it is this; another does not do. udev, which
# would have partitions read, leaves a disk alone that is locked.
signed()
{
	exec 9<"$disk" && flock 9 && sign "$1" || return
	DIO_CONTENT=swap
	refused "holds $1, and others may use that" "$disk" && DIO_CONTENT=$1 && accepted "$disk"
	bad=$?
	DIO_CONTENT=""
	sign none
	exec 9<&-
	return $bad
}

# --- Two paths ---------------------------------------------------------------------------------

one_disk()
{
	accepted "$disk" && refused "and $other are one disk\$" "$other" "$disk" &&
		refused "is named twice\$" "$disk" "$link"
}

mounted_by_other()
{
	make_ext2 "$other" && blockdev --flushbufs "$disk" &&
		mount -t ext2 "$other" "$DIO_TMP/mnt" || return
	nobody_writes "$disk" "is another path to $other, which is mounted on $DIO_TMP/mnt\$" &&
		ends 3 "$disk: $other, another path to that disk, is in use\$" \
			"$DIO_DIR/disk_claim" "$disk"
	bad=$?
	umount "$DIO_TMP/mnt" && return $bad
}

# A claim to one path is a claim to both.
claimed_by_other()
{
	user "$DIO_DIR/disk_claim" "$other" sleep 1000
	dio_wait 60 is_claimed || return
	refused "cannot be claimed: .*in use" "$disk"
	bad=$?
	stop_user
	return $bad
}

# A case of raw_io has both paths to itself, with a raw device or without. grow runs a command, and
# fails when that did not make the disk larger.
has_both()
{
	try="! $DIO_DIR/disk_claim $disk && ! $DIO_DIR/disk_claim $other"
	larger="$disk did not become larger\$"
	ends 1 "$larger" "$DIO_DIR/raw_io" grow "$disk" "$disk" "$try" || return
	[ -e /dev/raw/rawctl ] || return 0
	"$DIO_DIR/raw" "$DIO_RAW" "$disk" >/dev/null &&
		ends 1 "$larger" "$DIO_DIR/raw_io" grow "/dev/raw/raw$DIO_RAW" "$disk" "$try"
	bad=$?
	dio_unbind "$DIO_RAW" && return $bad
}

# --- The cases ---------------------------------------------------------------------------------

unset DIO_DISKS DIO_SCRATCH
DIO_CONTENT=""
dio_init "$@"
dio_need blkid blockdev dd flock mke2fs unshare
dio_get_disks 1
disk=$DIO_LIST
link=$DIO_TMP/by-id
ln -s "$disk" "$link"
user=""
[ ! -e /dev/raw/rawctl ] || dio_get_raw
dio_on_exit dio_umount "$DIO_TMP/mnt"
dio_on_exit unswap
dio_on_exit stop_user
types="LVM2_member linux_raid_member oracleasm ocfs2 dos"
dio_plan 25

dio_check "a disk that nobody uses is accepted" accepted "$disk"
dio_check "and by a name that udev gave it" accepted "$link"
dio_check "no such disk" refused "does not exist" /dev/nosuchdisk
dio_check "not a disk" refused "is not a block device" /dev/null
dio_check "a mounted disk is refused and not written" mounted
dio_check "a disk mounted in another namespace is refused and not written" mounted_elsewhere
dio_check "a disk that a program has claimed is refused and not written" claimed
dio_check "a disk that a program has open for writing is refused" open_for_writing
if command -v dmsetup >/dev/null; then
	dio_check "a held disk is refused, what holds it may be used" held
else
	dio_skip "a held disk is refused, what holds it may be used" "program dmsetup is missing"
fi
dio_check "a disk below a loop device is refused" below_loop
if [ -d /sys/module/target_core_mod ] || modprobe -q target_core_file 2>/dev/null; then
	dio_check "a disk that is served to others is refused" served
else
	dio_skip "a disk that is served to others is refused" "no LIO in this kernel"
fi
if [ -e /proc/swaps ] && command -v mkswap swapon >/dev/null; then
	dio_check "swap is refused" swapped
else
	dio_skip "swap is refused" "no swap in this kernel, or no mkswap"
fi
dio_check "a partitioned disk is refused, and a partition" partitioned
for type in $types; do
	dio_check "a disk of $type is refused, unless a word says so" signed "$type"
done
dio_check "DIO_SCRATCH without --write is not touched" skips \
	"DIO_SCRATCH=$disk is not written unless --write is given too" \
	DIO_SCRATCH="$disk" "$DIO_DIR/test_boundary.sh"
sign none
dio_check "too few disks" skips "DIO_DISKS names 1 disks, the test needs 2" DIO_DISKS="$disk" \
	"$DIO_DIR/test_disk_read.sh"
dio_check "all disks named are looked at together" skips "DIO_SCRATCH: $link is named twice" \
	DIO_SCRATCH="$disk" DIO_DISKS="$link" "$DIO_DIR/test_boundary.sh" --write

# Without its host's number it may have the WWID of the paths.
dio_pull "$disk"
dio_get_paths
other=${DIO_LIST% *}
disk=${DIO_LIST#* }
ln -sf "$disk" "$link"
dio_check "two paths to one disk are one disk" one_disk
dio_check "a disk mounted by another path is refused and not written" mounted_by_other
dio_check "a claim is to all paths" claimed_by_other
dio_check "while a case writes, nobody else can have the disk" has_both
