#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# field: turns in the order A B B A, a stop and a lost disk in the middle, wrong data, what is told of
# the machine, what is written.
#
# Who is hurt by a broken one: whoever lets it loose on the disks of a data base for an hour, and sends
# around what it wrote. Everything here happens on scsi_debug disks, whatever DIO_DISKS and
# DIO_SCRATCH say. No kernel is booted: a uname of ours says which one this is.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

field=$DIO_DIR/field.sh
short="--seconds=1 --rounds=2 --verify=2"

# under KERNEL WORD...: field there; its exit status, all that it says in $DIO_TMP/said
under()
{
	echo "$1" >"$DIO_TMP/kernel"
	shift
	rc=0
	PATH=$DIO_TMP/bin:$PATH "$field" "$@" >"$DIO_TMP/said" 2>&1 || rc=$?
	cat "$DIO_TMP/said"
	return $rc
}

# ends RC REGEX KERNEL WORD...: field ends like that, and says so
ends()
{
	wanted=$1 regex=$2
	shift 2
	rc=0
	under "$@" || rc=$?
	echo "exit $rc, wanted $wanted and /$regex/"
	[ "$rc" -eq "$wanted" ] && grep -Eq "$regex" "$DIO_TMP/said"
}

anew()
{
	rm -f field.state field.json
}

# begun CASES [DISKS]: the first turn, of our two disks or others, is done
begun()
{
	anew
	# shellcheck disable=SC2086 # lists
	ends 0 "next: turn 2 of 4" 6.1.0-a --disks ${2-$two_disks} $short --cases="$1"
}

# state_has REGEX TIMES
state_has()
{
	times=$(grep -Ec "$1" field.state)
	echo "$1: $times times, wanted $2"
	[ "$times" -eq "$2" ]
}

written()
{
	for _disk in $two_disks; do
		awk '{ print $5, $7 }' "/sys/class/block/${_disk##*/}/stat"
	done
}

only_reads()
{
	before=$(written)
	begun 'disks-*' || return
	said=$(head -n 2 "$DIO_TMP/said")
	echo "$said" | grep -q "^field: reads 2 disks\$" &&
		echo "$said" | grep -Eq "turn 1 of 4 .* 4 cases, 2 rounds of 1 s: about [0-9]+ min" &&
		grep -q '1: 4/4, .* left\] disks-nocopy: .* MiB/s' "$DIO_TMP/said" &&
		[ "$(written)" = "$before" ]
}

waits_for_b()
{
	ends 3 "next: turn 2 of 4. Boot the other kernel \(not 6.1.0-a\)" 6.1.0-a &&
		[ "$(wc -l <"$DIO_TMP/said")" -eq 1 ]
}

b_has_two_turns()
{
	ends 0 "next: turn 4 of 4. Boot 6.1.0-a," 6.1.0-b && ends 3 "Boot 6.1.0-a," 6.1.0-b &&
		ends 3 "Boot 6.1.0-a," 6.1.0-c && state_has '^end\.[123]' 3
}

a_ends_it()
{
	ends 0 "all four turns are done" 6.1.0-a && ends 0 "all four turns are done" 6.1.0-b &&
		state_has '^row\.[1-4].field-1.disks-direct.mb_per_s' 4 || return
	row='"case": "disks-direct", "metric": "latency_us", "unit": "us", "stock": [0-9.]+, '
	row="$row\"patched\": .*\"stock_values\": \[([0-9.]+, ){3}[0-9.]+\], \"patched_values\": "
	grep -E "^\{\"base\": \"6.1.0\", \"report\": \"field-1\", $row\[([0-9.]+, ){3}" field.json
}

has_names()
{
	grep -Eq "$names" field.json
}

