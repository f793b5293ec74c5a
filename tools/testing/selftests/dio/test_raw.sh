#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The raw driver: bindings, data, ownership, and disks that go.
#
# raw makes the bindings, raw_io carries out one case a call (see there); dio_ops makes random
# requests, fio many at once (test_raw.fio), dio_pin and dio_race look after memory in use. The same
# cases run on a disk with blocks of 512 bytes (DIO_SCRATCH, or scsi_debug) and on a loop device with
# blocks of 4096. Device-mapper gives one that is slow; null_blk one that is
# polled, one that takes two requests, and one that is done at once; scsi_debug those that are pulled
# out, and one that is sick. tools/lab/raw_mutants.sh shows what all of it is worth.

. "$(dirname "$0")/dio_common.sh"
. "$(dirname "$0")/dio_lio.sh"

raw="$DIO_DIR/raw"
raw_io="$DIO_DIR/raw_io"

# bind MINOR DISK
bind()
{
	dio_settle
	"$raw" "$1" "$2" >/dev/null
}

# The line that raw prints when MINOR is bound to MAJOR:MINOR, as a regular expression
bound_line()
{
	echo "^/dev/raw/raw$1:  bound to major ${2%:*}, minor ${2#*:}\$"
}

# bound DISK CMD...: CMD while $rawdev is bound to DISK, known to it as $disk, too.
bound()
{
	disk=$1
	shift
	bind "$a" "$disk" && dio_then "dio_unbind $a" "$@"
}

# io CASE ARG...: of raw_io, on what is bound
io()
{
	io_case=$1
	shift
	"$raw_io" "$io_case" "$rawdev" "$disk" "$@"
}

# make_loop BLOCKSIZE: prints a loop device of 16 MiB, made of an image with that name.
make_loop()
{
	truncate -s 16M "$DIO_TMP/image$1" &&
		losetup --sector-size "$1" -f --show "$DIO_TMP/image$1"
}

# flushed 1|0 CMD...: CMD makes the disk empty its cache, or does not.
flushed()
{
	wanted=$1
	shift
	before=$(dio_stat "$disk" 16)
	"$@" || return
	after=$(dio_stat "$disk" 16)
	echo "flushes that reached the disk: $before before, $after after"
	[ $((after > before)) -eq "$wanted" ]
}

# write_once BYTES [HOW]
write_once()
{
	dd if=/dev/zero of="$rawdev" bs="$1" count=1 conv=notrunc status=none ${2:+"$2"}
}

# model: random requests beside the block device, with memory of each kind
model()
{
	mask=$(dio_sys "$disk" queue/dma_alignment 2>/dev/null)
	# 6.1 takes registered memory only from the start of a block on.
	case $(uname -r) in
	[1-6].*)	mask=$((unit - 1)) ;;
	esac
	for seed in 1 2 3; do
		"$DIO_DIR/dio_ops" "unit=$unit" "n=$((${DIO_OPS:-40} * 20))" "seed=$seed" \
			"align=$((${mask:-511} + 1))" "raw=$rawdev" "$disk" || return
	done
}

# load MOST POLLED SECTION: fio on an empty disk, with requests of up to MOST
load()
{
	dd if=/dev/zero of="$disk" bs=1M count=14 oflag=direct status=none || return
	DIO_FIO_RAW=$rawdev DIO_FIO_SIZES=$unit-$1 DIO_FIO_POLLED=$2 \
		fio --eta=never "--section=$3" "$DIO_DIR/test_raw.fio"
}

# busy CMD...: it fails, as the disk has an owner
busy()
{
	! "$@" >"$DIO_TMP/why" 2>&1 && grep -Eq 'busy|in use' "$DIO_TMP/why" && return
	echo "not busy: $*"
	cat "$DIO_TMP/why"
	return 1
}

