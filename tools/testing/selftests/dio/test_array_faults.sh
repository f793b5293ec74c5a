#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Arrays as people have them, and what goes wrong with them: the right error for the right I/O only,
# every other byte right, and no I/O that waits for longer than the fault lasts.
#
# Each case is tried three ways: with O_DIRECT, on a raw device, and through the page cache, I/O being
# in flight (array_io). Who is hurt when one fails: whoever loses a path, a sector or a reservation,
# and gets an error for data that is fine, or none for data that is lost. Disks are scsi_debug's, LIO's
# (dio_lio.sh), null_blk's and device-mapper's; DIO_DISKS and DIO_SCRATCH are not used.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"
# shellcheck source=dio_lio.sh
. "$DIO_DIR/dio_lio.sh"
# shellcheck source=dio_md.sh
. "$DIO_DIR/dio_md.sh"

small=67108864
ways="direct raw buffered"
mib=1048576
planned=64

# --- I/O three ways ----------------------------------------------------------------------------

# io WAY DISK WORD...: array_io on that disk
io()
{
	io_way=$1
	io_disk=$2
	shift 2
	case $io_way in
	direct)
		"$DIO_DIR/array_io" "$@" direct "$io_disk"
		;;
	raw)
		"$DIO_DIR/raw" "$DIO_RAW" "$io_disk" >/dev/null || return
		io_rc=0
		"$DIO_DIR/array_io" "$@" "/dev/raw/raw$DIO_RAW" || io_rc=$?
		dio_unbind "$DIO_RAW"
		return $io_rc
		;;
	buffered)
		"$DIO_DIR/array_io" "$@" "$io_disk"
		;;
	esac
}

# failure WAY ERRNO: the page cache says EIO, whatever the disk said.
failure()
{
	if [ "$1" = buffered ]; then
		echo errno=EIO
	else
		echo "errno=$2"
	fi
}

# each_way NAME CMD...: CMD with the way as its last word, three results; it may exit with 4 to be
# skipped for the reason that its last line gives. All are skipped if $lacking says why.
each_way()
{
	each_name=$1
	shift
	for way in $ways; do
		if [ -n "$lacking" ]; then
			dio_skip "$each_name, $way" "$lacking"
		elif [ "$way" = raw ] && [ "$DIO_RAW" -eq 0 ]; then
			dio_skip "$each_name, $way" "kernel has no raw driver (CONFIG_RAW_DRIVER)"
		else
			dio_try "$each_name, $way" "$@" "$way"
		fi
	done
}

# during WAY DISK "WORD..." CMD...: load on the disk while CMD runs, which must succeed
during()
{
	during_way=$1
	during_disk=$2
	during_words=$3
	shift 3
	[ -b "$during_disk" ] || { echo "no disk: $DIO_WHY"; return 1; }
	rm -f "$DIO_TMP/enough"
	# shellcheck disable=SC2086 # words
	io "$during_way" "$during_disk" load size=1m "until=$DIO_TMP/enough" $during_words &
	during_pid=$!
	during_rc=0
	goes_on "$during_disk" && "$@" || during_rc=$?
	touch "$DIO_TMP/enough"
	wait $during_pid || return
	[ $during_rc -eq 0 ] || echo "failed: $*"
	return $during_rc
}

# sectors_written DISK
sectors_written()
{
	read -r _ _ _ _ _ _ count _ <"/sys/class/block/${1##*/}/stat"
	echo "$count"
}

# It has written so much, or it never will.
moves_on()
{
	[ "$(sectors_written "$1")" -ge "$2" ] || ! kill -0 "$during_pid" 2>/dev/null
}

# goes_on DISK: the load writes another 64 KiB, so I/O gets through now
goes_on()
{
	dio_wait 60 moves_on "$1" $(($(sectors_written "$1") + 128)) &&
		kill -0 "$during_pid" 2>/dev/null && return
	echo "nothing gets through"
	return 1
}

