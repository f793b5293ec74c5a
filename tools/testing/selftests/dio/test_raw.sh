#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The raw driver: bindings, data, ownership, errors, and disks that go.
#
# raw makes the bindings, raw_io carries out one case a call (see there). The same cases run on a
# disk with blocks of 512 bytes (DIO_SCRATCH, or scsi_debug) and on a loop device with blocks of
# 4096. Device-mapper tables give disks that fail, are slow or grow; null_blk one that is polled,
# and those that hold two requests; scsi_debug those that are pulled out, and one that is sick.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

raw="$DIO_DIR/raw"
raw_io="$DIO_DIR/raw_io"
every_disk="data model big position seek align end zero fault flags direct aio uring procs coherent
	nocache pins ioctl loop splice modes readonly"
planned=93

# --- Raw devices -------------------------------------------------------------------------------

# bind MINOR DISK
bind()
{
	"$raw" "$1" "$2" >/dev/null
}

# The line that raw prints when MINOR is bound to MAJOR:MINOR.
bound_line()
{
	echo "/dev/raw/raw$1:  bound to major ${2%:*}, minor ${2#*:}"
}

# prints LINE CMD...: the command succeeds and says just this.
prints()
{
	line=$1
	shift
	said=$("$@") && [ "$said" = "$line" ] && return
	echo "said: $said"
	echo "not:  $line"
	return 1
}

devt()
{
	cat "/sys/class/block/${1##*/}/dev"
}

# case_of NAME CASE ARG...: one result from raw_io.
case_of()
{
	name=$1
	shift
	dio_try "$name" "$raw_io" "$@"
}

# on_disk MINOR DISK NAME CASE ARG...: bind, run the case, unbind.
on_disk()
{
	od_minor=$1
	od_disk=$2
	od_name=$3
	od_case=$4
	shift 4
	dio_settle
	if bind "$od_minor" "$od_disk"; then
		case_of "$od_name" "$od_case" "/dev/raw/raw$od_minor" "$od_disk" "$@"
		dio_unbind "$od_minor"
	else
		dio_fail "$od_name" "raw$od_minor cannot be bound to $od_disk"
	fi
}

skip_these()
{
	why=$1
	shift
	for one in "$@"; do
		dio_skip "$one" "$why"
	done
}

# --- Disks -------------------------------------------------------------------------------------

# make_loop MB BLOCKSIZE: sets $loop, or $why_not.
make_loop()
{
	loop=""
	why_not="losetup cannot make a loop device with blocks of $2 bytes"
	image=$(mktemp "$DIO_TMP/disk.XXXXXX") && truncate -s "$1M" "$image" &&
		loop=$(losetup --sector-size "$2" -f --show "$image" 2>/dev/null) || return
	dio_on_exit losetup -d "$loop"
}

# --- Watching ----------------------------------------------------------------------------------

flushes()
{
	read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ count _ <"/sys/class/block/${1##*/}/stat"
	echo "$count"
}

# flushed YES-OR-NO HOW LENGTH: one request makes the disk empty its cache, or does not. On $loop,
# with $a bound to it.
flushed()
{
	before=$(flushes "$loop")
	"$raw_io" once "/dev/raw/raw$a" "$loop" "$2" "$3" || return
	after=$(flushes "$loop")
	did=no
	[ "$after" -eq "$before" ] || did=yes
	[ "$did" = "$1" ] && return
	echo "flushes that reached the disk: $before before, $after after"
	return 1
}

# --- The tests ---------------------------------------------------------------------------------