# An open raw device is the owner: others may open the disk, but neither claim nor mount it.
one_owner()
(
	two=/dev/raw/raw$b
	claim=$DIO_DIR/disk_claim
	"$claim" "$disk" && exec 8<"$rawdev" && busy "$claim" "$disk" && busy "$raw" "$a" 0 0 &&
		true 7<>"$disk" && true 7<>"$rawdev" && exec 9<>"$two" && exec 8<&- &&
		busy "$claim" "$disk" && busy mount -r -t ext2 "$disk" "$DIO_TMP/mnt" &&
		exec 9<&- && "$claim" "$disk" || return
	for node in "$rawdev" "$two"; do
		# shellcheck disable=SC2016 # the inner shell's
		busy "$claim" "$disk" sh -c 'true <"$0"' "$node" && true <"$node" || return
	done
)

# A disk made read-only is read, and not written: raw and disk say the same.
not_written()
{
	dd if="$DIO_TMP/stamps" of="$disk" oflag=direct bs=64k status=none &&
		blockdev --setro "$disk" || return
	for node in "$disk" "$rawdev"; do
		dd if=/dev/zero of="$node" bs=4k count=1 conv=notrunc oflag=direct 2>&1
	done | sed -n '/^dd: /s/.*: //p' >"$DIO_TMP/gave"
	dd if="$rawdev" bs=64k count=2 status=none | cmp - "$DIO_TMP/stamps"
	ro_rc=$?
	blockdev --setrw "$disk" && cat "$DIO_TMP/gave"
	[ $ro_rc -eq 0 ] && holds 0 && [ "$(wc -l <"$DIO_TMP/gave")" -eq 2 ] &&
		[ "$(uniq "$DIO_TMP/gave" | wc -l)" -eq 1 ]
}

# asked: the disk's answers to ioctls, asked by the raw device, and of a SCSI disk to SG_IO; its owner
# may set the block size.
asked()
{
	set -- --getsz --getsize64 --getss --getpbsz --getro --getiomin --getioopt --getmaxsect
	same_of blockdev "$@" && blockdev --flushbufs --setbsz 4096 "$rawdev" &&
		{ [ ! -e "/sys/block/${disk##*/}/device/vendor" ] || same_of sg_inq --hex; }
}

same_of()
{
	"$@" "$disk" >"$DIO_TMP/disk" && "$@" "$rawdev" >"$DIO_TMP/raw" &&
		diff "$DIO_TMP/disk" "$DIO_TMP/raw"
}

# holds BLOCK: that many times 64 KiB into the disk there are the first 64 KiB of the stamps, or the next
holds()
{
	dd if="$disk" bs=64k skip="$1" count=1 iflag=direct status=none |
		cmp -i "0:$(($1 % 2 * 65536))" -n 65536 - "$DIO_TMP/stamps"
}

# A loop device made of the raw device, of which a part is zeroed, and one discarded; what is behind
# them stays. 7.3 asks the inode of the raw device how large it is, which it does not know.
over_loop()
{
	over=$(losetup -f --show "$rawdev") || return
	over_rc=0
	if [ "$(dio_sys "$over" size)" -eq 0 ]; then
		echo "this kernel's loop driver takes a raw device for empty"
		over_rc=4
	else
		[ "$(dio_sys "$over" size)" -eq "$(dio_sys "$disk" size)" ] &&
			dd if="$DIO_TMP/stamps" of="$over" bs=64k conv=fsync status=none &&
			dd if="$DIO_TMP/stamps" of="$over" bs=64k seek=4 conv=fsync status=none &&
			cmp -n 131072 "$over" "$DIO_TMP/stamps" && holds 0 && holds 4 &&
			blkdiscard -z -l 64k "$over" && cmp -n 65536 "$over" /dev/zero && holds 1 &&
			{ said=$(blkdiscard -o 256k -l 64k "$over" 2>&1) ||
				echo "$said" | grep "not supported"; } && holds 5 || over_rc=1
	fi
	losetup -d "$over" && return $over_rc
}

# A LUN of LIO's on the raw device. Its request is over, and freed, before the call that sends it ends.
over_lio()
{
	if ! LIO_FILE=$rawdev lio_lun 1 67108864 || ! lio_path 1 0; then
		echo "$DIO_WHY"
		return 4
	fi
	dd if="$DIO_TMP/stamps" of="$LIO_DISK" bs=64k oflag=direct status=none &&
		cmp -n 131072 "$LIO_DISK" "$DIO_TMP/stamps" && holds 0 && holds 1
	lio_rc=$?
	lio_remove 1
	return $lio_rc
}