# --- scsi_debug --------------------------------------------------------------------------------

sd=/sys/bus/pseudo/drivers/scsi_debug
param=/sys/module/scsi_debug/parameters

# put VALUE FILE
put()
{
	_dio_put "$1" "$2" && return
	echo "$2 does not take $1"
	return 1
}

# inject WHAT: a fault of scsi_debug from now on; of medium, busy and lost the last one counts
#	medium		sector 4660 of each of its disks cannot be read
#	protected	its disks take no writes; the kernel learns of it by rescan
#	busy		its host takes no command now, every third time
#	lost		every 150th command is lost, and aborted when its time is over
#	full		40 reads and 40 writes of $DIO_DISK meet TASK SET FULL: rule 2 ends READ(10) and
#			WRITE(10) with status 0x28 so many times (from 6.7 on)
inject()
{
	case $1 in
	medium)		put 1 $param/medium_error_count && put 2 $sd/opts ;;
	protected)	put 1 $param/wp ;;
	busy)		put 3 $sd/every_nth && put 0x8000 $sd/opts ;;
	lost)		put 150 $sd/every_nth && put 4 $sd/opts ;;
	full)		put "2 -40 0x28 0 0 0x28 0 0 0" "$rules" &&
				put "2 -40 0x2a 0 0 0x28 0 0 0" "$rules" ;;
	esac
}

# 10 sectors are its default. A rule that has done its work may still be there, or not.
no_fault()
{
	put 0 $sd/every_nth && put 0 $sd/opts && put 0 $param/wp &&
		put 10 $param/medium_error_count || return
	for each in 0x28 0x2a; do
		[ ! -e "$rules" ] || _dio_put "- 2 $each" "$rules" || :
	done
}

rescan()
{
	put 1 "/sys/block/${DIO_DISK##*/}/device/rescan"
}

