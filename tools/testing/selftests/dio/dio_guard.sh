#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# May these disks be tested on? Whole disks that nobody uses, by whatever path, and that hold nothing
# which others may use.
#
#	dio_guard.sh [--content=TYPE | --unused | --reads] DEVICE...
#
# Prints the kernel's name of each (/dev/sdX for /dev/disk/by-id/...), a line each, or one line on
# stderr that says why not. Writes nothing. Refused are
#
# - what is no disk, partitions, and disks with partitions
# - disks that are claimed with O_EXCL: mounted, in whatever namespace, swap, below dm or md, ZFS, a
#   btrfs of several disks, a raw device; and, unclaimed, exported (LIO, NVMe target, SCST), below a
#   loop device, or open for writing in some process
# - disks of which that is true of another path, told by its WWID, and one disk named twice
# - disks that hold what wipefs knows as anything but swap or a file system of one machine on one
#   disk: a member of LVM, md, ASM, ZFS, a cluster's file system, a partition table. Nothing on this
#   machine need use those. --content=TYPE, with TYPE as this test calls it, says that you know.
#
# For who only reads: with --unused they may hold anything, with --reads they may be in use, too, and
# refused is only what is no whole disk, or named twice.
#
# Exit: 0 they may be used, 1 they may not, 2 usage.

PATH=$PATH:/sbin:/usr/sbin
claim=$(dirname "$0")/disk_claim
content=""
local_content="swap ext2 ext3 ext4 jfs xfs vfat exfat ntfs nilfs2 reiserfs udf minix f2fs iso9660"

refuse()
{
	echo "$*" >&2
	exit 1
}

# has WORD LIST: is it in the list?
has()
{
	case " $2 " in *" $1 "*) ;; *) return 1 ;; esac
}

# The numbers of block devices, MAJOR:MINOR in hex, a line each
devt()
{
	stat -L -c %t:%T "$@" 2>/dev/null
}

# served NODE: says how it is used by who does not claim it, and succeeds. What the kernel serves to
# others is named in /sys. A virtual machine or a data base has it open for writing.
served()
{
	for _file in /sys/block/loop*/loop/backing_file \
		/sys/kernel/config/target/core/*/*/info \
		/sys/kernel/config/target/core/*/*/udev_path \
		/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path \
		/sys/kernel/scst_tgt/devices/*/filename; do
		# shellcheck disable=SC2046 # names
		devt $(grep -so '/[^[:space:]]*' "$_file") | grep -qx "$(devt "$1")" || continue
		echo "is served to others: $_file"
		return
	done
	_pid=$(printf '%s\n' /proc/[0-9]*/fd/* | xargs ls -l 2>/dev/null |
		sed -n "s|^l.w.* /proc/\([0-9]*\)/fd/[0-9]* -> $1\$|\1|p" | sed q)
	[ -n "$_pid" ] && echo "is open for writing in process $_pid ($(cat "/proc/$_pid/comm"))"
}

# Sets node to the kernel's name of the disk NAME.
find_disk()
{
	[ -e "$1" ] || refuse "$1 does not exist"
	[ -b "$1" ] || refuse "$1 is not a block device"
	_dev=$(devt "$1")
	dir=$(readlink -f "/sys/dev/block/$((0x${_dev%:*})):$((0x${_dev#*:}))")
	[ -d "$dir" ] || refuse "$1 has no disk behind it"
	node=/dev/${dir##*/}
	[ "$(devt "$node")" = "$_dev" ] || refuse "$1 is ${dir##*/}, but $node is not"
	[ ! -e "$dir/partition" ] || refuse "$1 is a partition, not a whole disk"
}

# Sets paths to the disk's other paths.
check_twice()
{
	paths=$("$claim" -p "$node") || refuse "$1: its other paths are not known"
	! has "$node" "$nodes" || refuse "$1 is named twice"
	for _path in $paths; do
		! has "$_path" "$nodes" || refuse "$1 and $_path are one disk"
	done
}

# Who has claimed it, if that can be seen here
seen_on()
{
	ls "$dir/holders"
	awk -v dev="$(cat "$dir/dev")" '$3 == dev { print $5 }' /proc/self/mountinfo
}

# Mounts, swap, dm, md and the like have claimed it, or a partition of it.
check_use()
{
	for _part in "$dir"/*/partition; do
		[ ! -e "$_part" ] || refuse "$1 is partitioned: $(basename "${_part%/partition}")"
	done
	_how=$("$claim" "$node" 2>&1) ||
		refuse "$1 cannot be claimed: ${_how#disk_claim: } $(seen_on | paste -s -d ' ' -)"
	for _path in $node $paths; do
		_how=$(served "$_path") || continue
		[ "$_path" = "$node" ] || _how="is another path to $_path, which $_how"
		refuse "$1 $_how"
	done
}

# All that wipefs finds. A boot sector looks like a partition table.
check_content()
{
	_found=$(wipefs -p "$node" 2>/dev/null) || _found=0,unknown
	_found=$(echo "$_found" | sed -n 's/PMBR$/gpt/; /^0/s/.*,//p' | sort -u | paste -s -d ' ' -)
	case $_found in
	"dos exfat"|"dos ntfs"|"dos vfat")	_found=${_found#dos } ;;
	esac
	for _type in $_found; do
		has "$_type" "$content $local_content" || refuse "$1 holds $_type," \
			"and others may use that (--content=$_type to allow it)"
	done
}

nodes="" level=2
for word in "$@"; do
	case $word in
	-h|--help)
		echo "usage: dio_guard.sh [--content=TYPE | --unused | --reads] DEVICE..."
		echo "  May these disks be tested on? TYPE: what they hold, if that is refused."
		echo "  --unused: they are only read, whatever they hold; --reads: others may use them, too."
		echo "  Exit: 0 (their names follow), 1 no (one line on stderr says why), 2 usage."
		exit 0
		;;
	--content=*)	content=${word#*=} ;;
	--unused)	level=1 ;;
	--reads)	level=0 ;;
	-*)
		echo "dio_guard.sh: unknown option $word" >&2
		exit 2
		;;
	*)
		find_disk "$word"
		check_twice "$word"
		[ "$level" -lt 1 ] || check_use "$word"
		[ "$level" -lt 2 ] || check_content "$word"
		nodes="$nodes $node"
		;;
	esac
done
[ -n "$nodes" ] || { echo "dio_guard.sh: no device named" >&2; exit 2; }
# shellcheck disable=SC2086 # a list
printf '%s\n' $nodes