no_names()
{
	names="secret-host"
	for _disk in $two_disks; do
		names="$names|$_disk|$(cat "/sys/class/block/${_disk##*/}/device/wwid")"
	done
	begun disks-direct && grep '"machine": {"kernel": "6.1.0-a".*scsi_debug' field.json || return
	! has_names || { echo "names, of $names"; return 1; }
	_runs=$(cat /proc/sys/vm/readahead_runs 2>/dev/null)
	grep -q "\"vm.readahead_runs\": \"$_runs\"" field.json || { echo "not $_runs"; return 1; }
	ends 3 "next" 6.1.0-a --with-names && has_names
}

# The number of I/Os is known, so what runs now is a round.
is_measuring()
{
	grep -q '^units.disk-oltp-read-4k' field.state 2>/dev/null &&
		grep -qs "[d]io_load" /proc/[0-9]*/cmdline
}

# Nobody may have waited for it yet: then it is a zombie.
is_measuring_or_over()
{
	is_measuring || ! grep -qs '^State:.[^Z]' "/proc/$pid/status"
}

# in_the_middle CMD...: does CMD while the first turn's last case runs, all others done; leaves the
# exit status in $rc
in_the_middle()
{
	anew
	echo 6.1.0-a >"$DIO_TMP/kernel"
	# shellcheck disable=SC2086 # lists
	PATH=$DIO_TMP/bin:$PATH "$field" --disks $two_disks --seconds=20 --rounds=2 --verify=2 \
		--cases='disk*-[4d]*' >"$DIO_TMP/said" 2>&1 &
	pid=$!
	dio_wait 600 is_measuring_or_over && "$@"
	bad=$? rc=0
	wait "$pid" || rc=$?
	cat "$DIO_TMP/said"
	[ "$bad" -eq 0 ] && state_has '^row.1.field-1.disks-direct.mb_per_s' 1 && state_has '^done' 1
}

kill_it()
{
	"$field" >other 2>&1
	[ $? -eq 1 ] && grep -qx "field: another field runs in $PWD" other && kill -TERM "$pid"
}

# The number of I/Os that was found is then made small: nobody has to wait.
stopped()
{
	in_the_middle kill_it && [ "$rc" -eq 143 ] &&
		grep -q "what is done stands in field.state" "$DIO_TMP/said" || return
	! grep -qs "[d]io_load" /proc/[0-9]*/cmdline || { echo "dio_load runs on"; return 1; }
	printf 'units.disk-oltp-read-4k\t100\n' >>field.state
	ends 0 "next: turn 2 of 4" 6.1.0-a && ! grep -q disks-direct "$DIO_TMP/said" &&
		state_has '^row.1.field-1.disks-direct.mb_per_s' 1 &&
		state_has '^row.1.field-4.disk-oltp-read-4k.per_s' 1
}

changed()
{
	printf y | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	begun disks-direct || return
	printf x | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	ends 1 "^field: disk 2: data has changed since the turn before" 6.1.0-b &&
		grep -q '"turn 2: disk 2: data has changed' field.json &&
		! grep -q "disk 1: data" "$DIO_TMP/said"
}

stamped()
{
	"$DIO_DIR/disk_stamp" disk=1 write-device "$one" && begun disks-direct || return
	printf x | dd of="$one" bs=1 seek=$((1000 * 512 + 100)) conv=notrunc,fsync status=none
	ends 1 "^field: disk 1: disk_read: $one: wrong data in sector 1000: a damaged stamp" \
		6.1.0-b && state_has '^end' 1 || return
	"$DIO_DIR/disk_stamp" disk=1 write-device "$one" && ends 0 "turn 4 of 4" 6.1.0-b
}

other_disk()
{
	ln -sf "$one" link
	begun disks-direct "$PWD/link" || return
	ln -sf "$two" link
	ends 1 "disk.1 is another one than that of field.state" 6.1.0-b
}

# What the page cache still has would be measured.
not_flushed()
{
	cat >"$DIO_TMP/bin/blockdev" <<-'END'
		#!/bin/sh
		echo "blockdev: $2 is not ours"
		exit 1
	END
	chmod +x "$DIO_TMP/bin/blockdev"
	anew
	# shellcheck disable=SC2086 # a list
	ends 1 "^field: disks-direct: blockdev: $one is not ours" 6.1.0-a --disks "$one" $short \
		--verify=0 --cases=disks-direct && state_has '^(row|done)' 0
	bad=$?
	rm "$DIO_TMP/bin/blockdev"
	return $bad
}

# A disk that others use is read, but what it holds is theirs to change.
in_use()
{
	mke2fs -q -F "$one" && mkdir -p mnt && mount -t ext2 "$one" mnt || return
	begun 'disks-[dr]*' && grep -q "^field: $one cannot be .*; mounted on .*not verified" "$DIO_TMP/said" &&
		! grep -q '^sum.1' field.state && state_has '^sum.2' 1
	bad=$?
	umount mnt && return $bad
}

# On a machine that has nothing but the kit
only_busybox()
{
	mkdir "$DIO_TMP/bare" && busybox --install -s "$DIO_TMP/bare" && anew || return
	# shellcheck disable=SC2086 # lists
	PATH=$DIO_TMP/bare busybox sh "$field" --disks $two_disks $short --cases='*d*-d*' \
		>"$DIO_TMP/said" 2>&1
	rc=$?
	cat "$DIO_TMP/said"
	[ "$rc" -eq 0 ] && busybox sh "$field" compare field.json >table && "$field" compare \
		field.json | diff table - && grep 'iozone-random-disk *mb_per_s' table
}

# scratch_says RC REGEX [WORD]...: with DIO_SCRATCH
scratch_says()
{
	anew
	_rc=$1 _regex=$2
	shift 2
	export DIO_SCRATCH="$three"
	# shellcheck disable=SC2086 # lists
	ends "$_rc" "$_regex" 6.1.0-a --disks $two_disks $short --cases='scratch-disk-ext2-*' "$@"
	bad=$?
	unset DIO_SCRATCH
	return $bad
}

careful()
{
	"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		scratch_says 2 "no such case" &&
		scratch_says 2 "$three is named twice" --disks "$three" --write &&
		mkswap "$three" >/dev/null && swapon "$three" || return
	scratch_says 2 "$three cannot be claimed" --write
	bad=$?
	swapoff "$three"
	"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		ends 2 "DIO_SCRATCH names no disk" 6.1.0-a --disks "$one" --write &&
		"$DIO_DIR/disk_read" blocks=60 bs=1m verify "$three" && return $bad
}

writes()
{
	scratch_says 0 "reads 2 disks, WRITES to $three" --write &&
		state_has '^row.1.field-3.scratch-disk-ext2-(buffered|direct).mb_per_s' 2 &&
		ends 2 "give --write and DIO_SCRATCH each time" 6.1.0-b
}

gone()
{
	in_the_middle dio_pull "$one" && [ "$rc" -eq 1 ] &&
		grep -q "^field: disk-oltp-read-4k: dio_load: " "$DIO_TMP/said" &&
		grep -q "what is done stands in field.state" "$DIO_TMP/said" &&
		ends 1 "^field: $one does not exist" 6.1.0-a && state_has '^end' 0
}

# --- The cases ---------------------------------------------------------------------------------

unset DIO_DISKS DIO_SCRATCH
dio_init "$@"
dio_need awk blockdev dd flock mke2fs sha256sum
dio_get_disks 3
one=${DIO_LIST%% *}
three=${DIO_LIST##* }
two_disks=${DIO_LIST% *}
two=${two_disks#* }
# scsi_debug gives a new disk the content of one that is gone, and another test has left stamps.
for disk in $DIO_LIST; do
	dd if=/dev/zero of="$disk" bs=1M count=4 conv=fsync status=none
done
mkdir "$DIO_TMP/bin" "$DIO_TMP/work" && cd "$DIO_TMP/work" || exit 1
dio_on_exit cd /
dio_on_exit dio_umount "$DIO_TMP/work/mnt"
cat >"$DIO_TMP/bin/uname" <<END
#!/bin/sh
case \$1 in
-r)	cat "$DIO_TMP/kernel" ;;
-n)	echo secret-host ;;
*)	echo x86_64 ;;
esac
END
chmod +x "$DIO_TMP/bin/uname"
dio_plan 21

