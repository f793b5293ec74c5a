#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs bench cases in the guest, and prints a line of JSON for each figure.
#
#	bench.sh [-n PASSES] CASE...
#
# CASE is one of
#	disks				the four ways on the eight HBA disks (guest.sh -d), 8 MiB of each
#					for each of PASSES, 64 at most: time
#	sas fc many fc-short many-short	the field reports on an array: see bench_array.sh
# or of these, on a data path that copies nothing; under guest.sh -c their time is instructions:
#	direct raw buffered nocopy	the four ways on eight scsi_debug disks with fake_rw, where a
#					request ends within its submission; a pass reads 512 MiB,
#					or 2048 MiB at random places (direct, raw), all passes in one
#					process: what it takes to start and end one is not theirs
#	WHAT-SIZE-WHERE			random O_DIRECT I/Os of one size, SIZE 4k, 64k, 1m or 1m-huge
#					(memory in huge pages); WHAT read, overwrite (both synchronous),
#					aio or uring (reads, depth 32); WHERE bdev, raw, or a file of
#					32 MiB on ext2, jfs, vfat (clusters of 32 KiB), ext4 or xfs, of
#					which the first page is in the page cache. A pass is 20000 I/Os
#					of 4k, 4000 of 64k, 500 of 1m. read-4k-FS also tells what the file
#					system's get_block takes of it (FIBMAP)
#	readers-N-FS			N = 2 to 8 processes read a file whose mapping blocks are not cached,
#					from a disk that answers after 50 ms: elapsed time
# or of those of readahead, see bench_readahead.sh; under guest.sh -c their time is exact too.
#
# The file system is made on a disk that keeps its data. When all that maps the file's blocks is
# cached, device-mapper puts a null_blk that neither keeps nor copies data in its place; bdev and
# raw have that device-mapper disk too, so that they are the floor under a file system.
#
# A case that this kernel cannot run (raw on stock) prints nothing and succeeds. bench.py reads the
# lines. Exit: 0 done, 1 a read failed or had wrong data, 2 usage.

set -eu
set -o pipefail

out=${O:-$PWD}
bin=$out/kselftest
mib=64				# read of each disk by one of the four ways

die()
{
	echo "bench: $2" >&2
	exit "$1"
}

# fields NAME [FILE]...: the numbers called NAME in JSON objects, one a line
fields()
{
	local name=$1
	shift

	sed -n "s/.*\"$name\": \([0-9.]*\).*/\1/p" "$@"
}

# emit REPORT CASE METRIC UNIT VALUE COMMAND
emit()
{
	printf '{"report": "%s", "case": "%s", "metric": "%s", "unit": "%s", "value": %s, ' \
		"$1" "$2" "$3" "$4" "$5"
	printf '"command": "%s"}\n' "$6"
}

# median: of the numbers on stdin; the lower one of two
median()
{
	sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# Forget what is cached of the block devices.
flush()
{
	local disk

	for disk in "$@"; do
		blockdev --flushbufs "$disk"
	done
}

has_raw()
{
	[ -e /dev/raw/rawctl ]
}

# bind_all DISK...: sets $raws to raw devices bound to the disks
bind_all()
{
	local n=100 disk

	raws=()
	for disk in "$@"; do
		n=$((n + 1))
		"$bin/raw" "raw$n" "$disk" >/dev/null || die 1 "raw$n cannot be bound to $disk"
		raws+=("/dev/raw/raw$n")
	done
}

unbind_all()
{
	local raw

	for raw in "${raws[@]}"; do
		"$bin/raw" "${raw##*/}" 0 0 >/dev/null
	done
}

# on_short: the devices of $on as one word, the way a shell would match them, or how many they are
on_short()
{
	local first=${on[0]} last=${on[-1]}

	if [ "${first%?}" = "${last%?}" ] && [ "$first" != "$last" ]; then
		echo "${first%?}[${first: -1}-${last: -1}]"
	elif [ "${#on[@]}" -gt 1 ]; then
		echo "${#on[@]} disks"
	else
		echo "${on[*]}"
	fi
}

# args_of WAY: sets $args to the words of disk_read that read $mib, and $on to its devices, of
# $disks and $raws
args_of()
{
	on=("${disks[@]}")
	case $1 in
	direct)		args="blocks=$mib bs=1m direct" ;;
	raw)		args="blocks=$mib bs=1m"; on=("${raws[@]}") ;;
	buffered)	args="blocks=$((mib * 128)) bs=8k" ;;
	nocopy)		args="blocks=$((mib * 128)) bs=8k nocopy" ;;
	esac
}

# The eight disks of the HBAs, in the order of their stamps (serial dio0 to dio7)
hba_disks()
{
	local n disk

	disks=()
	for n in 0 1 2 3 4 5 6 7; do
		for disk in /sys/block/sd*; do
			if grep -qsw "dio$n" "$disk/device/vpd_pg80"; then
				disks+=("/dev/${disk##*/}")
			fi
		done
	done
	[ "${#disks[@]}" -eq 8 ] || die 1 "found ${#disks[@]} of 8 HBA disks"
}