test_helper()
{
	missing=/dev/raw/rawx
	dio_expect 2 usage "raw: no arguments" "$raw"
	dio_expect 2 usage "raw: three numbers and more" "$raw" "$a" 1 2 3
	dio_expect 2 usage "raw: not a number" "$raw" "$a" 8 x
	dio_expect 3 'not a block device' "raw: not a block device" "$raw" "$a" /dev/null
	dio_expect 3 'No such file' "raw: no such block device" "$raw" "$a" "$DIO_TMP/none"
	dio_expect 3 'not a raw device' "raw: not a raw device" "$raw" "$missing" "$DIO_DISK"
	dio_expect 4 'No such device' "raw: a number without a disk" "$raw" "$a" 4000 77
	dio_expect 4 'Invalid argument' "raw: more raw devices than there are" \
		"$raw" "$max_minors" "$DIO_DISK"
	dio_expect 4 'Invalid argument' "raw: major number too large" "$raw" "$a" 4294967304 0
}

not_listed()
{
	"$raw" -qa >"$DIO_TMP/listed" && ! grep -q "^/dev/raw/raw$a:" "$DIO_TMP/listed"
}

listed()
{
	"$raw" -qa | grep -qxF "$(bound_line "$a" "$disk_no")"
}

has_node()
{
	[ -c "/dev/raw/raw$a" ] && [ -e "/sys/class/raw/raw$a" ]
}

has_no_node()
{
	[ ! -e "/dev/raw/raw$a" ] && [ ! -e "/sys/class/raw/raw$a" ]
}

test_bindings()
{
	disk_no=$(devt "$DIO_DISK")
	unbound="$(bound_line "$a" 0:0)"
	mknod "/dev/dio_raw_$$" c 162 "$a"
	dio_on_exit rm -f "/dev/dio_raw_$$"

	dio_check "bind by name" prints "$(bound_line "$a" "$disk_no")" \
		"$raw" "/dev/raw/raw$a" "$DIO_DISK"
	dio_check "query" prints "$(bound_line "$a" "$disk_no")" "$raw" -q "raw$a"
	dio_check "query all: listed" listed
	dio_check "the kernel made the node" has_node
	dio_check "unbind" prints "$unbound" "$raw" "/dev/raw/raw$a" 0 0
	dio_check "the kernel removed the node" has_no_node
	dio_check "query all: not listed" not_listed
	dio_expect 1 'No such device or address' "open of an unbound raw device" \
		"$raw_io" seek "/dev/dio_raw_$$" "$DIO_DISK"
	dio_check "bind by numbers" prints "$(bound_line "$a" "$disk_no")" \
		"$raw" "$a" "${disk_no%:*}" "${disk_no#*:}"
	dio_unbind "$a"
	dio_check "a bound raw device is left alone" not_taken
	case_of "ioctls of rawctl" ctl /dev/raw/rawctl "$DIO_DISK" "$a" "$max_minors"
	case_of "ioctls of rawctl by 32 bits" compat /dev/raw/rawctl "$DIO_DISK" "$a"
	make_loop 16 512
	if [ -n "$loop" ]; then
		bind "$a" "$DIO_DISK"
		dio_expect 1 "/dev/raw/raw$a does not lead to $loop\$" \
			"a raw device is no claim to another disk" \
			"$raw_io" seek "/dev/raw/raw$a" "$loop"
		dio_unbind "$a"
		case_of "bind, unbind, open and read at once" race /dev/raw/rawctl "$DIO_DISK" \
			"$a" "$loop"
	else
		skip_these "$why_not" "a raw device is no claim to another disk" \
			"bind, unbind, open and read at once"
	fi
}

# What somebody has bound is not taken by a test.
not_taken()
{
	bind "$a" "$DIO_DISK" || return
	DIO_RAW=$((a - 1))
	dio_get_raw
	echo "raw$a is bound, raw$DIO_RAW was taken"
	[ "$DIO_RAW" -ne "$a" ] && prints "$(bound_line "$a" "$disk_no")" "$raw" -q "$a"
	bad=$?
	dio_unbind "$a" && return "$bad"
}

test_exclusive()
{
	bind "$b" "$DIO_DISK"
	mkdir "$DIO_TMP/mnt"
	on_disk "$a" "$DIO_DISK" "one owner: raw devices, or a mount, or O_EXCL" excl \
		"/dev/raw/raw$b" "$DIO_TMP/mnt"
	dio_unbind "$b"
}

