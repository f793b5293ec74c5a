#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Regression test: bios of direct I/O on a file of indirect blocks.
#
# The bug (2.6.19-rc): get_block maps many blocks at once and marks the mapping as boundary, because
# an indirect block lies behind it; direct I/O honoured that at every block of the mapping, and sent
# a bio for each. Who is hurt: those who read or write large files of ext2 and ext3 with large
# requests; with 1 KiB blocks a MiB went in up to 1024 bios instead of 5, at more than twice the
# CPU.
#
#	mapping of 256 blocks, boundary		right: one bio		broken: 256
#
# A bio may end only where the disk order ends, at the end of a request, and where it is full. So
# the bios that a device-mapper disk counts must be exactly as many as there are pieces of the file,
# in the order of the disk, in each request: what filefrag tells.

. "$(dirname "$0")/dio_common.sh"

mib=24

# bios_done: reads and writes that the disk has counted
bios_done()
{
	awk '{ print $1 + $5 }' "/sys/class/block/$counter/stat"
}

# pieces BYTES FILE: how many there are if FILE is gone through in requests of BYTES
pieces()
{
	filefrag -b1024 -v "$2" | awk -v want=$(($1 / 1024)) '
		$1 ~ /^[0-9]+:$/ {
			gsub(/[.:]/, " ")
			for (at = $2; at <= $3; at = next_one) {
				next_one = (int(at / want) + 1) * want
				n++
			}
		}
		END { print n + 0 }'
}

# is_least BYTES DD-ARGS...
is_least()
{
	size=$1
	shift
	sync		# what is dirty now is not counted, what gets dirty waits for 30 s
	before=$(bios_done)
	dd status=none bs="$size" count=$((mib * 1048576 / size)) "$@" || return
	counted=$(($(bios_done) - before))
	least=$(pieces "$size" "$file")
	echo "$counted bios for $least pieces in requests of $size bytes"
	[ "$counted" -eq "$least" ]
}

on_blocks()
{
	mke2fs -q -F -t ext2 -b "$1" "$DIO_DM" &&
		mount -t ext2 -o noatime "$DIO_DM" "$DIO_TMP/mnt" || return
	file=$DIO_TMP/mnt/file
	# so that reading it has nothing to read but data
	dd if=/dev/zero of="$file" bs=1M count=$mib oflag=direct status=none && sync &&
		dd if="$file" of=/dev/null bs=1M iflag=direct status=none
}

dio_init "$@"
dio_get_part boundary
dio_need dd mke2fs filefrag
counter=${DIO_DM##*/}
dio_plan 14

for block in 1024 4096; do
	dio_check "a file on ext2, blocks of $block" on_blocks $block
	for size in 65536 524288 1048576; do
		dio_check "read, $size bytes, blocks of $block" \
			is_least $size if="$file" of=/dev/null iflag=direct
		dio_check "overwrite, $size bytes, blocks of $block" \
			is_least $size if=/dev/zero of="$file" oflag=direct conv=notrunc
	done
	dio_umount "$DIO_TMP/mnt"
done