dio_check "nothing is written; what is done is said before, and while it goes on" only_reads
dio_check "the other kernel is asked for" waits_for_b
dio_check "the other kernel has two turns" b_has_two_turns
dio_check "the first has the last turn, and the file has all rounds" a_ends_it
dio_check "no name, WWID or device unless asked" no_names
dio_check "one at a time, and a stopped turn goes on" stopped
dio_check "data that changed between turns is told" changed
dio_check "wrong data in a stamped disk is told" stamped
dio_check "another disk under an old name is refused" other_disk
dio_check "a disk that cannot be flushed is not measured" not_flushed
dio_check "a disk in use is read, and not verified" in_use
if command -v busybox >/dev/null; then
	dio_check "busybox is all that is needed" only_busybox
else
	dio_skip "busybox is all that is needed" "program busybox is missing"
fi
dio_check "only a disk that is named, free and allowed is written" careful
dio_check "writes, where they are allowed" writes
anew
dio_expect 2 'no such case' "no such case" "$field" --disks "$one" --cases=nothing
dio_expect 2 "$one is named twice" "a disk twice" "$field" --disks "$one" "$one"
dio_expect 2 'nosuchdisk does not exist' "no such disk" "$field" --disks /dev/nosuchdisk
dio_expect 2 '--disks is missing' "nothing to go on with" "$field"
dio_expect 2 '--seconds=x: not a number' "not a number" "$field" --disks "$one" --seconds=x
dio_expect 2 'nothing.json cannot be read' "nothing to compare" "$field" compare nothing.json
dio_check "a disk lost in the middle is told, and what is done is kept" gone
