#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Readahead on a disk that takes 200 us for each request, whatever its size; bench.sh reads this
# file and calls run_ra CASE. CASE-kb512 and CASE-kb4096 are the same with another read_ahead_kb
# than 128. A case is of its own boot-fresh cache and open file.
#
# Report readahead, on the bare disk:
#	run-LEN-by-SIZE			runs of LEN at random places, in reads of SIZE
#	run-geometric-64k		runs of all lengths, by 4 KiB
#	random-4k random-then-seq	single pages; and then a run of 32 MiB
#	seq-SIZE streams-K		one stream; K streams that take turns on one open file
#	reverse stride mmap-seq mmap-random
#	mix mix-shared			index look-ups of 8 to 32 pages beside a long scan; on one file
#	lowmem-64			64 streams of 1 MiB in 16 MiB of memory
#	fio-run-64k-by-4k		run-64k-by-4k as fio reads it
#
# Report field-2, the tests of the report of 2004, CASE-WHERE, WHERE bdev, ext4, xfs or ext2. A file
# is 16 times as large as memory, as theirs was: 256 MiB, in a cgroup of 16 MiB.
#	iozone-TEST	all records of 128 KiB, each once: sequential (read(2)) and again (reread), pread,
#			reverse, stride (each 17th), random, mix (at random, each second one written)
#	sysbench	10000 requests of 16 KiB at random places, 6 of 10 read, fsync after each 100:
#			the defaults of its fileio test, of which 6001 reads and 3999 writes come;
#			the median of three rounds
#	dss		decision support: look-ups of 8 to 32 pages by an index, beside a table scan
#	fio-random	iozone-random as fio reads it
#
# Metrics: device reads, and bytes that the disk read for one that the program got; time, of a run
# or a MiB (read and written), and mb_per_s from it.
# shellcheck disable=SC2154 # $bin, $disks, $empty and $file are bench.sh's

jobs_of_fio=$(dirname "${BASH_SOURCE[0]}")/bench_readahead.fio

# make_slow: sets $slow to a null_blk disk of 64 GiB that takes 200 us for each request. Left alone
# it would cut requests at 255 sectors, and so count a window of 128 KiB twice.
make_slow()
{
	local dir=/sys/kernel/config/nullb/slow setting

	[ ! -d "$dir" ] || return 0
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	mkdir "$dir"
	for setting in size=65536 irqmode=2 completion_nsec=200000 queue_mode=2 max_sectors=2560 \
			power=1; do
		echo "${setting#*=}" >"$dir/${setting%%=*}"
	done
	slow=slow
	[ -b /dev/slow ] || slow=nullb$(cat "$dir/index")
}

