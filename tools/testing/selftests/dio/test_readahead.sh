#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Readahead: how often, and how much, the disk is read for what a program reads.
#
# A disk holds stamps, so that every byte that a program gets is checked. What readahead did is seen
# in the disk's own counters. Among the cases are the faults of the run-length average of 2004
# (field-2 of Documentation/dio/field-reports.rst), and these:
#
#  - an average of what is missed in a row. Who reads a cached page between two runs, as a database
#    does with its header or its index, teaches it nothing, or lengths of one page. On a slow disk
#    what was read beyond the run is still on its way then.
#  - a page that is left out. What is read at a mark begins with the first page behind it that is not
#    there. The search for that began within the large folio of the mark, in the slot of its first
#    page: it was one off. Mainline has that since a large folio is one entry of the page cache.
#    Programs whose threads share an open file, and nfsd, wait for each window of each stream:
#    here, twice as many reads of two streams.
#
# A kernel without readahead's tracepoints is skipped, unless DIO_STOCK is set: to see it fail.

. "$(dirname "$0")/dio_common.sh"

# load WORDS...: ra_load on an empty cache; sets $reads and $pages to what the disk has read
load()
{
	blockdev --flushbufs "$disk" && read -r _reads _ _sectors _ <"$stat" &&
		"$DIO_DIR/ra_load" "$@" disk=0 "$disk" && blockdev --flushbufs "$disk" || return
	read -r reads _ pages _ <"$stat"
	reads=$((reads - _reads))
	pages=$(((pages - _sectors) / 8))
}

# within READS PAGES WORDS...: the load costs no more reads and pages than this
within()
{
	_max_reads=$1 _max_pages=$2
	shift 2
	load "$@" || return
	echo "$reads reads of $pages pages; at most $_max_reads of $_max_pages are right"
	[ "$reads" -le "$_max_reads" ] && [ "$pages" -le "$_max_pages" ]
}

# exactly READS PAGES WORDS...
exactly()
{
	within "$@" && [ "$reads" -eq "$1" ] && [ "$pages" -eq "$2" ]
}

# On a disk that takes a millisecond what is read beyond a run is still on its way when the next
# begins.
runs_on_a_slow_disk()
{
	echo 128 >"/sys/block/${DIO_DM##*/}/queue/read_ahead_kb"
	_disk=$disk disk=$DIO_DM
	dio_then "disk=$_disk" within 66 986 run look len=64k bs=4k every=1m n=50
}

# Windows of twice the size, and of runs of 16 pages nothing is expected
advice_sequential()
{
	within $((4096 / 64 + 8)) $((4096 + 128)) seq bs=4k n=4096 advise=sequential || return
	load run len=64k bs=4k every=1m n=50 advise=sequential || return
	echo "$reads reads of $pages pages for 50 runs; at least 200 reads are right"
	[ "$reads" -ge 200 ]
}

# as_ever WORDS...: the load costs no more than with the policy switched off, but for two windows
as_ever()
{
	_switch=/proc/sys/vm/readahead_runs
	[ ! -e $_switch ] || echo 0 >$_switch
	dio_then "[ ! -e $_switch ] || echo 1 >$_switch" load "$@" &&
		within $((reads + 2)) $((pages + 64)) "$@"
}

# A run length that another open file has learnt is none of ours.
state_is_per_open_file()
{
	load run len=64k bs=4k every=1m n=50 || return
	exactly 2 2 random bs=4k every=1m n=2
}

no_readahead_kb()
{
	echo 0 >"$queue/read_ahead_kb"
	dio_then "echo 128 >$queue/read_ahead_kb" exactly 64 64 run len=256k bs=4k every=1m n=1
}

# Of runs of 16 pages, of which the first is asked for: used 15, wasted 0
trace_of_runs()
{
	dio_traced readahead/readahead_run load run len=64k bs=4k every=1m n=50 || return 1
	_n=$(grep -c "readahead_run: .* used 15 wasted 0$" "$dio_trace")
	echo "$_n runs without waste, 45 or more are right"
	grep "readahead_" "$dio_trace" | tail -n 5
	[ "$_n" -ge 45 ]
}

# One bad sector in the middle of a window: its page gives EIO, each other page its data.
bad_sector()
{
	dio_dm ra_bad "0 160 linear $disk 0
160 8 error
168 1880 linear $disk 168" || { echo "$DIO_WHY"; return 1; }
	for _page in 0 8 19 21 40; do
		"$DIO_DIR/ra_load" seq bs=4k from=$((_page * 4096)) n=1 disk=0 "$DIO_DM" || return
	done
	"$DIO_DIR/ra_load" seq bs=4k n=20 disk=0 "$DIO_DM" || return
	blockdev --flushbufs "$DIO_DM"
	_got=0
	"$DIO_DIR/ra_load" seq bs=4k n=40 disk=0 "$DIO_DM" 2>"$DIO_TMP/err" || _got=$?
	cat "$DIO_TMP/err"
	[ "$_got" -eq 4 ] && grep -q "at 81920: Input/output error" "$DIO_TMP/err" || return 1
	"$DIO_DIR/ra_load" seq bs=4k from=86016 n=200 disk=0 "$DIO_DM"
}

dio_init "$@"
dio_need blockdev dmsetup
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs none $tracing 2>/dev/null ||
	dio_skip_all "no tracefs: cannot tell what readahead this kernel has"
[ -d $tracing/events/readahead/readahead_run ] || [ -n "${DIO_STOCK-}" ] ||
	dio_skip_all "the readahead of this kernel does not know of runs"