# A cgroup that has no right to the disk; the tree of cgroups is ours while we look.
test_cgroup()
{
	name="no right to the disk, no raw device"
	group=$DIO_TMP/cgroup/dio
	if mkdir "$DIO_TMP/cgroup" &&
	   mount -t cgroup -o devices none "$DIO_TMP/cgroup" 2>/dev/null; then
		dio_on_exit umount "$DIO_TMP/cgroup"
		mkdir "$group" && dio_on_exit rmdir "$group"
		echo "b $(devt "$DIO_DISK") rwm" >"$group/devices.deny"
		on_disk "$a" "$DIO_DISK" "$name" cgroup "$group"
	else
		dio_skip "$name" "no cgroups of devices here"
	fi
}

# A second for each request: its openers wait, nobody else does.
test_sick()
{
	name="who opens a sick disk keeps no other waiting"
	if [ -n "${DIO_SCRATCH-}" ]; then
		dio_skip "$name" "$DIO_DISK is no disk of scsi_debug"
	elif make_loop 16 512; then
		bind "$b" "$loop"
		dio_sd_delay 999999999
		on_disk "$a" "$DIO_DISK" "$name" sick "/dev/raw/raw$b"
		dio_sd_delay 0 || dio_skip_all "$DIO_DISK stays slow"
		dio_unbind "$b"
	else
		dio_skip "$name" "$why_not"
	fi
}

# A disk that fails at 4 MiB, one that grows.
test_dm()
{
	sectors=$(cat "/sys/class/block/${DIO_DISK##*/}/size")
	name="an error within a request"
	bad=8192
	if [ "$sectors" -lt 16376 ]; then
		dio_skip "$name" "$DIO_DISK is smaller than 8 MB"
	elif dio_dm bad "0 $bad linear $DIO_DISK 0
$bad 8 error
$((bad + 8)) $((sectors - bad - 8)) linear $DIO_DISK $((bad + 8))"; then
		on_disk "$a" "$DIO_DM" "$name" badblock $((bad * 512))
	else
		dio_skip "$name" "$DIO_WHY"
	fi

	name="the disk grows"
	if dio_dm grow "0 $((sectors - 64)) linear $DIO_DISK 0"; then
		on_disk "$a" "$DIO_DM" "$name" grow \
			"dmsetup reload dio_grow --table '0 $sectors linear $DIO_DISK 0' &&
			dmsetup resume --noudevsync --noudevrules dio_grow"
	else
		dio_skip "$name" "$DIO_WHY"
	fi
}

# Disks that hold reads or writes back for 300 ms.
test_slow()
{
	fork="a fork while the disk writes into memory"
	async="requests are sent, not waited for"
	dirty="a mapped file keeps what was read into it"
	late="a buffered read in the middle of a write"
	kept="a page that cannot be dropped before a write"
	if ! dio_dm slow_read "0 $sectors delay $DIO_DISK 0 300 $DIO_DISK 0 0"; then
		skip_these "$DIO_WHY" "$fork, not by way of raw" "$fork" "$async" "$dirty" "$late" \
			"$kept"
		return
	fi
	case_of "$fork, not by way of raw" fork "$DIO_DM" "$DIO_DM"
	on_disk "$a" "$DIO_DM" "$fork" fork
	on_disk "$a" "$DIO_DM" "$async" async
	if ! make_ext2; then
		dio_skip "$dirty" "$why_not"
	else
		on_disk "$a" "$DIO_DM" "$dirty" dirty "$DIO_TMP/ext2/file"
	fi
	# The other tables hold the disk no longer than the raw device was open.
	dio_dm slow_write "0 $sectors delay $DIO_DISK 0 0 $DIO_DISK 0 300" &&
		on_disk "$a" "$DIO_DM" "$late" late &&
		on_disk "$a" "$DIO_DM" "$kept" kept
}

