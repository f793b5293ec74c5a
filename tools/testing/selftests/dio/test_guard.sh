#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Disks in use are refused: the tests must never touch a mounted, partitioned or held disk.
#
# Who is hurt by a broken guard: whoever gives these tests the name of the wrong disk. Everything
# here happens on a scsi_debug disk, whatever DIO_DISKS and DIO_SCRATCH say.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

# refused REGEX DEV: the guard says no, in a line that names the reason.
refused()
{
	said=$(dio_guard "$2") && { echo "$2 was accepted"; return 1; }
	echo "$said"
	[ "$(echo "$said" | wc -l)" -eq 1 ] && echo "$said" | grep -Eq "^$2 $1"
}

# skips REGEX VARIABLE=VALUE... TEST [ARG]: the test ends as a SKIP with this reason, all else
# aside.
skips()
{
	regex=$1
	shift
	rc=0
	env "$@" >"$DIO_TMP/skips" 2>&1 || rc=$?
	cat "$DIO_TMP/skips"
	echo "exit $rc, wanted 4 and /^1..0 # SKIP $regex/"
	[ "$rc" -eq 4 ] && grep -Eq "^1\.\.0 # SKIP $regex" "$DIO_TMP/skips"
}

# The disk's first bytes, to see that nobody wrote them.
content()
{
	dd if="$disk" bs=1M count=1 iflag=direct status=none | cksum
}

mounted()
{
	mke2fs -q -F "$disk" && mkdir -p "$DIO_TMP/mnt" && mount -t ext2 "$disk" "$DIO_TMP/mnt" ||
		return
	before=$(content)
	bad=0
	refused "is mounted on $DIO_TMP/mnt\$" "$disk" &&
		skips "DIO_DISKS: $disk is mounted on" DIO_DISKS="$disk $disk" \
			"$DIO_DIR/test_disk_read.sh" &&
		skips "DIO_SCRATCH: $disk is mounted on" DIO_SCRATCH="$disk" \
			"$DIO_DIR/test_raw.sh" --write || bad=1
	[ "$(content)" = "$before" ] || { echo "$disk was written"; bad=1; }
	umount "$DIO_TMP/mnt" && return $bad
}

# Over device-mapper: the disk is held.
held()
{
	dio_dm guard "0 2048 linear $disk 0" || { echo "$DIO_WHY"; return 1; }
	refused "is held by ${DIO_DM##*/}" "$disk"
	bad=$?
	dio_dm_remove guard && return $bad
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
			"$DIO_DIR/test_raw.sh" --write
	bad=$?
	mke2fs -q -F "${disk}1" && mount -t ext2 "${disk}1" "$DIO_TMP/mnt" || return
	dio_guard "$disk" | grep -q "^${disk}1 is mounted on" || bad=1
	umount "$DIO_TMP/mnt"
	dd if=/dev/zero of="$disk" bs=512 count=1 oflag=direct status=none
	blockdev --rereadpt "$disk"
	return $bad
}

unset DIO_DISKS DIO_SCRATCH
dio_init "$@"
dio_need blockdev dd mke2fs
dio_get_disks 1
disk=$DIO_LIST
dio_on_exit dio_umount "$DIO_TMP/mnt"
dio_on_exit unswap
dio_plan 9

dio_check "a disk that nobody uses is accepted" dio_guard "$disk"
dio_check "no such disk" refused "does not exist" /dev/nosuchdisk
dio_check "not a disk" refused "is not a block device" /dev/null
dio_check "a mounted disk is refused and not written" mounted
if command -v dmsetup >/dev/null; then
	dio_check "a held disk is refused" held
else
	dio_skip "a held disk is refused" "program dmsetup is missing"
fi
if [ -e /proc/swaps ] && command -v mkswap swapon >/dev/null; then
	dio_check "swap is refused" swapped
else
	dio_skip "swap is refused" "no swap in this kernel, or no mkswap"
fi
dio_check "a partitioned disk is refused, and a partition" partitioned
dio_check "DIO_SCRATCH without --write is not touched" skips \
	"DIO_SCRATCH=$disk is not written unless --write is given too" \
	DIO_SCRATCH="$disk" "$DIO_DIR/test_raw.sh"
dio_check "too few disks" skips "DIO_DISKS names 1 disks, the test needs 2" DIO_DISKS="$disk" \
	"$DIO_DIR/test_disk_read.sh"