# load_of CASE: sets $program; $words, ra_load's words or fio's job; $per to what is counted by: n
# (runs), or mib; $place to where the file is, if not on the bare disk; $again if it has been read
# before
load_of()
{
	local name=$1 size

	program=ra_load per=mib place="" again=""
	case $name in
	iozone-*-*|sysbench-*|dss-*|fio-random-*)
		place=${name##*-}
		name=${name%-*}
		;;
	esac
	size=${name#*-}
	case $name in
	run-geometric-64k)	words="geometric len=64k bs=4k n=1000"; per=n ;;
	run-*-by-*)		words="run len=${size%-by-*} bs=${size#*-by-} n=400"; per=n ;;
	random-4k)		words="random bs=4k n=2000"; per=n ;;
	random-then-seq)	words="turn len=32m bs=4k n=2000" ;;
	seq-4k)			words="seq bs=4k n=16384" ;;
	seq-16k)		words="seq bs=16k n=4096" ;;
	seq-128k)		words="seq bs=128k n=512" ;;
	seq-1m)			words="seq bs=1m n=64" ;;
	streams-*)		words="streams k=$size bs=4k n=$((16384 / size))" ;;
	reverse)		words="reverse bs=4k n=2000" ;;
	stride)			words="stride len=64k bs=4k n=2000" ;;
	mmap-seq)		words="mmap-seq n=16384" ;;
	mmap-random)		words="mmap-random n=2000" ;;
	lowmem-64)		words="streams separate k=64 bs=4k n=256" ;;
	mix)			words="mix separate len=128k bs=4k n=400" ;;
	mix-shared)		words="mix len=128k bs=4k n=400" ;;
	fio-run-64k-by-4k)	words=run-64k-by-4k; program=fio; per=n ;;
	iozone-sequential)	words="read bs=128k n=2048" ;;
	iozone-reread)		words="read bs=128k n=2048"; again=1 ;;
	iozone-pread)		words="seq bs=128k n=2048" ;;
	iozone-reverse)		words="reverse bs=128k n=2048" ;;
	iozone-stride)		words="stride len=2176k bs=128k n=2048" ;;
	iozone-random)		words="blocks once bs=128k n=2048" ;;
	iozone-mix)		words="blocks once writes=50 bs=128k n=2048" ;;
	sysbench)		words="blocks writes=40 fsync=100 bs=16k n=10000" ;;
	dss)			words="mix separate len=128k bs=4k n=400" ;;
	fio-random)		words=random; program=fio ;;
	*)			die 2 "no such case: $1" ;;
	esac
	[ -z "$place" ] || [ "$program" = fio ] || words="$words size=256m"
}

# full_window KB LAST: which device read of the run at byte LAST was the first of KB; a trace of
# bios is on stdin. A bio holds no more than a megabyte: what follows one so large is of the same
# read.
full_window()
{
	awk -v kb="$1" -v from="$2" '
		{
			sub(/.*block_bio_queue: [^ ]* [^ ]* /, "")
			if (!n && $1 != from / 512)
				next
			if (n && $1 == end && piece >= 2048) {
				whole += $3
			} else {
				n++
				whole = $3
			}
			piece = $3
			end = $1 + $3
			if (whole >= 2 * kb) {
				print n
				exit
			}
		}'
}

# little_memory: sets $group to a cgroup of 16 MiB; fails if this kernel has no such thing. The
# limits of dirty pages are those of a machine with as much.
little_memory()
{
	local root=/run/bench-cgroup

	group=$root/little
	[ ! -d "$group" ] || return 0
	grep -q '^memory.*1$' /proc/cgroups || return
	mkdir -p $root
	mount -t cgroup2 none $root
	echo +memory >$root/cgroup.subtree_control
	mkdir "$group"
	echo 16m >"$group/memory.max"
	echo $(((16 << 20) / 5)) >/proc/sys/vm/dirty_bytes
	echo $(((16 << 20) / 10)) >/proc/sys/vm/dirty_background_bytes
}

# in_group COMMAND...: run it in $group, if there is one
in_group()
(
	[ -z "$group" ] || echo 0 >"$group/cgroup.procs"
	exec "$@"
)

# by_fio JOB: what ra_load would say of it; a run is 16 reads
by_fio()
{
	in_group env RA_FILE="$file" fio --output-format=json --section="$1" "$jobs_of_fio" |
		python3 -c 'if True:
			import json, sys
			read = json.load(sys.stdin)["jobs"][0]["read"]
			print(json.dumps({"n": read["total_ios"] // 16, "bytes": read["io_bytes"],
				"written": 0,
				"nsec": round(read["lat_ns"]["mean"] * read["total_ios"])}))'
}

