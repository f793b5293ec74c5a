#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Disks of an array that fail: the right error for the right I/O only, every other byte right, and no
# I/O that waits for longer than the fault lasts.
#
# Each case is tried three ways: with O_DIRECT, on a raw device, and through the page cache. Who is
# hurt when one fails: whoever loses a path or a sector, and gets an error for data that is fine, or
# none for data that is lost. Disks are scsi_debug's, LIO's (dio_lio.sh) and device-mapper's; DIO_DISKS
# and DIO_SCRATCH are not used. What the SCSI layer does by itself (aborts, resets, busy hosts,
# reservations, ALUA), and zoned disks, are blktests' to test: arrays.rst.

. "$(dirname "$0")/dio_common.sh"
. "$DIO_DIR/dio_lio.sh"
. "$DIO_DIR/dio_md.sh"

small=67108864
mib=1048576
way=""		# direct, raw or buffered
node=""		# what use has named

# --- I/O three ways ----------------------------------------------------------------------------

# use DISK: what follows is on it, or on a raw device that is bound to it
use()
{
	node=$1 under=$1
	[ "$way" = raw ] || return 0
	node=/dev/raw/raw$DIO_RAW
	"$DIO_DIR/raw" "$DIO_RAW" "$1" >/dev/null
}

# io write|read FROM BYTES [BS]: fio writes blocks, 32 at a time, or reads and verifies them; through
# the page cache it is one after the other, and each is synced. For a raw device fio takes size= for
# its end. What is written is always the same, so zeros are written before, past all of these.
io()
{
	size=$3 how="libaio --iodepth=32 --direct=1"
	case $way in
	raw)		size=$(($2 + $3)) ;;
	buffered)	how="psync --sync=1 --fadvise_hint=random" ;;
	esac
	[ "$1" = read ] || dd if=/dev/zero of="$under" bs=64k seek=$(($2 / 65536)) \
		count=$(($3 / 65536)) oflag=direct conv=notrunc status=none || return
	# shellcheck disable=SC2086 # words
	[ "$3" -eq 0 ] || fio --eta=never --name=io --filename="$node" --rw="$1" --offset="$2" \
		--io_size="$3" --size="$size" --bs="${4:-4k}" --verify=crc32c --verify_interval=512 \
		--do_verify=0 --verify_fatal=1 --verify_state_save=0 --ioengine=$how
}

# fails WHY read|write AT BYTES: one request of BYTES gives that error. The page cache says EIO,
# whatever the disk said.
fails()
{
	why=$1 flag=dsync
	case $way in
	direct)		flag=direct ;;
	buffered)	why="Input/output error" ;;
	esac
	if [ "$2" = read ]; then
		set -- "$@" if="$node" of=/dev/null skip=$(($3 / $4)) iflag=$flag
	else
		set -- "$@" if=/dev/zero of="$node" seek=$(($3 / $4)) oflag=$flag conv=notrunc
	fi
	bytes=$4
	shift 4
	dio_ends 1 "$why" dd bs="$bytes" count=1 "$@"
}

free_raw()
{
	[ "$DIO_RAW" -eq 0 ] || dio_unbind "$DIO_RAW"
}

# each_way NAME CMD...: three results; CMD may exit with 4 to be skipped for the reason that its last
# line gives. All are skipped if $lacking says why.
each_way()
{
	each_name=$1
	shift
	for way in direct raw buffered; do
		each_lacks=$lacking
		[ "$way" != raw ] || [ "$DIO_RAW" -ne 0 ] || each_lacks="kernel has no raw driver"
		dio_unless "$each_lacks" "$each_name, $way" dio_then free_raw "$@"
	done
}

# --- Bad sectors -------------------------------------------------------------------------------

sd=/sys/bus/pseudo/drivers/scsi_debug
param=/sys/module/scsi_debug/parameters