dio_get_scratch
disk=$DIO_DISK
queue=/sys/block/${disk##*/}/queue
stat=/sys/block/${disk##*/}/stat
[ "$(cat "$queue/max_sectors_kb")" -ge 256 ] ||
	dio_skip_all "$disk takes requests of less than 256 KiB, which would be counted twice"
[ "$(dio_sys "$disk" size)" -ge 131072 ] ||
	dio_skip_all "$disk has less than 64 MiB"
old_kb=$(cat "$queue/read_ahead_kb") old_sectors=$(cat "$queue/max_sectors_kb")
dio_on_exit sh -c "echo $old_kb >$queue/read_ahead_kb; echo $old_sectors >$queue/max_sectors_kb"
"$DIO_DIR/disk_stamp" disk=0 size=64m write-device "$disk" >/dev/null ||
	dio_skip_all "$disk cannot be stamped"
dio_settle
echo 128 >"$queue/read_ahead_kb"

# The first two runs teach the length, at up to 7 reads of 93 pages each (6 on 6.1: windows that end
# where folios do open smaller); each of the others is one read, exact to the page, also if reads
# are not of pages, or by a pipe. A look at the header is 4 reads, and what is read around it. Of
# faults the first two, and the runs that teach the length, read a window of 32 pages or two.
#
# A file that turns sequential is read in 1, 4 and 16 pages, then 32 at a time, of which four may be
# too many, as large folios end windows. Each stream must come to full windows, and no page be left
# out: each read for one of them has the pages behind it read apart. One number is exact.
dio_plan 33
runs="every=1m n=50"
while IFS='|' read -r name reads pages words; do
	case $reads in
	*[!0-9]*)	cost=within ;;
	*)		cost=exactly ;;
	esac
	# shellcheck disable=SC2004,SC2086 # sums, which dash wants to see; words
	dio_check "$name" $cost $(($reads)) $(($pages)) $words
done <<END
runs of 16 KiB take a read each, and no page too many|48+14|48*4+186|run len=16k bs=4k $runs
runs of 64 KiB take a read each, and no page too many|48+14|48*16+186|run len=64k bs=4k $runs
runs of 128 KiB take a read each, and no page too many|48+14|48*32+186|run len=128k bs=4k $runs
runs of 64 KiB by 4.5 KiB take a read each|48+14|48*16+186|run len=64k bs=4608 $runs
runs of 64 KiB by a pipe take a read each|48+14|48*16+186|run splice len=64k bs=4k $runs
runs of 16 KiB behind a look at the header take a read each|48+18|48*4+218|run look len=16k bs=4k $runs
runs of 64 KiB behind a look at the header take a read each|48+18|48*16+218|run look len=64k bs=4k $runs
mapped runs of 16 KiB take a read each|48+14|48*4+186|mmap-run len=16k $runs
mapped runs of 64 KiB take a read each|48+14|48*16+186|mmap-run len=64k $runs
runs longer than a window take two reads|48*2+20|48*64+400|run len=256k bs=4k $runs
a file that turns sequential comes to full windows|50+3+32+4|50+1024+64|turn len=4m bs=4k $runs
a sequential file is read in full windows|4096/32+6|4096+64|seq bs=4k n=4096
2 streams on one open file|2048/32+16|2048+2*64|streams k=2 bs=4k n=1024
8 streams on one open file|2048/32+64|2048+8*64|streams k=8 bs=4k n=256
sequential faults read full windows|4096/32+8|4096+96|mmap-seq n=4096
random faults, then sequential ones|50+1024/32+6|50*32+1024+64+96|mmap-turn len=4m $runs
random pages are read singly|60|60|random bs=4k every=1m n=60
POSIX_FADV_RANDOM reads what is asked for|800|800|run len=64k bs=4k $runs advise=random
MADV_RANDOM reads what is touched|60|60|mmap-run len=16k every=1m n=15 advise=random
MADV_SEQUENTIAL reads on|4096/64+8|4096+128|mmap-seq n=4096 advise=sequential
END
no_slow=""
dio_dm ra_slow "0 131072 delay $disk 0 1" || no_slow=$DIO_WHY
dio_unless "$no_slow" "runs of 64 KiB behind a look at the header take a read each, on a slow disk, too" \
	runs_on_a_slow_disk
dio_dm_remove ra_slow
dio_check "POSIX_FADV_SEQUENTIAL doubles the window" advice_sequential
# Of random faults a window around each is read: 7.3 gives up when 100 were in vain, 6.1 never.
while IFS='|' read -r name words; do
	# shellcheck disable=SC2086 # words
	dio_check "$name" as_ever $words
done <<END
random faults read no more than ever|mmap-random every=256k n=160
each 16th page of a mapping, in order, as ever|mmap-run len=4k every=64k n=300
each 20th page of a mapping, in order, as ever|mmap-run len=4k every=80k n=300
each 32nd page of a mapping, in order, as ever|mmap-run len=4k every=128k n=300
chunks that POSIX_FADV_WILLNEED asks for, as ever|run willneed len=1m bs=4k every=2m n=24
columns by 64 KiB behind a look at the footer, as ever|run look len=512k bs=64k every=1m n=50
END
echo 128 >"$queue/max_sectors_kb"
dio_check "such chunks in requests of 128 KiB, as ever" \
	as_ever run willneed len=1m bs=4k every=2m n=24
echo "$old_sectors" >"$queue/max_sectors_kb"
dio_check "an open file does not learn from another" state_is_per_open_file
dio_check "read_ahead_kb 0 reads single pages" no_readahead_kb
dio_check "the tracepoints tell used from wasted pages" trace_of_runs
dio_check "a bad sector hurts its own page only" bad_sector
