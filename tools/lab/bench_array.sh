#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The field reports on an array (see array.sh); bench.sh reads this file and calls bench_array CASE:
# an array's name, or for what `make run` shows
#	fc-short	less of field-1, field-3 and field-4
#	many-short	of field-5, a file extend on ext2
#
# Cases are named NAME-..., figures are those of the reports:
#	field-1		the four ways on all disks at once
#	field-3		32 MiB files made, written, fsynced and closed, by 1 MiB, buffered and direct, on
#			one disk and on md RAID0; gain is direct to buffered. Two rounds, not 16: when
#			the clock counts instructions, one is like the other
#	field-4		random 4 and 8 KiB AIO on a file on ext2 on a dm stripe, 7 reads to 5 writes
#	field-5		a 512 MiB file by one O_DIRECT write: file extend, hole fill, overwrite, on a dm
#			stripe. I/Os are those that the disks completed
#
# Data is verified: stamps of the disks in field-1, of the files in field-3 and in field-5. Figures
# of field-5 on many disks are then taken again with scsi_debug's fake_rw, which neither stores nor
# copies: by then everything that the file systems would read is in memory.
# shellcheck disable=SC2034,SC2154 # $bin is bench.sh's

array=$(dirname "${BASH_SOURCE[0]}")/array.sh
mnt=/run/bench-array
fake=/sys/bus/pseudo/drivers/scsi_debug/fake_rw

# make_fs FS DEVICE: a new file system, mounted on $mnt
make_fs()
{
	case $1 in
	ext2|ext3)	mke2fs -q -F -t "$1" -b 4096 "$2" ;;
	jfs)		mkfs.jfs -q "$2" ;;
	xfs)		mkfs.xfs -q -f "$2" ;;
	esac >/dev/null 2>&1 || die 1 "$1 cannot be made on $2"
	mkdir -p "$mnt"
	mount -t "$1" -o noatime "$2" "$mnt"
}

# up NAME [md|dm]: sets $disks
up()
{
	local list

	list=$("$array" up "$@") || die 1 "$1 does not come up"
	mapfile -t disks <<<"$list"
}

down()
{
	if mountpoint -q "$mnt"; then
		umount "$mnt"
	fi
	"$array" down "$1"
}

# per_second BYTES NSEC: MiB/s
per_second()
{
	awk -v b="$1" -v ns="$2" 'BEGIN { printf "%.2f", b / 1048576 / (ns / 1e9) }'
}

# file_loop PLACE DEVICE
file_loop()
{
	local fs way json words ns buffered

	for fs in $file_systems; do
		make_fs "$fs" "$2"
		for way in buffered direct; do
			words="create bs=1m size=32m n=$rounds"
			[ $way = buffered ] || words="create direct bs=1m size=32m n=$rounds"
			# shellcheck disable=SC2086
			json=$("$bin/dio_write" $words verify "$mnt/file") ||
				die 1 "$1-$fs-$way failed"
			ns=$(fields ns <<<"$json")
			emit field-3 "$1-$fs-$way" mb_per_s MiB/s "$(per_second 33554432 "$ns")" \
				"dio_write $words"
			[ $way = direct ] || buffered=$ns
		done
		emit field-3 "$1-$fs" gain "" \
			"$(awk -v b="$buffered" -v d="$ns" 'BEGIN { printf "%.3f", b / d }')" \
			"direct to buffered"
		umount "$mnt"
	done
}

# oltp NAME DEVICE
oltp()
{
	local bs words ns per_s

	make_fs ext2 "$2"
	dd if=/dev/zero of="$mnt/file" bs=1M count=64 oflag=direct status=none
	for bs in 4k 8k; do
		words="mix aio depth=32 bs=$bs n=$ios"
		# shellcheck disable=SC2086
		ns=$("$bin/dio_load" $words "$mnt/file") || die 1 "$1-oltp-$bs failed"
		emit field-4 "$1-oltp-$bs" insn insn "$ns" "dio_load $words"
		per_s=$(awk -v ns="$ns" 'BEGIN { printf "%.0f", 1e9 / ns }')
		emit field-4 "$1-oltp-$bs" per_s I/O/s "$per_s" "dio_load $words"
	done
	umount "$mnt"
}