# ra_file: sets $file, and $queue, that of its disk. A file's disk becomes slow now: what maps its
# blocks is in memory.
ra_file()
{
	if [ -z "$place" ]; then
		file=/dev/$slow
		queue=/sys/block/$slow/queue
		return
	fi
	the_file "$place" 256
	switch_to "/dev/$slow"
	queue=/sys/block/${disks[0]##*/}/queue
}

# forget: nothing of $file is cached
forget()
{
	if [ -b "$file" ]; then
		flush "$file"
	else
		dd of="$file" oflag=nocache conv=notrunc,fdatasync count=0 status=none
	fi
}

# device_reads: requests that the slow disk has read, and sectors
device_reads()
{
	local reads sectors

	read -r reads _ sectors _ <"/sys/block/$slow/stat"
	echo "$reads $sectors"
}

trace_bios()
{
	mountpoint -q "$tracing" || mount -t tracefs none "$tracing"
	echo 65536 >"$tracing/buffer_size_kb"
	echo >"$tracing/trace"
	echo 1 >"$tracing/events/block/block_bio_queue/enable"
}

# run_ra CASE
run_ra()
{
	local tracing=/sys/kernel/tracing name=${1%-kb*} kb=128 report=readahead group="" program words
	local per place again queue said before after command rounds=1 round runs=""

	[ "$name" = "$1" ] || kb=${1##*-kb}
	load_of "$name"
	make_slow
	[ -z "$place" ] || report=field-2
	if [ -n "$place" ] || [ "$name" = lowmem-64 ]; then
		little_memory || return 0
	fi
	ra_file
	echo "$kb" >"$queue/read_ahead_kb"
	# Short of memory a round took 1.77 s or 1.87 s, on either kernel.
	[ "$name" != sysbench ] || rounds=3
	forget
	# shellcheck disable=SC2086 # words
	[ -z "$again" ] || in_group "$bin/ra_load" $words "$file" >/dev/null || die 1 "$1 failed"
	[ "${words%% *}" != turn ] || trace_bios
	command="$program $words (${place:+a file of 256 MiB: $place, }null_blk, 200 us,"
	command="$command${group:+ 16 MiB of memory,} read_ahead_kb $kb)"
	for ((round = 0; round < rounds; round++)); do
		before=$(device_reads)
		if [ "$program" = fio ]; then
			said=$(by_fio "$words") || die 1 "$1 failed"
		else
			# shellcheck disable=SC2086
			said=$(in_group "$bin/ra_load" $words "$file") || die 1 "$1 failed"
		fi
		forget
		after=$(device_reads)
		runs+="$(fields nsec <<<"$said") $before $after $(fields n <<<"$said")"
		runs+=" $(fields bytes <<<"$said") $(fields written <<<"$said")"$'\n'
	done
	if [ "${words%% *}" = turn ]; then
		echo 0 >$tracing/events/block/block_bio_queue/enable
		emit readahead "$1" full_window_read ordinal \
			"$(full_window "$kb" "$(fields last <<<"$said")" <$tracing/trace)" "$command"
	fi
	# shellcheck disable=SC2046
	emit_ra "$1" $(sort -n <<<"${runs%$'\n'}" | sed -n "$(((rounds + 1) / 2))p")
	if [ -n "$place" ]; then
		sync
		switch_to "$empty"
	fi
}

# emit_ra CASE NSEC READS SECTORS READS SECTORS N BYTES WRITTEN
emit_ra()
{
	awk -v name="$name" -v per="$per" -v reads=$(($5 - $3)) -v sectors=$(($6 - $4)) -v n="$7" \
			-v bytes="$8" -v written="$9" -v ns="$2" -v report="$report" 'BEGIN {
		mib = (bytes + written) / 1048576
		units = per == "n" ? n : mib
		printf "device_reads_per_%s reads %.3f\n", per == "n" ? "run" : "mib", reads / units
		printf "bytes_read_per_used ratio %.3f\n", sectors * 512 / bytes
		if (name == "lowmem-64")
			printf "pages_unread pages %d\n", sectors / 8 - bytes / 4096
		printf "time us %.2f\n", ns / units / 1000
		if (report == "field-2")
			printf "mb_per_s MiB/s %.2f\n", mib / (ns / 1e9)
		if (name ~ /^sysbench/)
			printf "seconds s %.4f\n", ns / 1e9
	}' | while read -r metric unit value; do
		emit "$report" "$1" "$metric" "$unit" "$value" "$command"
	done
}