# sent: eight reads, of which each takes a second, are in flight together.
sent()
{
	for size in 4k 3m; do
		ms=$(fio --minimal --name=sent --filename="$rawdev" --size=32m --rw=read --bs=$size \
			--number_ios=8 --direct=1 --ioengine=libaio --iodepth=8 |
			cut -d ';' -f 9)
		echo "$ms ms, of $size"
		[ "$ms" -ge 1000 ] && [ "$ms" -lt 5000 ] || return
	done
}

# stuck PID: it waits for a disk, or for who does
stuck()
{
	grep -qs ') D ' "/proc/$1/stat"
}

# sick: the disk takes a second for each request, and its partitions are being looked for: who opens
# it has to wait. Nobody else has to.
sick()
{
	blockdev --flushbufs --rereadpt "$rawdev" &
	scan=$!
	dio_wait 10 stuck $scan || return
	{ true <"$rawdev"; } &
	opener=$!
	dio_wait 10 stuck $opener && true <"/dev/raw/raw$b" && "$raw" -q "$b" && stuck $opener
	sick_rc=$?
	wait $scan && wait $opener && return $sick_rc
}

# dirty: a mapped file keeps what the disk reads into it while it is synced.
dirty()
{
	mkfs.ext2 -q -F "$loop" && mount -t ext2 "$loop" "$DIO_TMP/mnt" &&
		dd if="$DIO_TMP/stamps" of="$disk" oflag=direct bs=64k status=none &&
		"$DIO_DIR/dio_race" clean "into=$DIO_TMP/mnt/file" "$rawdev" &&
		umount "$DIO_TMP/mnt" && mount -t ext2 "$loop" "$DIO_TMP/mnt" &&
		"$DIO_DIR/dio_race" check "$DIO_TMP/mnt/file" && umount "$DIO_TMP/mnt"
}

# --- The tests ---------------------------------------------------------------------------------

# RC:REGEX:NAME:ARG...
test_helper()
{
	while IFS=: read -r rc regex name args; do
		# shellcheck disable=SC2086 # words
		dio_check "raw: $name" dio_says "$rc" "$regex" "$raw" $args
	done <<-LIST
	2:usage:three numbers and more:$a 1 2 3
	3:not a block device:not a block device:$a /dev/null
	4:No such device:a number without a disk:$a 4000 77
	4:Invalid argument:more raw devices than there are:$max_minors $DIO_DISK
	4:Invalid argument:major number too large:$a 4294967304 0
	LIST
}

not_listed()
{
	"$raw" -qa >"$DIO_TMP/bound" && ! grep "^$rawdev:" "$DIO_TMP/bound"
}

# absent FILE...
absent()
{
	for each in "$@"; do
		[ ! -e "$each" ] || return
	done
}

test_bindings()
{
	disk_no=$(dio_sys "$DIO_DISK" dev)
	is_bound=$(bound_line "$a" "$disk_no")
	mknod "/dev/dio_raw_$$" c 162 "$a"
	dio_on_exit rm -f "/dev/dio_raw_$$"

	dio_check "bind by name" dio_says 0 "$is_bound" "$raw" "$rawdev" "$DIO_DISK"
	dio_check "query" dio_says 0 "$is_bound" "$raw" -q "raw$a"
	dio_check "query all: listed" dio_ends 0 "$is_bound" "$raw" -qa
	dio_check "the kernel made the node" stat "$rawdev" "/sys/class/raw/raw$a"
	dio_check "unbind" dio_says 0 "$(bound_line "$a" 0:0)" "$raw" "$rawdev" 0 0
	dio_check "the kernel removed the node" absent "$rawdev" "/sys/class/raw/raw$a"
	dio_check "query all: not listed" not_listed
	dio_check "open of an unbound raw device" dio_says 1 'No such device or address' \
		dd if="/dev/dio_raw_$$" of=/dev/null
	dio_check "bind by numbers" dio_says 0 "$is_bound" "$raw" "$a" "${disk_no%:*}" "${disk_no#*:}"
	dio_unbind "$a"
	dio_check "a bound raw device is left alone" bound "$DIO_DISK" not_taken
	dio_check "without CAP_SYS_ADMIN nothing is bound" dio_says 4 'Operation not permitted' \
		setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin "$raw" "$a" "$DIO_DISK"
	dio_try "ioctls of rawctl by 32 bits" "$raw_io" compat /dev/raw/rawctl "$DIO_DISK" "$a"
	bind "$a" "$DIO_DISK"
	dio_check "a raw device is no claim to another disk" \
		dio_says 1 "$rawdev does not lead to $loop\$" "$raw_io" same "$rawdev" "$loop"
	dio_unbind "$a"
	dio_try "bind, unbind, open and read at once" "$raw_io" race /dev/raw/rawctl "$DIO_DISK" \
		"$a" "$loop"
}

