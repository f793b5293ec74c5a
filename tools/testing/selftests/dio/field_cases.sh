# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # field.sh sets what is not set here
#
# Part of field.sh, which it is read by: the cases, and how one is run.
#
# A line of the tables: NAME REPORT WHERE UNIT PROGRAM WORDS. A program does N units of UNIT bytes;
# in the first turn N is made such that a round takes as long as was asked for, or reads half of the
# smallest disk, and stays. WHERE: all disks, raw devices on all of them, the first disk, or a file
# on a new file system on DIO_SCRATCH. Reports and cases are called as in the lab's bench.

field_reads="disks-direct field-1 all 1048576 disk_read direct bs=1m
disks-raw field-1 raw 1048576 disk_read bs=1m
disks-buffered field-1 all 8192 disk_read bs=8k
disks-nocopy field-1 all 8192 disk_read nocopy bs=8k
iozone-sequential-disk field-2 first 131072 ra_load read bs=128k
iozone-random-disk field-2 first 131072 ra_load blocks once bs=128k
iozone-reverse-disk field-2 first 131072 ra_load reverse bs=128k
iozone-stride-disk field-2 first 131072 ra_load stride len=2176k bs=128k
dss-disk field-2 first 131072 ra_load mix separate len=128k bs=4k
run-64k-by-4k-disk readahead first 65536 ra_load run len=64k bs=4k
disk-oltp-read-4k field-4 first 4096 dio_load read aio depth=32 bs=4k
disk-oltp-read-8k field-4 first 8192 dio_load read aio depth=32 bs=8k"

# A file of 512 MiB needs as much memory, and a disk that holds it.
field_writes="$(for fs in ext2 ext3 xfs jfs; do
	echo "scratch-disk-$fs-buffered field-3 $fs 33554432 dio_write create bs=1m size=32m"
	echo "scratch-disk-$fs-direct field-3 $fs 33554432 dio_write create direct bs=1m size=32m"
done)
scratch-oltp-4k field-4 ext2 4096 dio_load mix aio depth=32 bs=4k
scratch-oltp-8k field-4 ext2 8192 dio_load mix aio depth=32 bs=8k
scratch-ext2-create field-5 ext2 536870912 dio_write create direct bs=512m size=512m
scratch-ext3-create field-5 ext3 536870912 dio_write create direct bs=512m size=512m
scratch-xfs-create field-5 xfs 536870912 dio_write create direct bs=512m size=512m"

# What this call is to run, of all that there is
field_names()
{
	printf '%s\n' "$field_reads" "$([ "$write" -eq 0 ] || echo "$field_writes")" |
		while read -r _name _; do
			# shellcheck disable=SC2254 # a pattern
			case $_name:$pattern in
			?*:all|$pattern:*)	echo "$_name" ;;
			esac
		done
}

# --- Where a case runs; fails with the reason in why if it cannot -------------------------------

bind_raws()
{
	[ -e /dev/raw/rawctl ] || modprobe -q raw 2>/dev/null
	[ -e /dev/raw/rawctl ] || { why="this kernel has no raw driver"; return 1; }
	[ "$in_use" -eq 0 ] || { why="others use the disks"; return 1; }
	DIO_RAW=0
	for _node in $nodes; do
		dio_get_raw
		"$DIO_DIR/raw" "$DIO_RAW" "$_node" >/dev/null || die "$_node: no raw device"
		on="$on /dev/raw/raw$DIO_RAW"
		raws="$raws $DIO_RAW"
	done
}

# The file system is new in each round, and so is what a mix reads and writes.
make_file()
{
	case $where in
	ext*)	_maker="mke2fs -q -F -t $where -b 4096" ;;
	xfs)	_maker="mkfs.xfs -q -f" ;;
	jfs)	_maker="mkfs.jfs -q" ;;
	esac
	! why=$(dio_fs_lacks "$where" "$_maker") || return 1
	_node=$(dio_guard "$target") || die "DIO_SCRATCH: $_node"
	_mib=$(($(dio_sys "$_node" size) / 2048))
	[ $((unit * 2 >> 20)) -le $_mib ] || { why="DIO_SCRATCH is too small"; return 1; }
	# shellcheck disable=SC2086 # a command line
	why=$($_maker "$_node" 2>&1) || { why="$_maker: $(echo "$why" | tail -n 1)"; return 1; }
	mount -i -t "$where" -o noatime "$_node" "$DIO_TMP/mnt" || die "$where cannot be mounted"
	on=$DIO_TMP/mnt/file counters=$_node
	case $words in
	mix*)	dd if=/dev/zero of="$on" bs=1M count=$((_mib < 4096 ? _mib / 4 : 1024)) conv=fsync \
			2>/dev/null || die "$DIO_SCRATCH cannot be written" ;;
	esac
}

begin_round()
{
	on="" counters=$nodes
	case $where in
	all)	on=$nodes ;;
	first)	on=${nodes%% *} counters=$on ;;
	raw)	bind_raws || return ;;
	*)	make_file || return ;;
	esac
	for _node in $counters; do
		_said=$(blockdev --flushbufs "$_node" 2>&1) || die "$name: $_said"
	done
}

# Also when a case is stopped
field_end_case()
{
	for _raw in $raws; do
		dio_unbind "$_raw"
	done
	raws=""
	dio_umount "$DIO_TMP/mnt"
}

# --- What a round took ---------------------------------------------------------------------------

