#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# disk_read and disk_stamp: the four ways, the figures of the closing line, wrong data, bad input.
#
# Reads DIO_DISKS (or two scsi_debug disks) every way. What needs known data or a disk that fails is
# tested on scsi_debug disks and device-mapper tables of our own, never on the user's disks.

. "$(dirname "$0")/dio_common.sh"

read="$DIO_DIR/disk_read"
stamp="$DIO_DIR/disk_stamp"
closing='^Completed reading [0-9]+ mbytes in [0-9]+\.[0-9]{3} seconds \([0-9]+\.[0-9]{2} Mbytes/sec\), '
closing="${closing}[0-9]+ usec mean\$"

# The closing line, once, and nothing else.
closes()
{
	dio_says 0 "$closing" "$@"
}

# disk_takes SECTORS ARG...: that much is read from the first disk by disk_read blocks=4 bs=1m.
disk_takes()
{
	want=$1
	shift
	before=$(dio_stat "$one" 3)
	closes "$read" blocks=4 bs=1m "$@" "$one" || return
	got=$(($(dio_stat "$one" 3) - before))
	echo "sectors read: $got, wanted $want"
	[ "$got" -eq "$want" ]
}

# Mbytes, seconds, Mbytes/sec and mean agree, as printed; stops at what rounding can explain.
figures_agree()
{
	closes "$read" blocks=3 bs=1m direct "$@" || return
	sed 's/[()]//g' "$DIO_TMP/.said" | awk -v devices=$# '{
		n = $3; s = $6; rate = $8; mean = $10; blocks = 3 * devices
		if (n != blocks) { print n " mbytes"; exit 1 }
		if (n < (rate - 0.005) * (s - 0.0005)) { print "rate too high"; exit 1 }
		if (n > (rate + 0.006) * (s + 0.0005)) { print "rate too low"; exit 1 }
		if ((mean - 0.5) * blocks > (s + 0.0005) * 1e6) { print "mean too long"; exit 1 }
	}'
}

# --- On our own disks --------------------------------------------------------------------------

# Three reads of two disks, of which each takes a second: readers that take turns need six.
slow()
{
	size=$(dio_sys "$one" size)
	dio_dm slow1 "0 $size delay $one 0 1000" || { echo "$DIO_WHY"; return 1; }
	slow1=$DIO_DM
	dio_dm slow2 "0 $size delay $two 0 1000" || { echo "$DIO_WHY"; return 1; }
	closes "$read" blocks=3 bs=4k direct "$slow1" "$DIO_DM" || return
	awk '{ exit !($6 >= 3 && $6 < 6) }' "$DIO_TMP/.said"
}

stamps()
{
	"$stamp" disk=1 write-device "$one" && "$stamp" disk=2 write-device "$two" || return
	for way in "" direct random "random direct seed=9"; do
		# shellcheck disable=SC2086 # words
		closes "$read" blocks=16 bs=64k verify $way "$one" "$two" || return
	done
}

# put_sector N: write sector N of the first disk from stdin.
put_sector()
{
	dd of="$one" bs=512 seek="$1" count=1 iflag=fullblock oflag=direct status=none
}

# says_wrong REGEX DISK...: so says who verifies the first MiB, through the page cache and past it;
# then the first disk is as it was
says_wrong()
{
	data_regex=$1
	shift
	blockdev --flushbufs "$one"
	dio_says 5 "$data_regex" "$read" blocks=1 bs=1m verify "$@" &&
		dio_says 5 "$data_regex" "$read" blocks=1 bs=1m verify direct "$@"
	bad=$?
	"$stamp" disk=1 size=1m write-device "$one" && return "$bad"
}

# Two bytes changed in the last word of a block's last sector, of one in the middle, of its first
wrong()
{
	for n in 2047 1234 0; do
		dd if="$one" of="$DIO_TMP/sector" bs=512 skip=$n count=1 status=none
		printf '\377\377' | dd of="$DIO_TMP/sector" bs=1 seek=510 conv=notrunc status=none
		put_sector $n <"$DIO_TMP/sector" &&
			says_wrong "^disk_read: $one: wrong data in sector $n: a damaged stamp" \
				"$two" "$one" || return
	done
}

# The right stamp in the wrong place, or of the wrong disk; none; one disk twice
moved()
{
	dd if="$one" bs=512 skip=5 count=1 status=none | put_sector 70 &&
		says_wrong "sector 70: the stamp of disk 1 sector 5," "$one" || return
	dd if="$two" bs=512 skip=71 count=1 status=none | put_sector 70 &&
		says_wrong "sector 70: the stamp of disk 2 sector 71," "$one" || return
	dd if=/dev/zero bs=512 count=1 status=none | put_sector 70 &&
		says_wrong "sector 70: no stamp" "$one" &&
		says_wrong "both carry the stamps of disk 1" "$one" "$one"
}

# A disk that fails from 1 MiB on.
late()
{
	size=$(dio_sys "$one" size)
	dio_dm late "0 2048 linear $one 0
2048 $((size - 2048)) error" || { echo "$DIO_WHY"; return 1; }
	for way in "" direct; do
		# shellcheck disable=SC2086 # a word or none
		dio_says 4 "^disk_read: $DIO_DM: read error at offset 1048576: (Input/output|I/O) error" \
			"$read" blocks=8 bs=256k $way "$DIO_DM" "$two" || return
	done
}

has_read()
{
	[ "$(dio_stat "$one" 3)" -gt "$1" ]
}

nobody_reads()
{
	! grep -qs "$endless" /proc/[0-9]*/cmdline
}