# What somebody has bound is not taken by a test.
not_taken()
{
	DIO_RAW=$((a - 1))
	dio_get_raw
	echo "raw$a is bound, raw$DIO_RAW was taken"
	[ "$DIO_RAW" -ne "$a" ] && dio_says 0 "$is_bound" "$raw" -q "$a"
}

# With a second raw device: on the same disk, and on one that is well beside one that is sick, with
# a second for each request.
test_two()
{
	bind "$b" "$DIO_DISK"
	dio_check "one owner: raw devices, or a mount, or O_EXCL" bound "$DIO_DISK" one_owner
	dio_unbind "$b"

	bind "$b" "$loop"
	if [ -n "${DIO_SCRATCH-}" ]; then
		lacking="$DIO_DISK is no disk of scsi_debug"
	else
		dio_sd_delay 999999999
	fi
	dio_unless "$lacking" "who opens a sick disk keeps no other waiting" bound "$DIO_DISK" sick
	[ -n "$lacking" ] || dio_sd_delay 0 || dio_skip_all "$DIO_DISK stays slow"
	lacking=""
	dio_unbind "$b"
}

# A cgroup that has no right to the disk; the tree of cgroups is ours while we look.
test_cgroup()
{
	group=$DIO_TMP/cgroup/dio
	if mkdir "$DIO_TMP/cgroup" &&
	   mount -t cgroup -o devices none "$DIO_TMP/cgroup" 2>/dev/null; then
		dio_on_exit umount "$DIO_TMP/cgroup"
		mkdir "$group" && dio_on_exit rmdir "$group"
		echo "b $(dio_sys "$DIO_DISK" dev) rwm" >"$group/devices.deny"
	else
		lacking="no cgroups of devices here"
	fi
	dio_unless "$lacking" "no right to the disk, no raw device" \
		bound "$DIO_DISK" io cgroup "$group"
	lacking=""
}

# of_each DISK BLOCKSIZE: what must be right on every disk
of_each()
{
	disk=$1
	unit=$2
	for each in same flags; do
		dio_try "$unit-byte blocks: $each" bound "$disk" io "$each"
	done
	dio_check "$unit-byte blocks: ioctls" bound "$disk" asked
	dio_check "$unit-byte blocks: readonly" bound "$disk" not_written
	dio_try "$unit-byte blocks: loop" bound "$disk" over_loop
	dio_try "$unit-byte blocks: model" bound "$disk" model
	dio_try "$unit-byte blocks: pins" bound "$disk" "$DIO_DIR/dio_pin" ways "$rawdev"
	for each in aio uring fixed procs splice; do
		dio_try "$unit-byte blocks: $each" bound "$disk" load 128k 0 "$each"
	done
}

# A disk that holds reads back
test_dm()
{
	sectors=$(dio_sys "$DIO_DISK" size)
	dio_dm slow_read "0 $sectors delay $DIO_DISK 0 1000 $DIO_DISK 0 0" || lacking=$DIO_WHY
	dio_unless "$lacking" "a fork while the disk writes into memory" \
		bound "$DIO_DM" "$DIO_DIR/dio_pin" "$rawdev"
	dio_unless "$lacking" "requests are sent, not waited for" bound "$DIO_DM" sent
	dio_unless "$lacking" "a mapped file keeps what was read into it" bound "$DIO_DM" dirty
	lacking=""
}