# Merged with its neighbours, a request takes them with it when it fails.
make_sd()
{
	dio_get_scratch
	echo 2 >"/sys/block/${DIO_DISK##*/}/queue/nomerges"
	bad=$(($(cat /sys/module/scsi_debug/parameters/medium_error_start) * 512))
	[ -d /sys/kernel/debug/block ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null || :
	rules=$(basename "$(readlink -f "/sys/block/${DIO_DISK##*/}/device")")
	rules=/sys/kernel/debug/scsi_debug/$rules/error
	dio_on_exit no_fault
}

# medium DISK SHIFT WAY: sector 4660 of scsi_debug cannot be read; DISK has it SHIFT bytes further on.
medium()
{
	at=$((bad + $2))
	from=$((at / mib * mib))
	io "$3" "$1" write from=$from size=1m && inject medium || return
	rc=0
	for bs in 4k 512 64k; do
		[ "$3:$bs" != buffered:64k ] || continue	# it gives what it has
		io "$3" "$1" read from=$from size=1m bs=$bs bad="$(unreadable "$3" $at)" \
			badsize="$(granule "$3")" "$(failure "$3" ENODATA)" || rc=$?
	done
	no_fault && io "$3" "$1" read from=$from size=1m && return $rc
}

# granule WAY: of the bad sector the page cache loses the page.
granule()
{
	if [ "$1" = buffered ]; then
		echo 4096
	else
		echo 512
	fi
}

# unreadable WAY BYTES: where that begins
unreadable()
{
	echo $(($2 / $(granule "$1") * $(granule "$1")))
}

# make_partition: partition 1, from 1 MiB on
make_partition()
{
	dd if=/dev/zero of="$DIO_DISK" bs=512 count=1 conv=notrunc status=none
	table='\0\0\0\0\203\0\0\0\0\010\0\0\0\200\0\0'		# from sector 2048, 32768
	printf '%b' "$table" | dd of="$DIO_DISK" bs=1 seek=446 conv=notrunc status=none
	printf '\125\252' | dd of="$DIO_DISK" bs=1 seek=510 conv=notrunc status=none
	blockdev --rereadpt "$DIO_DISK" && dio_wait 10 dio_opens "${DIO_DISK}1"
}

test_medium()
{
	each_way "a bad sector" medium "$DIO_DISK" 0
	if dio_dm volume "0 2048 linear $DIO_DISK 32768
2048 8192 linear $DIO_DISK 2048"; then
		each_way "a bad sector below a logical volume" medium "$DIO_DM" 0
		dio_dm_remove volume
	else
		lacking=$DIO_WHY each_way "a bad sector below a logical volume"
	fi
	lacking=""
	make_partition || lacking="the kernel sees no partition"
	each_way "a bad sector in a partition" medium "${DIO_DISK}1" -$mib
	lacking=""
	dd if=/dev/zero of="$DIO_DISK" bs=512 count=1 conv=notrunc status=none
	blockdev --rereadpt "$DIO_DISK"
}

# ioerrs DISK: how many of its commands have failed
ioerrs()
{
	echo $(($(cat "/sys/block/${1##*/}/device/ioerr_cnt")))
}

# Of two halves the one that is read cannot read its sector: the other has it. An array begins 4 MiB
# into its disks, so the first half begins with the end of its disk.
mirror()
{
	mirror_rc=0
	dio_dm half "0 8192 linear $DIO_DISK 98304
8192 98304 linear $DIO_DISK 0" && make_mirror && read_mirror "$1" || mirror_rc=$?
	no_fault
	dio_md_remove && dio_dm_remove half && return $mirror_rc
}

# Exits with 4 if the kernel cannot have one.
make_mirror()
{
	if ! dio_md raid1 "$DIO_DM" "$LIO_DISK"; then
		echo "$DIO_WHY"
		return $((${DIO_WHY:+3} + 1))
	fi
	_dio_put writemostly "/sys/block/md125/md/dev-${LIO_DISK##*/}/state"
}

read_mirror()
{
	count=$(ioerrs "$DIO_DISK")
	io "$1" /dev/md125 write from=2m size=1m && inject medium &&
		io "$1" /dev/md125 read from=2m size=1m || return
	[ "$(ioerrs "$DIO_DISK")" -gt "$count" ] || { echo "no sector was bad"; return 1; }
}

test_mirror()
{
	lio_lun 1 $small && lio_path 1 0 || lacking=$DIO_WHY
	each_way "a bad sector below a mirror" mirror
	lio_remove 1
	lacking=""
}

# That is a disk whose key was turned. Then the kernel learns of it. udev, which would have the disk
# looked at again when a writer has closed it, leaves it alone while it is locked.
protected()
{
	exec 9<"$DIO_DISK" || return
	flock 9 && io "$1" "$DIO_DISK" write size=1m gen=1 && inject protected &&
		io "$1" "$DIO_DISK" write size=1m gen=2 bad=0 badsize=1m "$(failure "$1" EREMOTEIO)" &&
		rescan && refused "$1" && io "$1" "$DIO_DISK" read size=1m gen=1
	rc=$?
	exec 9<&-
	no_fault && rescan || return
	[ $rc -eq 0 ] && io "$1" "$DIO_DISK" write size=1m gen=3 && io "$1" "$DIO_DISK" read size=1m gen=3
}

# It cannot be opened to be written.
refused()
{
	said=$(io "$1" "$DIO_DISK" write size=1m gen=2 2>&1) && { echo "it was opened"; return 1; }
	echo "$said"
	echo "$said" | grep -q 'Read-only file system$'
}

# The host's adapter takes no command now, every third time.
host_busy()
{
	tracing=/sys/kernel/tracing
	event=$tracing/events/scsi/scsi_dispatch_cmd_error
	[ -d $tracing/events ] || mount -t tracefs none $tracing 2>/dev/null || :
	[ -d $event ] || { echo "no tracepoint here tells of a busy host"; return 4; }
	echo >$tracing/trace
	_dio_put 1 $event/enable && inject busy && io "$1" "$DIO_DISK" load size=256k n=100
	rc=$?
	_dio_put 0 $event/enable
	no_fault && [ $rc -eq 0 ] || return
	grep -q 'scsi_dispatch_cmd_error: ' $tracing/trace || { echo "it was never busy"; return 1; }
}

# Nobody but the disk knows of it; its queue becomes shorter. Rules that have done their work count 0.
task_set_full()
{
	[ -e "$rules" ] || { echo "scsi_debug of this kernel takes no rules for errors"; return 4; }
	inject full && io "$1" "$DIO_DISK" load size=1m n=400
	rc=$?
	cat "$rules"
	left=$(awk '$1 == 2 && $2 == 0' "$rules" | wc -l)
	no_fault && [ $rc -eq 0 ] && [ "$left" -eq 2 ]
}

# Every 150th command is lost. Its time is over after a second, it is aborted, and sent again.
aborted()
{
	inject lost && io "$1" "$DIO_DISK" load size=1m n=400 least=900 most=20000
	rc=$?
	no_fault
	return $rc
}

# luns_reset: prints how many LUNs scsi_debug has reset so far
luns_reset()
{
	set -- /proc/scsi/scsi_debug/*
	[ -e "$1" ] && sed -n 's/^RESETs: device=\([0-9]*\),.*/\1/p' "$1"
}

# resets WAY: some while there are reads and writes in flight
resets()
{
	luns_reset >/dev/null ||
		{ echo "scsi_debug does not tell of resets (CONFIG_SCSI_PROC_FS)"; return 4; }
	command -v sg_reset || { echo "program sg_reset is missing"; return 4; }
	dio_sd_delay 5000000
	during "$1" "$DIO_DISK" "most=20000" three_resets
	rc=$?
	dio_sd_delay 0
	return $rc
}

three_resets()
{
	for _ in 1 2 3; do
		count=$(luns_reset)
		sg_reset -d -N "$DIO_DISK" && goes_on "$DIO_DISK" || return
		[ "$(luns_reset)" -gt "$count" ] || { echo "no LUN was reset"; return 1; }
	done
}

test_scsi()
{
	echo 1 >"/sys/block/${DIO_DISK##*/}/device/timeout"
	each_way "a write-protected LUN" protected
	each_way "a busy host" host_busy
	each_way "TASK SET FULL" task_set_full
	each_way "commands are lost, and aborted" aborted
	each_way "LUN resets" resets
}

# --- LIO ---------------------------------------------------------------------------------------

# with_lun BYTES ATTRIBUTES NAME CMD...: each_way with a LUN on one path, LIO_DISK
with_lun()
{
	wl_size=$1
	wl_attributes=$2
	shift 2
	# shellcheck disable=SC2086 # words
	if ! { lio_lun 1 "$wl_size" $wl_attributes && lio_path 1 0; }; then
		lacking=$DIO_WHY
	fi
	each_way "$@"
	lio_remove 1
	lacking=""
}

blocks_of_4k()
{
	[ "$(blockdev --getss "$LIO_DISK")" -eq 4096 ] || { echo "it has not 4096"; return 1; }
	io "$1" "$LIO_DISK" write size=2m && io "$1" "$LIO_DISK" read size=2m &&
		io "$1" "$LIO_DISK" read size=2m bs=64k || return
	if [ "$1" = buffered ]; then
		io "$1" "$LIO_DISK" write size=4k bs=512 gen=2 && io "$1" "$LIO_DISK" read size=4k gen=2
	else
		io "$1" "$LIO_DISK" write size=4k bs=512 bad=0 badsize=4k errno=EINVAL gen=2 &&
			io "$1" "$LIO_DISK" read size=4k bs=512 bad=0 badsize=4k errno=EINVAL
	fi
}

# A byte that changes on the disk is found by its sector's checksum.
with_pi()
{
	if ! grep -qs "TYPE$type-CRC" "/sys/block/${LIO_DISK##*/}/integrity/format"; then
		echo "this kernel has no CONFIG_BLK_DEV_INTEGRITY"
		return 4
	fi
	io "$1" "$LIO_DISK" write size=1m && io "$1" "$LIO_DISK" read size=1m &&
		io "$1" "$LIO_DISK" read size=1m bs=64k || return
	printf '\0' | dd of="$LIO_FILE" bs=1 seek=$((100 * 512 + 7)) conv=notrunc status=none
	io "$1" "$LIO_DISK" read size=1m bad="$(unreadable "$1" 51200)" badsize="$(granule "$1")" \
		"$(failure "$1" EILSEQ)" &&
		io "$1" "$LIO_DISK" write size=1m gen=2 && io "$1" "$LIO_DISK" read size=1m gen=2
}

# Across the places where 32 bits of sectors, and of pages, end; where a number would have come round
# to, other data stays.
large()
{
	for tib in 0 2 16; do
		io "$1" "$LIO_DISK" write "from=$((tib * mib * mib))" size=1m "gen=$((tib + 1))" || return
	done
	for tib in 2 16; do
		io "$1" "$LIO_DISK" write "from=$((tib * mib * mib - mib))" size=2m bs=64k gen=40 &&
			io "$1" "$LIO_DISK" read "from=$((tib * mib * mib - mib))" size=2m gen=40 || return
	done
	io "$1" "$LIO_DISK" read size=1m gen=1
}

# The only path goes, and comes back: errors for a while, and none after.
one_path()
{
	during "$1" "$LIO_DISK" "errno=EIO most=20000" off_and_on
}

off_and_on()
{
	count=$(ioerrs "$LIO_DISK")
	lio_transport 1 0 offline && dio_wait 20 has_errors $((count + 200)) &&
		lio_transport 1 0 online && goes_on "$LIO_DISK"
}

# has_errors N: a command is sent six times at most, and 32 are in flight, so with 200 one has failed.
has_errors()
{
	[ "$(ioerrs "$LIO_DISK")" -ge "$1" ] ||
		! kill -0 "$during_pid" 2>/dev/null
}

# Who has registered writes, who has not may only read. By two paths, as from two hosts. The first
# command on a path may be told that something has changed; only a read is sent again.
reserved()
{
	dd if="$path0" of=/dev/null count=1 iflag=direct status=none
	command -v sg_persist || { echo "program sg_persist is missing"; return 4; }
	io "$1" "$path1" write size=1m gen=1 && persist "$path0" --register --param-sark=17 &&
		persist "$path0" --reserve --param-rk=17 --prout-type=1 || return
	io "$1" "$path1" write size=1m gen=2 bad=0 badsize=1m "$(failure "$1" EBADE)" &&
		io "$1" "$path1" read size=1m gen=1 && owner_writes "$1"
	rc=$?
	dd if="$path0" of=/dev/null count=1 iflag=direct status=none
	persist "$path0" --clear --param-rk=17 && io "$1" "$path1" write size=1m gen=4 && return $rc
}

# persist DISK WORD...: a command for reservations; type 1 lets others read, not write
persist()
{
	persist_disk=$1
	shift
	sg_persist --no-inquiry --out "$@" "$persist_disk"
}

# A raw device and O_EXCL claim every path. So the owner writes as dd does.
owner_writes()
{
	dd if=/dev/zero of="$path0" bs=64k count=1 oflag=direct conv=notrunc status=none
}

# --- Two paths ---------------------------------------------------------------------------------

number()
{
	cat "/sys/class/block/${1##*/}/dev"
}

# paths_table: both in one group, taking turns; I/O waits while there is none.
#
# By requests, as multipathd has it; by bios where lockdep watches, which takes the run_work of all
# queues for one: that of a multipath device enters the queues of its paths, a path that goes takes
# sysfs_lock in its queue, and a disk that comes waits for its own run_work in sysfs_lock.
paths_table()
{
	_features="1 queue_if_no_path"
	[ ! -e /proc/lockdep ] || _features="3 queue_if_no_path queue_mode bio"
	echo "0 $(cat "/sys/class/block/${path0##*/}/size") multipath $_features 0 1 1" \
		"round-robin 0 2 1 $(number "$path0") 1 $(number "$path1") 1"
}

path_is()
{
	dmsetup status dio_paths | tr ' ' '\n' | grep -A 1 -x "$(number "$1")" | grep -qx "$2"
}

back()
{
	lio_transport 1 "$1" online && dmsetup message dio_paths 0 "reinstate_path $(number "$2")" &&
		goes_on "$multi" && path_is "$2" A
}

# A path is lost while the other has I/O, then it is back: nobody is told.
path_lost()
{
	during "$1" "$multi" "most=30000" lose_one
}

lose_one()
{
	lio_transport 1 0 offline && dio_wait 30 path_is "$path0" F && goes_on "$multi" &&
		back 0 "$path0"
}

paths_lost()
{
	during "$1" "$multi" "least=900 most=30000" lose_both
}

lose_both()
{
	lio_transport 1 0 offline && lio_transport 1 1 offline &&
		dio_wait 30 path_is "$path0" F && dio_wait 30 path_is "$path1" F && sleep 1 &&
		back 1 "$path1" && back 0 "$path0"
}

# scsi_dh_alua keeps states of its own, and asks for others.
standby()
{
	handler=$(cat "/sys/block/${path0##*/}/device/dh_state" 2>/dev/null || echo detached)
	if [ "$handler" != detached ]; then
		echo "the handler $handler has the disk's states"
		return 4
	fi
	during "$1" "$multi" "most=30000" switch
}

# A path becomes standby, and active again by way of a transition, which takes half a second.
switch()
{
	lio_state 1 0 2 0 && dio_wait 30 path_is "$path0" F && goes_on "$multi" &&
		lio_state 1 0 0 500 && back 0 "$path0"
}

# The disk goes while multipath holds it, so it comes back under another name, with its WWID.
renamed()
{
	during "$1" "$multi" "most=30000" rename
}

rename()
{
	old=$path0
	host=$(readlink -f "/sys/block/${path0##*/}/device")
	wwid=$(cat "$host/wwid")
	address=${host##*/}
	dio_pull "$path0" && dio_wait 30 path_is_gone && goes_on "$multi" &&
		put "- - -" "/sys/class/scsi_host/host${address%%:*}/scan" &&
		dio_wait 30 _lio_arrived "${address%:*}" || return
	path0=$LIO_DISK
	echo "$old is $path0 now"
	[ "$old" != "$path0" ] &&
		[ "$(cat "/sys/block/${path0##*/}/device/wwid")" = "$wwid" ] &&
		dio_dm_table paths "$(paths_table)" && goes_on "$multi" && path_is "$path0" A
}

path_is_gone()
{
	dmsetup status dio_paths | tr ' ' '\n' | grep -qx F
}

# has_target NAME: sets $lacking if device-mapper has no such target.
has_target()
{
	modprobe -q "dm-$1" 2>/dev/null
	dmsetup targets 2>/dev/null | grep -q "^$1 " && return
	lacking="device-mapper of this kernel has no $1"
	return 1
}

test_paths()
{
	if lio_lun 1 $small && lio_path 1 0 && path0=$LIO_DISK && lio_path 1 1 && path1=$LIO_DISK; then
		:
	else
		lacking=$DIO_WHY
	fi
	no_paths=$lacking
	[ -n "$lacking" ] || lio_keeps_reservations 1 || lacking=$DIO_WHY
	each_way "a reservation is somebody else's" reserved
	lacking=$no_paths
	multi=""
	if [ -z "$lacking" ] && has_target multipath; then
		dio_dm paths "$(paths_table)" || :	# then the cases fail
		multi=$DIO_DM
	fi
	each_way "one of two paths is lost, and back" path_lost
	each_way "both paths are lost, and back" paths_lost
	each_way "ALUA: standby, and back by a transition" standby
	each_way "a path is back under another name" renamed
	dio_dm_remove paths
	lio_remove 1
	lacking=""
}

# --- Device-mapper, null_blk -------------------------------------------------------------------

# make_thin: a volume of 16 MiB on a pool of 8
make_thin()
{
	dd if=/dev/zero of="$DIO_DISK" bs=4k count=1 oflag=direct status=none
	dio_dm meta "0 8192 linear $DIO_DISK 0" && meta=$DIO_DM &&
		dio_dm data "0 16384 linear $DIO_DISK 8192" && data=$DIO_DM &&
		dio_dm pool "0 16384 thin-pool $meta $data 128 0 1 error_if_no_space" &&
		pool=$DIO_DM && dmsetup message dio_pool 0 "create_thin 0" &&
		dio_dm thin "0 32768 thin $pool 0"
}

# The first half is there, no more can be had.
out_of_space()
{
	{ make_thin || { echo "$DIO_WHY"; false; }; } &&
		io "$1" "$DIO_DM" write size=8m bs=64k &&
		io "$1" "$DIO_DM" write size=16m bs=64k gen=2 bad=8m badsize=8m \
			"$(failure "$1" ENOSPC)" && io "$1" "$DIO_DM" read size=8m bs=64k gen=2
	rc=$?
	for each in thin pool data meta; do
		dio_dm_remove $each
	done
	return $rc
}

# Each way has a zone of its own, of 4 MiB: it is written in order, and nowhere else.
zoned()
{
	case $1 in
	direct)		zone=0 ;;
	raw)		zone=4 ;;
	buffered)	zone=8 ;;
	esac
	[ "$(cat "/sys/class/block/${DIO_NULL##*/}/queue/zoned")" = host-managed ] &&
		io "$1" "$DIO_NULL" write from="${zone}m" size=2m bs=64k depth=1 || return
	there=$((zone * mib + 3 * mib))
	# Where a failed write has left the zone the kernel knows after a report.
	io "$1" "$DIO_NULL" write from=$there size=64k bs=64k bad=$there badsize=64k errno=EIO &&
		blkzone report "$DIO_NULL" >/dev/null &&
		io "$1" "$DIO_NULL" read from="${zone}m" size=2m &&
		io "$1" "$DIO_NULL" write from=$(((zone + 2) * mib)) size=64k bs=64k
}

test_zoned()
{
	dio_null zoned zoned=1 zone_size=4 zone_nr_conv=0 || lacking=$DIO_WHY
	each_way "a host-managed zoned disk" zoned
	dio_null_remove zoned
	lacking=""
}

# --- The cases ---------------------------------------------------------------------------------

dio_init "$@"
dio_need blockdev dd dmsetup flock
unset DIO_SCRATCH
lacking=""
[ -e /dev/raw/rawctl ] || modprobe -q raw 2>/dev/null
[ ! -e /dev/raw/rawctl ] || dio_get_raw
make_sd
complaints=$(dio_complaints)
dio_plan $planned

test_medium
test_mirror
test_scsi
with_lun $small block_size=4096 "blocks of 4096 bytes" blocks_of_4k
for type in 1 3; do
	with_lun $small "pi_prot_type=$type pi_prot_format=1" "T10-PI, type $type" with_pi
done
with_lun $((17 * mib * mib)) "" "beyond 2 and 16 TiB" large
with_lun $small "" "the only path is lost, and back" one_path
test_paths
has_target thin-pool
each_way "a thin volume is full" out_of_space
lacking=""
test_zoned
dio_check "the kernel did not complain" dio_no_complaints "$complaints"