# bad_sector 1|10: how many of each scsi_debug disk cannot be read, if opts is 2; 10 is its default
bad_sector()
{
	_dio_put "$1" $param/medium_error_count && _dio_put $(($1 == 1 ? 2 : 0)) $sd/opts
}

# around AT BYTES FROM: what lies between FROM and 1 MiB further on is right, but for BYTES at AT
around()
{
	io read "$3" $(($1 - $3)) && io read $(($1 + $2)) $(($3 + mib - $1 - $2))
}

# lost WHY AT FROM: the sector at AT cannot be read, nor what is read with it; of a page in the page
# cache all is lost. The rest is there.
lost()
{
	if [ "$way" = buffered ]; then
		fails "$1" read $(($2 / 4096 * 4096)) 4096 && around $(($2 / 4096 * 4096)) 4096 "$3"
	else
		fails "$1" read "$2" 512 && fails "$1" read $(($2 / 65536 * 65536)) 65536 &&
			around $(($2 / 4096 * 4096)) 4096 "$3"
	fi
}

# Sector 4660 of scsi_debug
medium()
{
	from=$((bad / mib * mib))
	use "$DIO_DISK" && io write $from $mib && bad_sector 1 || return
	rc=0
	lost "No data available" "$bad" $from || rc=1
	# in one of several bios of a request
	[ "$way" = buffered ] || fails "No data available" read 0 $((3 * mib)) || rc=1
	bad_sector 10 && io read $from $mib && io read $from $mib 64k && return $rc
}

# Of two halves the one that is read cannot read its sector: the other has it. An array begins 4 MiB
# into its disks, so the first half begins with the end of its disk.
# Exits with 4 if the kernel cannot have one.
mirror()
{
	dio_dm half "0 8192 linear $DIO_DISK 98304
8192 98304 linear $DIO_DISK 0" || return
	if ! dio_md raid1 "$DIO_DM" "$LIO_DISK"; then
		echo "$DIO_WHY"
		return $((${DIO_WHY:+3} + 1))
	fi
	_dio_put writemostly "/sys/block/md125/md/dev-${LIO_DISK##*/}/state" || return
	errors=$(dio_sys "$DIO_DISK" device/ioerr_cnt)
	use /dev/md125 && io write $((2 * mib)) $mib && bad_sector 1 && io read $((2 * mib)) $mib ||
		return
	[ $(($(dio_sys "$DIO_DISK" device/ioerr_cnt))) -gt $((errors)) ] ||
		{ echo "no sector was bad"; return 1; }
}

# A byte that changes on the disk (fio has a zero there) is found by its sector's checksum.
with_pi()
{
	if ! grep -qs "TYPE$type-CRC" "/sys/block/${LIO_DISK##*/}/integrity/format"; then
		echo "this kernel has no CONFIG_BLK_DEV_INTEGRITY"
		return 4
	fi
	use "$LIO_DISK" && io write 0 $mib && io read 0 $mib && io read 0 $mib 64k || return
	printf '\377' | dd of="$LIO_FILE" bs=1 seek=$((100 * 512 + 7)) conv=notrunc status=none
	lost "Invalid or incomplete multibyte" 51200 0 && io write 0 $mib && io read 0 $mib
}

# --- Where a disk ends, and paths to it ----------------------------------------------------------

# Across the places where 32 bits of sectors, and of pages, end; where a number would have come round
# to, other data stays.
large()
{
	tib=$((mib * mib))
	use "$LIO_DISK" || return
	for at in 0 $((2 * tib - mib)) $((16 * tib - mib)); do
		io write $at $((2 * mib)) 64k || return
	done
	for at in 0 $((2 * tib - mib)) $((16 * tib - mib)); do
		io read $at $((2 * mib)) || return
	done
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
	echo "0 $(dio_sys "$path0" size) multipath $_features 0 1 1" \
		"round-robin 0 2 1 $(dio_sys "$path0" dev) 1 $(dio_sys "$path1" dev) 1"
}

