#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# field: turns in the order A B B A, a stop and a lost disk in the middle, data that changes, what is
# told of the machine, what is written.
#
# Who is hurt by a broken one: whoever lets it loose on the disks of a data base for an hour, and sends
# around what it wrote. Everything here happens on scsi_debug disks, whatever DIO_DISKS and
# DIO_SCRATCH say. No kernel is booted: a uname of ours says which one this is.

. "$(dirname "$0")/dio_common.sh"

field=$DIO_DIR/field.sh
tab=$(printf '\t')
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
	ends_rc=$1 ends_regex=$2
	shift 2
	dio_ends "$ends_rc" "$ends_regex" under "$@"
}

anew()
{
	rm -f field.state field.figures
}

# turn KERNEL CASES: one more is done
turn()
{
	# shellcheck disable=SC2086 # lists
	ends 0 "turn [0-9] is done, under $1:" "$1" --disks $two_disks $short --cases="$2"
}

# begun CASES: the first is done
begun()
{
	anew
	turn 6.1.0-a "$1"
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
		echo "$said" | grep -Eq "turn 1, .* 4 cases, 2 rounds of 1 s: about [0-9]+ min" &&
		grep -q '1: 4/4, .* left\] disks-nocopy: .* MiB/s' "$DIO_TMP/said" &&
		[ "$(written)" = "$before" ]
}

two_kernels()
{
	turn 6.1.0-b 'disks-*' && turn 6.1.0-b 'disks-*' && turn 6.1.0-a 'disks-*' &&
		state_has '^row.[1-4].field-1.disks-direct.mb_per_s' 4 &&
		state_has '^row.[1-4].field-1.disks-direct.latency_us.us.[0-9.]+ [0-9.]+.disk_read' 4 &&
		"$field" compare field.figures >table && [ "$(grep -c '^  6.1.0-a  *[0-9]' table)" -eq \
			"$(grep -c '^  6.1.0-b  *[0-9]' table)" ] &&
		grep -A 1 '^field-1  *disks-direct  *latency_us' table | grep '^  6.1.0-a  *[0-9.]* [0-9.]*$'
}

no_names()
{
	names="secret-host"
	for _disk in $two_disks; do
		names="$names|$_disk|$(dio_sys "$_disk" device/wwid)"
	done
	begun disks-direct && grep '^machine.1.*scsi_debug' field.figures || return
	! grep -E "$names" field.figures || { echo "names, of $names"; return 1; }
	_runs=$(cat /proc/sys/vm/readahead_runs 2>/dev/null)
	grep -q "^machine.1${tab}vm.readahead_runs$tab$_runs\$" field.figures
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
	"$field" --disks "$one" >other 2>&1
	[ $? -eq 1 ] && grep -qx "field: another field runs in $PWD" other && kill -TERM "$pid"
}

# The number of I/Os that was found is then made small: nobody has to wait. The turn is its kernel's.
stopped()
{
	in_the_middle kill_it && [ "$rc" -eq 143 ] &&
		grep -q "what is done stands in field.state" "$DIO_TMP/said" || return
	! grep -qs "[d]io_load" /proc/[0-9]*/cmdline || { echo "dio_load runs on"; return 1; }
	printf 'units.disk-oltp-read-4k\t100\n' >>field.state
	ends 1 "turn 1 is not done: boot 6.1.0-a" 6.1.0-b --disks "$one" &&
		turn 6.1.0-a 'disk*-[4d]*' && ! grep -q disks-direct "$DIO_TMP/said" &&
		state_has '^row.1.field-1.disks-direct.mb_per_s' 1 &&
		state_has '^row.1.field-4.disk-oltp-read-4k.per_s' 1
}

# changed: the data is told of, and another disk is refused
changed()
{
	printf y | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	begun disks-direct || return
	printf x | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	# shellcheck disable=SC2086 # lists
	ends 1 "^field: other disks than in the turns before" 6.1.0-b --disks "$two" $short ||
		return
	# shellcheck disable=SC2086 # lists
	ends 1 "^field: disk 2: data has changed since the turn before" 6.1.0-b --disks $two_disks \
		$short --cases=disks-direct &&
		grep -q '^told.*turn 2: disk 2: data has changed' field.figures &&
		! grep -q "disk 1: data" "$DIO_TMP/said"
}

# A disk that others use is read, but what it holds is theirs to change.
in_use()
{
	mke2fs -q -F "$one" && mkdir -p mnt && mount -t ext2 "$one" mnt || return
	dio_then "umount mnt" begun 'disks-[dr]*' &&
		grep -q "^field: $one cannot be .*; mounted on .*not verified" "$DIO_TMP/said" &&
		! grep -q '^sum.1' field.state && state_has '^sum.2' 1
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
	[ "$rc" -eq 0 ] && busybox sh "$field" compare field.figures >table && "$field" compare \
		field.figures | diff table - && grep 'iozone-random-disk *mb_per_s' table
}

# scratch_says RC REGEX [WORD]...: with DIO_SCRATCH
scratch_says()
{
	anew
	_rc=$1 _regex=$2
	shift 2
	export DIO_SCRATCH="$three"
	# shellcheck disable=SC2086 # lists
	dio_then "unset DIO_SCRATCH" ends "$_rc" "$_regex" 6.1.0-a --disks $two_disks $short \
		--cases='scratch-disk-ext2-*' "$@"
}

careful()
{
	"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		scratch_says 2 "no such case" &&
		scratch_says 2 "$three is named twice" --disks "$three" --write &&
		mkswap "$three" >/dev/null && swapon "$three" || return
	dio_then "swapoff $three" scratch_says 2 "$three cannot be claimed" --write &&
		"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		ends 2 "DIO_SCRATCH names no disk" 6.1.0-a --disks "$one" --write &&
		"$DIO_DIR/disk_read" blocks=60 bs=1m verify "$three"
}

writes()
{
	scratch_says 0 "reads 2 disks, WRITES to $three" --write &&
		state_has '^row.1.field-3.scratch-disk-ext2-(buffered|direct).mb_per_s' 2
}

gone()
{
	in_the_middle dio_pull "$one" && [ "$rc" -eq 1 ] &&
		grep -q "^field: disk-oltp-read-4k: dio_load: " "$DIO_TMP/said" &&
		grep -q "what is done stands in field.state" "$DIO_TMP/said" &&
		ends 2 "^field: $one does not exist" 6.1.0-a --disks "$one" && state_has '^end' 0
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
dio_plan 14

dio_check "nothing is written; what is done is said before, and while it goes on" only_reads
dio_check "two kernels in the order A B B A, and the file has all rounds" two_kernels
dio_check "no name, WWID or device is told" no_names
dio_check "one at a time, and a stopped turn goes on" stopped
dio_check "other disks are refused, and data that changed between turns is told" changed
dio_check "a disk in use is read, and not verified" in_use
if command -v busybox >/dev/null; then
	dio_check "busybox is all that is needed" only_busybox
else
	dio_skip "busybox is all that is needed" "program busybox is missing"
fi
dio_check "only a disk that is named, free and allowed is written" careful
dio_check "writes, where they are allowed" writes
anew
dio_check "no such case" dio_says 2 'no such case' "$field" --disks "$one" --cases=nothing
dio_check "no disk" dio_says 2 'no disk named' "$field"
dio_check "not a number" dio_says 2 '--seconds=x: not a number' "$field" --disks "$one" --seconds=x
dio_check "nothing to compare" dio_says 2 'nothing cannot be read' "$field" compare nothing
dio_check "a disk lost in the middle is told, and what is done is kept" gone