test_flush()
{
	dio_check "a plain write flushes nothing" bound "$loop" flushed 0 write_once 4096
	dio_check "fsync flushes" bound "$loop" flushed 1 sync "$rawdev"
	for size in 4096 2097152; do
		dio_check "O_DSYNC flushes, $size bytes" bound "$loop" flushed 1 \
			write_once $size oflag=dsync
	done
}

# on_null ATTRIBUTE NAME CMD...: CMD while a disk of null_blk that has it is bound
on_null()
{
	dio_null raw "$1" || lacking=$DIO_WHY
	null_name=$2
	shift 2
	dio_unless "$lacking" "$null_name" bound "$DIO_NULL" "$@"
	dio_null_remove raw
	lacking=""
}

# Pull a disk while it is in use, put another in its place, and see that the old binding does not
# lead there.
test_pulled()
{
	# shellcheck disable=SC2034 # read by dio_get_scratch
	DIO_SCRATCH=""
	dio_get_scratch
	old_disk=$DIO_DISK
	old_no=$(dio_sys "$old_disk" dev)
	bind "$a" "$old_disk"
	dio_try "the disk is pulled while in use" "$raw_io" gone "$rawdev" "$old_disk" \
		"/sys/block/${old_disk##*/}/device/delete"
	dio_check "its node goes" dio_wait 10 absent "$old_disk"
	dio_get_scratch
	dio_check "open after the disk was pulled" dio_says 1 'No such device or address' \
		dd if="$rawdev" of=/dev/null
	dio_check "the binding is still told" dio_says 0 "$(bound_line "$a" "$old_no")" "$raw" -q "$a"
	new_no=$(dio_sys "$DIO_DISK" dev)
	[ "$new_no" = "$old_no" ] || lacking="it is $new_no, not $old_no"
	dio_unless "$lacking" "the new disk has the old number" true
	dio_check "bind anew" dio_says 0 "$(bound_line "$a" "$new_no")" "$raw" "$a" "$DIO_DISK"
	dio_try "the new disk is read and written" "$raw_io" same "$rawdev" "$DIO_DISK"
	dio_pull "$DIO_DISK"
	dio_check "unbind after the disk was pulled" dio_says 0 "$(bound_line "$a" 0:0)" \
		"$raw" "$a" 0 0
}

dio_init "$@"
dio_need awk blkdiscard blockdev diff dmsetup fio losetup mkfs.ext2 setpriv sg_inq
dio_get_raw
a=$DIO_RAW
rawdev=/dev/raw/raw$a
dio_get_raw
b=$DIO_RAW
max_minors=$(cat /sys/module/raw/parameters/max_raw_minors)
dio_get_scratch
loop=$(make_loop 512) || dio_skip_all "no loop device"
dio_on_exit losetup -d "$loop"
loop4k=$(make_loop 4096) || dio_skip_all "no loop device has blocks of 4096 bytes"
dio_on_exit losetup -d "$loop4k"
"$DIO_DIR/disk_stamp" disk=1 size=128k "$DIO_TMP/stamps" || dio_skip_all "no stamps can be made"
lacking=""
dio_plan 66

test_helper
test_bindings
test_two
test_cgroup
of_each "$DIO_DISK" 512
of_each "$loop4k" 4096
test_dm
test_flush
# io_uring of 6.1 tries for ever what would have to be split: no request is larger than the disk takes.
unit=512
on_null poll_queues=1 "io_uring, polled" load 32k 1 uring
on_null poll_queues=1 "io_uring, polled, registered memory" load 32k 1 fixed
on_null hw_queue_depth=2 "io_uring on a disk that takes two requests at a time" load 32k 0 uring
on_null irqmode=0 "a LUN of LIO's on a disk that is done at once" over_lio
test_pulled
dio_no_complaints