# four_ways ROUNDS [PREFIX]: reads $mib of each of $disks by each way; a case is PREFIX and the way.
# They take turns, so that what a round meets (a slow moment of the host, memory that lies in
# pieces) hits them all.
four_ways()
{
	local way ways="direct buffered nocopy" round dir

	if has_raw; then
		bind_all "${disks[@]}"
		ways="direct raw buffered nocopy"
	fi
	dir=$(mktemp -d)
	for ((round = 0; round < $1; round++)); do
		for way in $ways; do
			args_of "$way"
			flush "${disks[@]}"
			# shellcheck disable=SC2086 # words
			"$bin/disk_read" $args --json "${on[@]}" >"$dir/$way.$round" ||
				die 1 "${2-}$way failed"
		done
	done
	for way in $ways; do
		args_of "$way"
		emit field-1 "${2-}$way" mb_per_s MiB/s \
			"$(fields mb_per_s "$dir/$way".* | median)" "disk_read $args $(on_short)"
		emit field-1 "${2-}$way" latency_us us \
			"$(fields nsec_per_block "$dir/$way".* | median | awk '{ printf "%.3f", $1 / 1000 }')" \
			"disk_read $args $(on_short)"
	done
	rm -rf "$dir"
	! has_raw || unbind_all
}

run_disks()
{
	local way mib=$((n < 8 ? 8 * n : 64))

	hba_disks
	for way in "" direct; do
		# shellcheck disable=SC2086 # a word or none
		"$bin/disk_read" blocks=$mib bs=1m $way verify "${disks[@]}" >&2 ||
			die 1 "the disks do not hold their stamps"
	done
	if has_raw; then
		bind_all "${disks[@]}"
		"$bin/disk_read" "blocks=$mib" bs=1m verify "${raws[@]}" >&2 ||
			die 1 "the raw devices read wrong data"
		unbind_all
	fi
	four_ways 3
}

# Eight disks that copy nothing, made here
scsi_disks()
{
	local driver=/sys/bus/pseudo/drivers/scsi_debug disk tries

	if [ "$(cat $driver/add_host)" -eq 0 ]; then
		echo 1 >$driver/fake_rw
		echo 8 >$driver/num_tgts
		echo 0 >$driver/delay
		echo 1 >$driver/add_host
	fi
	for ((tries = 0; tries < 100; tries++)); do
		disks=()
		for disk in /sys/block/sd*; do
			! grep -qs scsi_debug "$disk/device/model" || disks+=("/dev/${disk##*/}")
		done
		[ "${#disks[@]}" -lt 8 ] || break
		sleep 0.1
	done
	[ "${#disks[@]}" -eq 8 ] || die 1 "found ${#disks[@]} of 8 scsi_debug disks"
}

# make_null NAME MEMORY_BACKED: a null_blk disk of 384 MiB; sets $null to its node
make_null()
{
	local dir=/sys/kernel/config/nullb/$1 setting

	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir "$dir"
	for setting in size=384 irqmode=0 queue_mode=2 "memory_backed=$2" power=1; do
		echo "${setting#*=}" >"$dir/${setting%%=*}"
	done
	null=/dev/$1
	[ -b "$null" ] || null=/dev/nullb$(cat "$dir/index")
}

dm()
{
	dmsetup "$@" --noudevrules --noudevsync
}

# switch_to DISK: what is behind the device-mapper disk from now on
switch_to()
{
	dm suspend --nolockfs bench
	dmsetup reload bench --table "0 786432 linear $1 0"
	dm resume bench
}

# the_file WHERE [MIB]: sets $file to what is to be read, or to nothing if this kernel has no such
# thing. A file in a file system has MIB (32) MiB.
the_file()
{
	local mnt=/run/bench mib=${2-32}

	if [ "${where-}" = "$1 $mib" ]; then
		return
	fi
	if mountpoint -q "$mnt"; then
		umount "$mnt"
	fi
	if [ ! -d /sys/kernel/config/nullb/empty ]; then
		make_null empty 0
		empty=$null
		make_null memory 1
		memory=$null
		dm create bench --table "0 786432 linear $empty 0"
		disks=("/dev/$(dmsetup info -c --noheadings -o blkdevname bench)")
	fi
	where="$1 $mib"
	case $1 in
	bdev)
		file=${disks[0]}
		return
		;;
	raw)
		file=""
		has_raw || return 0
		bind_all "${disks[@]}"
		file=${raws[0]}
		return
		;;
	esac

	switch_to "$memory"
	case $1 in
	ext2|ext4)	mke2fs -q -F -t "$1" -b 4096 "${disks[0]}" ;;
	jfs)		mkfs.jfs -q "${disks[0]}" ;;
	vfat)		mkfs.vfat -F 16 -s 64 "${disks[0]}" ;;
	xfs)		mkfs.xfs -q -f "${disks[0]}" ;;
	esac >/dev/null 2>&1
	mkdir -p "$mnt"
	mount -t "$1" -o noatime "${disks[0]}" "$mnt"
	file=$mnt/file
	dd if=/dev/zero of="$file" bs=1M count="$mib" oflag=direct status=none
	sync
	dd if="$file" of=/dev/null bs=4k iflag=direct status=none
	dd if="$file" of=/dev/null bs=4k count=1 status=none
	switch_to "$empty"
}

