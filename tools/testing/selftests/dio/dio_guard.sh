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
# - disks that hold what blkid knows as anything but swap or a file system of one machine on one
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

# MAJOR:MINOR of a block device node
devt()
{
	_hex=$(stat -L -c '0x%t 0x%T' "$1" 2>/dev/null) || return
	echo "$((${_hex% *})):$((${_hex#* }))"
}

# same_node NODE MAJOR:MINOR
same_node()
{
	[ -b "$1" ] && [ "$(devt "$1")" = "$2" ]
}

# names_node FILE MAJOR:MINOR: is there a word in FILE that is a node of it?
names_node()
{
	tr -s ' \t' '\n' <"$1" 2>/dev/null | while read -r _word; do
		case $_word in
		/*)	! same_node "$_word" "$2" || echo yes ;;
		esac
	done | grep -q yes
}

# The file in /sys that says that the kernel serves MAJOR:MINOR to others. It does so without O_EXCL.
exported_by()
{
	for _file in /sys/block/loop*/loop/backing_file \
		/sys/kernel/config/target/core/*/*/info /sys/kernel/config/target/core/*/*/udev_path \
		/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path \
		/sys/kernel/scst_tgt/devices/*/filename; do
		if [ -r "$_file" ] && names_node "$_file" "$1"; then
			echo "$_file"
			return
		fi
	done
	return 1
}

# The process that has NODE open for writing: a virtual machine, a data base. (busybox's find has no
# -lname; of one directory alone ls does not say the name.)
writer_of()
{
	# shellcheck disable=SC2012
	ls -l /proc/self/fd /proc/[0-9]*/fd 2>/dev/null | awk -v node="$1" '
		/^\/proc\/.*:$/ { dir = substr($0, 1, length($0) - 1) }
		$NF == node && $(NF - 1) == "->" { print dir "/" $(NF - 2) }' | while read -r _fd; do
		_pid=${_fd#/proc/}
		_pid=${_pid%%/*}
		grep -qs '^flags:.*[12]$' "/proc/$_pid/fdinfo/${_fd##*/}" || continue
		echo "$_pid ($(cat "/proc/$_pid/comm"))"
		break
	done
}

# served NODE: prints to whom, of those that do not claim it, and succeeds
served()
{
	if _who=$(exported_by "$(devt "$1")"); then
		echo "is served to others: $_who"
	else
		_who=$(writer_of "$1")
		[ -n "$_who" ] && echo "is open for writing in process $_who"
	fi
}

# holder_of MAJOR:MINOR: who has claimed it, if that can be seen here
holder_of()
{
	awk -v dev="$1" '$3 == dev { print "; mounted on " $5; exit }' /proc/self/mountinfo
	for _holder in "/sys/dev/block/$1/holders"/*; do
		[ ! -e "$_holder" ] || printf '; held by %s' "${_holder##*/}"
	done
}

# Sets node to the kernel's name of the disk NAME.
find_disk()
{
	[ -e "$1" ] || refuse "$1 does not exist"
	[ -b "$1" ] || refuse "$1 is not a block device"
	_dev=$(devt "$1")
	dir=$(readlink -f "/sys/dev/block/$_dev")
	[ -d "$dir" ] || refuse "$1 has no disk behind it"
	node=/dev/${dir##*/}
	same_node "$node" "$_dev" || refuse "$1 is ${dir##*/}, but $node is not"
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

# Mounts, swap, dm, md and the like have claimed it, or a partition of it.
check_use()
{
	for _part in "$dir"/*/partition; do
		[ ! -e "$_part" ] || refuse "$1 is partitioned: $(basename "${_part%/partition}")"
	done
	_how=$("$claim" "$node" 2>&1) ||
		refuse "$1 cannot be claimed: ${_how#disk_claim: }$(holder_of "$_dev")"
	for _path in $node $paths; do
		_how=$(served "$_path") || continue
		[ "$_path" = "$node" ] || _how="is another path to $_path, which $_how"
		refuse "$1 $_how"
	done
}

# What blkid finds on NODE, in one word
found_on()
{
	_rc=0 _type="" _table=""
	_said=$(blkid -p -o export "$1" 2>/dev/null) || _rc=$?
	while IFS='=' read -r _key _value; do
		case $_key in
		TYPE)	_type=$_value ;;
		PTTYPE)	_table=$_value ;;
		esac
	done <<-END
		$_said
	END
	case $_rc:$_type:$_table in
	2::)		;;
	0:?*:dos)	echo "$_type" ;;	# the first sector of vfat and ntfs looks like one
	0:*:?*)		echo "$_table" ;;
	0:?*:)		echo "$_type" ;;
	8:*)		echo "ambivalent" ;;
	*)		echo "unknown" ;;	# blkid is missing
	esac
}

check_content()
{
	_found=$(found_on "$node")
	[ -z "$_found" ] || [ "$_found" = "$content" ] || has "$_found" "$local_content" ||
		refuse "$1 holds $_found, and others may use that (--content=$_found to allow it)"
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