# big_files NAME FILE-SYSTEMS OPERATIONS: fake_rw empties the disks, so that each case has an array
# of its own
big_files()
{
	local fs op

	for fs in $2; do
		for op in $3; do
			up "$1" dm
			joined=${disks[0]}
			make_fs "$fs" "$joined"
			big_file "$1-$fs-$op" "$op direct bs=512m size=512m n=1"
			down "$1"
			echo 0 >$fake
		done
	done
}

# big_file CASE WORDS: once with data, which is verified, then without
big_file()
{
	local json before after

	# shellcheck disable=SC2086
	"$bin/dio_write" $2 verify "$mnt/file" >/dev/null || die 1 "$1 failed"
	# From here on what is not in memory is lost: no old file, but for what is to be overwritten,
	# and all bitmaps, which dumpe2fs reads.
	[[ $2 = over* ]] || rm "$mnt/file"
	sync
	dumpe2fs "$joined" >/dev/null 2>&1 || :
	echo 1 >$fake
	before=$(disk_writes)
	# shellcheck disable=SC2086
	json=$("$bin/dio_write" $2 "$mnt/file") || die 1 "$1 failed without data"
	after=$(disk_writes)
	# shellcheck disable=SC2086
	set -- "$1" "$2" $before $after "$(fields ns <<<"$json")"
	emit_ios "$@"
}

# disk_writes: writes completed by all disks behind $joined, sectors written, and the bios that
# $joined was sent, each once for each disk that it touches
disk_writes()
{
	local dir=/sys/class/block/${joined##*/}

	cat "$dir"/slaves/*/stat | awk '{ ios += $5; sectors += $7 } END { print ios, sectors }'
	awk '{ print $5 }' "$dir/stat"
}

# emit_ios CASE WORDS IOS SECTORS BIOS IOS SECTORS BIOS NSEC: what one I/O of 512 MiB took
emit_ios()
{
	awk -v ios=$(($6 - $3)) -v sectors=$(($7 - $4)) -v bios=$(($8 - $5)) -v ns="$9" 'BEGIN {
		kib = sectors / 2 / ios
		print "mb_per_s MiB/s", 512 / (ns / 1e9)
		print "ios_per_s I/O/s", 524288 / kib / (ns / 1e9)
		print "io_kib KiB", kib
		print "bio_kib KiB", sectors / 2 / bios
		print "insn_per_mib insn/MiB", ns / 512
	}' | while read -r metric unit value; do
		emit field-5 "$1" "$metric" "$unit" "$(printf %.2f "$value")" "dio_write $2"
	done
}

# on_disks NAME: many's are too small for a file system each
on_disks()
{
	up "$1"
	four_ways "$reads" "$1-"
	[ "$1" = many ] || file_loop "$1-disk" "${disks[0]}"
	down "$1"
}

on_raid0()
{
	up "$1" md
	file_loop "$1-raid0" "${disks[0]}"
	down "$1"
}

on_stripe()
{
	up "$1" dm
	oltp "$1" "${disks[0]}"
	down "$1"
}

# bench_array CASE
bench_array()
{
	# Of each disk as much as is stamped is read, three times by each way.
	local mib=16 reads=3

	file_systems="ext2 ext3 xfs jfs" rounds=2 ios=8000
	case $1 in
	fc-short)
		mib=4 reads=1 file_systems="ext2 ext3" rounds=1 ios=2000
		on_disks fc
		on_stripe fc
		;;
	many-short)
		big_files many ext2 create
		;;
	many)
		mib=4
		on_disks many
		on_raid0 many
		on_stripe many
		big_files many "ext2 ext3 xfs" "create fill over"
		;;
	*)
		on_disks "$1"
		on_raid0 "$1"
		on_stripe "$1"
		;;
	esac
}