path_is()
{
	dmsetup status dio_paths | tr ' ' '\n' | grep -A 1 -x "$(dio_sys "$1" dev)" | grep -qx "$2"
}

# goes_on [SECTORS]: the load writes so much more, so I/O gets through now.
goes_on()
{
	dio_writes "$load" "${1-128}" "$DIO_DM"
}

back()
{
	lio_transport 1 "$1" online &&
		dmsetup message dio_paths 0 "reinstate_path $(dio_sys "$2" dev)" &&
		goes_on && path_is "$2" A
}

# waits: while there is no path nothing is done, nor does it fail.
waits()
{
	before="$(dio_stat "$DIO_DM" 1) $(dio_stat "$DIO_DM" 5)"
	sleep 1
	kill -0 "$load" && [ "$(dio_stat "$DIO_DM" 1) $(dio_stat "$DIO_DM" 5)" = "$before" ]
}

# Both paths are lost, and come back; I/O that is under way waits, and nobody is told.
paths_lost()
{
	use "$DIO_DM" && rm -f "$DIO_TMP/enough" || return
	export DIO_FIO_DIRECT="$node" DIO_FIO_RAW="$node" DIO_FIO_BUFFERED="$node" DIO_FIO_MOST=30s
	dio_array_load "--section=$way" &
	load=$!
	goes_on && lio_transport 1 0 offline && dio_wait 30 path_is "$path0" F && goes_on &&
		lio_transport 1 1 offline && dio_wait 30 path_is "$path1" F && waits &&
		back 1 "$path1" && back 0 "$path0" && goes_on 8192
	rc=$?
	touch "$DIO_TMP/enough"
	wait $load && return $rc
}

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
	{ make_thin || { set -- $?; echo "$DIO_WHY"; (exit "$1"); }; } && use "$DIO_DM" &&
		io write 0 $((8 * mib)) 64k &&
		fails "No space left" write $((8 * mib)) 65536 && io read 0 $((8 * mib)) 64k
	thin_rc=$?
	for each in thin pool data meta; do
		dio_dm_remove $each
	done
	return $thin_rc
}

# --- The cases ---------------------------------------------------------------------------------

# with_lun BYTES ATTRIBUTES NAME CMD...: each_way with a LUN on one path, LIO_DISK
with_lun()
{
	# shellcheck disable=SC2086 # words
	lio_lun 1 "$1" $2 && lio_path 1 0 || lacking=$DIO_WHY
	shift 2
	each_way "$@"
	lio_remove 1
	lacking=""
}

export LC_ALL=C
dio_init "$@"
dio_need blockdev dd dmsetup fio
unset DIO_SCRATCH
lacking=""
[ -e /dev/raw/rawctl ] || modprobe -q raw 2>/dev/null
[ ! -e /dev/raw/rawctl ] || dio_get_raw
dio_get_scratch
# Merged with its neighbours, a request takes them with it when it fails.
echo 2 >"/sys/block/${DIO_DISK##*/}/queue/nomerges"
bad=$(($(cat $param/medium_error_start) * 512))
dio_on_exit bad_sector 10
dio_plan 22

each_way "a bad sector" medium
with_lun $small "" "a bad sector below a mirror" \
	dio_then "bad_sector 10 && dio_md_remove && dio_dm_remove half" mirror
for type in 1 3; do
	with_lun $small "pi_prot_type=$type pi_prot_format=1" "T10-PI, type $type" with_pi
done
with_lun $((17 * mib * mib)) "" "beyond 2 and 16 TiB" large
if lio_lun 1 $small && lio_path 1 0 && path0=$LIO_DISK && lio_path 1 1 && path1=$LIO_DISK; then
	dio_dm paths "$(paths_table)"
	[ $? -ne 4 ] || lacking=$DIO_WHY	# else the cases fail
else
	lacking=$DIO_WHY
fi
each_way "both paths are lost, and back" paths_lost
dio_dm_remove paths
lio_remove 1
lacking=""
each_way "a thin volume is full" out_of_space
dio_no_complaints