# One that is stopped, and one whose second disk fails, leave no process that reads the first.
stops()
{
	size=$(dio_sys "$one" size)
	dio_dm endless "0 $size delay $one 0 100" || { echo "$DIO_WHY"; return 1; }
	endless=$DIO_DM
	"$read" blocks=1k bs=4k direct "$DIO_DM" &
	pid=$!
	dio_wait 20 has_read "$(dio_stat "$one" 3)" && kill -TERM $pid || return
	wait $pid
	[ $? -eq 143 ] && dio_wait 5 nobody_reads || return
	dio_dm broken "0 $size error" || return
	dio_says 4 "^disk_read: $DIO_DM: read error at offset 0" "$read" blocks=1k bs=4k direct \
		"$endless" "$DIO_DM" && dio_wait 5 nobody_reads
}

raw()
{
	dio_get_raw
	"$DIO_DIR/raw" "$DIO_RAW" "$one" >/dev/null || return
	closes "$read" blocks=2 bs=1m "/dev/raw/raw$DIO_RAW" &&
		closes "$read" blocks=2 bs=1m direct verify "/dev/raw/raw$DIO_RAW" &&
		dio_says 2 "nocopy does not work on a raw device" "$read" blocks=1 bs=1m nocopy \
			"/dev/raw/raw$DIO_RAW"
}

# disk_stamp on a device of 2 MiB, a file, and what it refuses: a mistyped disk does not become a file.
full()
{
	dio_dm small "0 4096 linear $two 0" || { echo "$DIO_WHY"; return 1; }
	dio_on_exit rm -f "/dev/dio_no_disk_$$"
	dio_says 2 "write-device allows" "$stamp" disk=7 "$DIO_DM" &&
		dio_says 2 "has 2097152 bytes" "$stamp" disk=7 size=3m write-device "$DIO_DM" &&
		dio_says 3 "in use" "$stamp" disk=7 write-device "$two" &&
		"$stamp" disk=7 write-device "$DIO_DM" &&
		closes "$read" blocks=2 bs=1m verify "$DIO_DM" &&
		closes "$read" blocks=4 bs=1m random verify "$DIO_DM" &&
		"$stamp" disk=8 size=1m "$DIO_TMP/image" &&
		[ "$(wc -c <"$DIO_TMP/image")" -eq 1048576 ] &&
		cp "$DIO_TMP/image" "$DIO_TMP/was" &&
		dio_says 2 "write-file allows" "$stamp" disk=1 size=1m "$DIO_TMP/image" &&
		cmp "$DIO_TMP/image" "$DIO_TMP/was" && ln -s nowhere "$DIO_TMP/link" &&
		dio_says 3 "File exists" "$stamp" disk=1 size=1m "$DIO_TMP/link" || return
	ln -s /dev "$DIO_TMP/dev"
	for each in "/dev/dio_no_disk_$$" "$DIO_TMP/dev/dio_no_disk_$$"; do
		dio_says 3 "no file is made under /dev" \
			"$stamp" disk=1 size=1m write-file "$each" || return
	done
	[ ! -e "/dev/dio_no_disk_$$" ]
}

# --- The cases ---------------------------------------------------------------------------------

dio_init "$@"
dio_need blockdev dd awk
dio_get_disks 2
one=${DIO_LIST%% *}
two=${DIO_LIST#* }
two=${two%% *}
for disk in $DIO_LIST; do
	[ "$(dio_sys "$disk" size)" -ge 16384 ] ||
		dio_skip_all "$disk is smaller than 8 MiB"
done
dio_plan 20

blockdev --flushbufs "$one"
dio_check "direct reads come from the disk" disk_takes 8192 direct
blockdev --flushbufs "$one"
exec 9<"$one"		# the cache of a block device goes when its last user closes it
ahead=$(blockdev --getra "$one")
dio_on_exit blockdev --setra "$ahead" "$one"
blockdev --setra 0 "$one"
dio_check "nocopy reads come from the disk" disk_takes 8192 nocopy
dio_check "buffered reads find what nocopy left in the cache" disk_takes 0
dio_check "nocopy finds it too" disk_takes 0 nocopy
blockdev --flushbufs "$one"
dio_check "buffered reads come from the disk" disk_takes 8192
blockdev --setra "$ahead" "$one"
exec 9<&-
# shellcheck disable=SC2086 # a list
dio_check "the closing line's figures agree, all disks" figures_agree $DIO_LIST

while IFS=: read -r each name; do
	if [ -n "${DIO_DISKS-}" ]; then
		dio_skip "$name" "DIO_DISKS are not written"
	elif [ "$each" = raw ] && [ ! -e /dev/raw/rawctl ]; then
		dio_skip "$name" "no raw driver in this kernel"
	else
		dio_check "$name" "$each"
	fi
done <<END
stamps:stamps are right every way
raw:raw devices
wrong:a changed byte is found, its sector named
moved:a sector in the wrong place or from another disk is named
late:a read error is reported with its place
slow:readers work at the same time
stops:one that is stopped or fails stops all
full:disk_stamp refuses what it must
END

while IFS=';' read -r rc name regex words; do
	# shellcheck disable=SC2086 # words
	dio_check "$name" dio_says "$rc" "$regex" "$read" blocks=$words
done <<END
2;unknown word;unknown word fast;1 bs=4k fast $one
2;bad suffix;bs=4x: not a number;1 bs=4x $one
2;bs not a multiple of the logical block;bs=1000: not a multiple of the (512|4096) byte;1 bs=1000 $one
2;more than the disk;holds [0-9]+ blocks;8g bs=1m $one
2;nocopy and verify;does not go together;1 bs=4k nocopy verify $one
3;not a device;neither a block device;1 bs=4k /dev/null
END