# run_io WHAT SIZE WHERE PASSES
run_io()
{
	local n way="read" words="" size=$2 value

	case $2 in
	4k)	n=20000 ;;
	64k)	n=4000 ;;
	*)	n=500; size=1m ;;
	esac
	case $1 in
	overwrite)	way="write" ;;
	aio|uring)	words=$1 ;;
	esac
	case $2 in
	*-huge)		words=huge ;;
	esac
	the_file "$3"
	[ -n "$file" ] || return 0
	words="$way${words:+ $words} bs=$size n=$((n * $4)) $file"
	# shellcheck disable=SC2086
	value=$("$bin/dio_load" $words) || die 1 "$1-$2-$3 failed"
	emit engine "$1-$2-$3" insn insn "$value" "dio_load $words"
	case $1-$2-$3 in
	*-bdev|*-raw|*-xfs)	return ;;	# maps nothing, or not by get_block
	read-4k-*)	;;
	*)		return ;;
	esac
	words="map bs=$size n=$((n * $4)) $file"
	# shellcheck disable=SC2086
	value=$("$bin/dio_load" $words) || die 1 "$1-$2-$3: no map"
	emit engine "$1-$2-$3" insn_get_block insn "$value" "dio_load $words"
}

# run_readers N WHERE: as many processes read a file of which no mapping block is cached, from a
# disk that takes 50 ms a read. Nothing is counted here but the time that they spend waiting.
run_readers()
{
	local value

	the_file "$2"
	[ -n "$file" ] || return 0
	dm suspend --nolockfs bench
	dmsetup reload bench --table "0 786432 delay $memory 0 50 $memory 0 0"
	dm resume bench
	sync
	flush "${disks[0]}"	# drop_caches leaves what each CPU looked up last
	echo 3 >/proc/sys/vm/drop_caches
	value=$("$bin/dio_load" read readers="$1" bs=4k n=1 "$file") || die 1 "readers-$1-$2 failed"
	switch_to "$empty"
	emit engine "readers-$1-$2" elapsed us "$(awk -v ns="$value" 'BEGIN { print ns / 1000 }')" \
		"dio_load read readers=$1 bs=4k n=1 $file (dm-delay 50 ms)"
}

# nsec_of ARGS...: the time of one disk_read
nsec_of()
{
	flush "${disks[@]}"
	"$bin/disk_read" "$@" --json |
		sed 's/.*"bytes": [0-9]*, "seconds": \([0-9]*\)\.\([0-9]*\),.*/\1\2/;s/^0*//'
}

run_case()
{
	local name=$1 n=$2 i one read=512

	case $name in
	direct|raw|buffered|nocopy)
		scsi_disks
		if [ "$name" = raw ]; then
			has_raw || return 0
			bind_all "${disks[@]}"
		fi
		args_of "$name"
		nsec=0
		case $name in
		direct|raw)
			args="${args/blocks=$mib/blocks=$((256 * n))} random"
			read=2048
			# shellcheck disable=SC2086
			nsec=$(nsec_of $args "${on[@]}") || die 1 "$name failed"
			;;
		*)
			for ((i = 0; i < n; i++)); do
				# shellcheck disable=SC2086
				one=$(nsec_of $args "${on[@]}") || die 1 "$name failed"
				nsec=$((nsec + one))
			done
			;;
		esac
		emit field-1 "$name" insn_per_mib insn/MiB \
			"$(awk -v ns="$nsec" -v mib=$((n * read)) 'BEGIN { printf "%.1f", ns / mib }')" \
			"disk_read $args $(on_short) (scsi_debug fake_rw=1 delay=0)"
		;;
	readers-[2-8]-*)
		run_readers "${name:8:1}" "${name:10}"
		;;
	read-*-*|overwrite-*-*|aio-*-*|uring-*-*)
		name=${1%-*}
		run_io "${name%%-*}" "${name#*-}" "${1##*-}" "$n"
		;;
	*)
		run_ra "$name"
		;;
	esac
}

# shellcheck source=bench_array.sh
. "$(dirname "$0")/bench_array.sh"
# shellcheck source=bench_readahead.sh
. "$(dirname "$0")/bench_readahead.sh"

n=1
while getopts n: opt; do
	case $opt in
	n)	n=$OPTARG ;;
	*)	die 2 "usage: bench.sh [-n PASSES] CASE..." ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die 2 "no case"
for each in "$@"; do
	case $each in
	disks)	run_disks ;;
	sas|fc|many|fc-short|many-short)	bench_array "$each" ;;
	*)	run_case "$each" "$n" ;;
	esac
done