# What the disks have done (I/Os, sectors, sectors read), and ticks (10 ms) in which a CPU was busy
counted()
{
	_stats=""
	for _node in $counters; do
		_stats="$_stats /sys/class/block/${_node##*/}/stat"
	done
	# shellcheck disable=SC2086 # a list
	awk 'FILENAME != "/proc/stat" { ios += $1 + $5; sectors += $3 + $7; got += $3; next }
		$1 == "cpu" { busy = $2 + $3 + $4 + $7 + $8 }
		END { printf "%.0f %.0f %.0f %.0f\n", ios, sectors, got, busy }' \
		$_stats /proc/stat 2>/dev/null
}

# figures_of N BEFORE: what a program that did N units said, and counters before and now, as lines
# of metric, unit and value. The first is how long it took.
figures_of()
{
	awk -v program="$program" -v n="$1" -v unit="$unit" -v before="$2" -v after="$(counted)" '
		function field(name)
		{
			if (!match(said, "\"" name "\": [0-9.]+"))
				return 0
			return substr(said, RSTART + length(name) + 4) + 0
		}
		function figure(metric, unit, value)
		{
			printf "%s %s %.3f\n", metric, unit, value
		}
		{ said = said $0 }
		END {
			split(before, was)
			split(after, is)
			bytes = field("bytes") ? field("bytes") : n * unit
			# one of them, or it is all that was said
			seconds = field("seconds") + field("nsec") / 1e9 + field("ns") * n / 1e9
			if (program == "dio_load")
				seconds = said * n / 1e9
			printf "seconds s %.6f\n", seconds
			if (program == "dio_load")
				figure("per_s", "I/O/s", n / seconds)
			else
				figure("mb_per_s", "MiB/s", bytes / 1048576 / seconds)
			if (program == "disk_read")
				figure("latency_us", "us", field("nsec_per_block") / 1000)
			if (program == "ra_load")
				figure("bytes_read_per_used", "ratio",
				       (is[3] - was[3]) * 512 / bytes)
			if (is[1] > was[1])
				figure("io_kib", "KiB", (is[2] - was[2]) / 2 / (is[1] - was[1]))
			figure("cpu_us_per_mib", "us", (is[4] - was[4]) * 10000 / (bytes / 1048576))
		}' "$DIO_TMP/said"
}

# run_round N [WORD]: sets took, and first to a figure of it; all are in $DIO_TMP/figures
run_round()
{
	begin_round || return
	case $program in
	disk_read)	_more="--json blocks=$1" ;;
	ra_load)	_more="size=$((bytes < 1 << 40 ? bytes : 1 << 40)) n=$1" ;;
	*)		_more="n=$1${2:+ $2}" ;;
	esac
	_before=$(counted)
	# Not in the foreground: a shell hears of a signal only when that has ended.
	# shellcheck disable=SC2086 # lists
	"$DIO_DIR/$program" $words $_more $on >"$DIO_TMP/said" 2>"$DIO_TMP/why" &
	program_pid=$!
	_rc=0
	wait "$program_pid" || _rc=$?
	program_pid=""
	[ "$_rc" -eq 0 ] || die "$name: $(tail -n 1 "$DIO_TMP/why")"
	figures_of "$1" "$_before" >"$DIO_TMP/figures"
	field_end_case
	{ read -r _ _ took; read -r _ _unit _value; } <"$DIO_TMP/figures"
	first="$_value $_unit"
}

# Sets units, found once: more and more of them, until a round takes a tenth of what it is to take.
# What reads disks has half of the smallest.
find_units()
{
	bytes=0
	for _node in $nodes; do
		_size=$(($(dio_sys "$_node" size) * 512))
		[ "$bytes" -ne 0 ] && [ "$bytes" -le "$_size" ] || bytes=$_size
	done
	most=$((bytes / 2 / unit))
	case $program in
	dio_*)	most=100000000 ;;
	esac
	[ "$most" -gt 0 ] || die "$name: a disk is smaller than $((2 * unit)) bytes"
	_next="1 0" units=$(get "units.$name")
	[ -z "$units" ] || return 0
	while [ "${_next#* }" -eq 0 ]; do
		units=${_next% *}
		run_round "$units" || return
		_next=$(awk -v n="$units" -v took="$took" -v all="$seconds" -v most="$most" 'BEGIN {
			done = took * 10 >= all
			next_n = done ? int(n * all / took) : n * 8
			next_n = next_n < 1 ? 1 : next_n > most ? most : next_n
			printf("%.0f %d", next_n, (done || n == most)) }')
	done
	units=${_next% *}
	put "units.$name" "$units"
}

run_rounds()
{
	find_units || return
	# It is read back, which is not in the figures.
	[ "$program" != dio_write ] || run_round 1 verify || return
	: >"$DIO_TMP/rounds"
	for _round in $(seq "$rounds"); do
		run_round "$units" || return
		cat "$DIO_TMP/figures" >>"$DIO_TMP/rounds"
		say "$1 $name: $first"
	done
}

# run_case NAME WHERE-WE-ARE: its rows, of all that is in rounds, go to the state at once.
run_case()
{
	name=$1 why=""
	read -r _ report where unit program words <<-END
		$(printf '%s\n' "$field_reads" "$field_writes" | grep "^$1 ")
	END
	run_rounds "$2" || {
		say "$2 $name: not run: $why"
		return
	}
	awk -v turn="$turn" -v head="$report$tab$name" -v command="$program $words $_more" '
		$1 == "seconds" { next }
		!($1 in unit) { unit[$1] = $2; order[++n] = $1 }
		{ values[$1] = values[$1] " " $3 }
		END {
			for (i = 1; i <= n; i++)
				printf "row.%s\t%s\t%s\t%s\t%s\t%s\n", turn, head, order[i],
					unit[order[i]], substr(values[order[i]], 2), command
		}' "$DIO_TMP/rounds" >"$DIO_TMP/rows"
	cat "$DIO_TMP/rows" >>"$state" || die "$state cannot be written"
}