make_ext2()
{
	make_loop 16 512 || return
	why_not="no ext2 here"
	mkfs.ext2 -q "$loop" >/dev/null 2>&1 || return
	mkdir "$DIO_TMP/ext2" && mount -t ext2 "$loop" "$DIO_TMP/ext2" 2>/dev/null || return
	dio_on_exit umount "$DIO_TMP/ext2"
}

test_flush()
{
	if ! make_loop 16 512; then
		skip_these "$why_not" "a plain write flushes nothing" "fsync flushes" \
			"O_DSYNC flushes, small" "O_DSYNC flushes, large"
		return
	fi
	bind "$a" "$loop"
	dio_check "a plain write flushes nothing" flushed no write 4096
	dio_check "fsync flushes" flushed yes fsync 0
	dio_check "O_DSYNC flushes, small" flushed yes dsync 4096
	dio_check "O_DSYNC flushes, large" flushed yes dsync 2097152
	dio_unbind "$a"
}

test_queues()
{
	for kind in poll few; do
		case $kind in
		poll)
			name="io_uring, polled"
			set -- poll poll_queues=1
			;;
		few)
			name="io_uring on a disk that takes two requests at a time"
			set -- uring hw_queue_depth=2
			;;
		esac
		what=$1
		shift
		if dio_null "$kind" "$@"; then
			on_disk "$a" "$DIO_NULL" "$name" "$what"
			dio_null_remove "$kind"
		else
			dio_skip "$name" "$DIO_WHY"
		fi
	done
}

node_gone()
{
	[ ! -e "$1" ]
}

# Pull a disk while it is in use, put another in its place, and see that the old binding does not
# lead there.
test_pulled()
{
	# shellcheck disable=SC2034 # read by dio_get_scratch
	DIO_SCRATCH=""
	dio_get_scratch
	old_disk=$DIO_DISK
	old_no=$(devt "$old_disk")
	bind "$a" "$old_disk"
	case_of "the disk is pulled while in use" gone "/dev/raw/raw$a" "$old_disk" \
		"/sys/block/${old_disk##*/}/device/delete"
	dio_check "its node goes" dio_wait 10 node_gone "$old_disk"
	dio_get_scratch
	dio_expect 1 'No such device or address' "open after the disk was pulled" \
		"$raw_io" seek "/dev/raw/raw$a" "$DIO_DISK"
	dio_check "the binding is still told" prints "$(bound_line "$a" "$old_no")" "$raw" -q "$a"
	if [ "$(devt "$DIO_DISK")" = "$old_no" ]; then
		dio_ok "the new disk has the old number"
	else
		dio_skip "the new disk has the old number" "it is $(devt "$DIO_DISK"), not $old_no"
	fi
	dio_check "bind anew" prints "$(bound_line "$a" "$(devt "$DIO_DISK")")" \
		"$raw" "$a" "$DIO_DISK"
	case_of "the new disk is read and written" position "/dev/raw/raw$a" "$DIO_DISK"
	dio_pull "$DIO_DISK"
	dio_check "unbind after the disk was pulled" prints "$(bound_line "$a" 0:0)" \
		"$raw" "$a" 0 0
}

dio_init "$@"
dio_get_raw
a=$DIO_RAW
dio_get_raw
b=$DIO_RAW
max_minors=$(cat /sys/module/raw/parameters/max_raw_minors)
dio_get_scratch
complaints=$(dio_complaints)
dio_plan "$planned"

test_helper
test_bindings
test_exclusive
test_cgroup
test_sick
for each in $every_disk; do
	on_disk "$a" "$DIO_DISK" "512-byte blocks: $each" "$each"
done
make_loop 16 4096
for each in $every_disk; do
	if [ -n "$loop" ]; then
		on_disk "$a" "$loop" "4096-byte blocks: $each" "$each"
	else
		dio_skip "4096-byte blocks: $each" "$why_not"
	fi
done
test_dm
test_slow
test_flush
test_queues
test_pulled
dio_check "the kernel did not complain" dio_no_complaints "$complaints"
