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

# ends RC REGEX KERNEL CASES [WORD]...: field on two disks, under KERNEL, ends so, and says so
ends()
{
	ends_rc=$1 ends_regex=$2 ends_cases=$4
	echo "$3" >"$DIO_TMP/kernel"
	shift 4
	# shellcheck disable=SC2086 # lists
	dio_ends "$ends_rc" "$ends_regex" env PATH="$DIO_TMP/bin:$PATH" "$field" \
		--disks $two_disks $short --cases="$ends_cases" "$@"
}

# said REGEX
said()
{
	grep -Eq -e "$1" "$DIO_TMP/.said"
}

anew()
{
	rm -f field.state field.figures
}

# turn KERNEL CASES: one more is done
turn()
{
	ends 0 "turn [0-9] is done, under $1:" "$@"
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
	begun 'disks-*' && said "^field: reads 2 disks\$" &&
		said "turn 1, .* 4 cases, 2 rounds of 1 s: about [0-9]+ min" &&
		said '1: 4/4, .* left\] disks-nocopy: .* MiB/s' && [ "$(written)" = "$before" ]
}

two_kernels()
{
	turn 6.1.0-b 'disks-*' && turn 6.1.0-b 'disks-*' && turn 6.1.0-a 'disks-*' &&
		state_has '^row.[1-4].field-1.disks-direct.mb_per_s' 4 &&
		state_has '^row.[1-4].field-1.disks-direct.latency_us.us.[0-9.]+ [0-9.]+.d' 4 &&
		"$field" compare field.figures >table &&
		[ "$(grep -c ' 6.1.0-a  *[0-9]' table)" -eq "$(grep -c 6.1.0-b table)" ] &&
		grep '^field-1 *disks-direct *latency_us *us *6.1.0-b *[0-9.]* [0-9.]*$' table
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

# The number of I/Os is known, so what runs now is a round; or nobody waited for field, a zombie.
is_measuring_or_over()
{
	grep -q '^units.disk-oltp-read-4k' field.state 2>/dev/null &&
		grep -qs "[d]io_load" /proc/[0-9]*/cmdline ||
		! grep -qs '^State:.[^Z]' "/proc/$pid/status"
}

# in_the_middle RC CMD...: CMD while the first turn's last case runs, all others done; that ends the
# turn, with RC, and what is done is kept
in_the_middle()
{
	anew
	middle_rc=$1
	shift
	echo 6.1.0-a >"$DIO_TMP/kernel"
	# shellcheck disable=SC2086 # lists
	PATH=$DIO_TMP/bin:$PATH "$field" --disks $two_disks $short --seconds=20 \
		--cases='disk*-[4d]*' >"$DIO_TMP/.said" 2>&1 &
	pid=$!
	dio_wait 600 is_measuring_or_over && "$@"
	bad=$? rc=0
	wait "$pid" || rc=$?
	cat "$DIO_TMP/.said"
	[ "$bad" -eq 0 ] && [ "$rc" -eq "$middle_rc" ] &&
		said "what is done stands in field.state" &&
		state_has '^row.1.field-1.disks-direct.mb_per_s' 1 && state_has '^row.1.field-4' 0
}

kill_it()
{
	"$field" --disks "$one" >other 2>&1
	[ $? -eq 1 ] && grep -qx "field: another field runs in $PWD" other && kill -TERM "$pid"
}

# The number of I/Os that was found is then made small: nobody has to wait. The turn is its kernel's.
stopped()
{
	in_the_middle 143 kill_it || return
	! grep -qs "[d]io_load" /proc/[0-9]*/cmdline || { echo "dio_load runs on"; return 1; }
	printf 'units.disk-oltp-read-4k\t100\n' >>field.state
	ends 1 "turn 1 is not done: boot 6.1.0-a" 6.1.0-b all &&
		turn 6.1.0-a 'disk*-[4d]*' && ! said disks-direct &&
		state_has '^row.1.field-1.disks-direct.mb_per_s' 1 &&
		state_has '^row.1.field-4.disk-oltp-read-4k.per_s' 1
}

# changed: the data is told of, and another disk is refused
changed()
{
	printf y | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	begun disks-direct || return
	printf x | dd of="$two" bs=1 seek=70000 conv=notrunc,fsync status=none
	ends 1 "^field: other disks than in the turns before" 6.1.0-b all --disks "$three" &&
		ends 1 "^field: disk 2: data has changed since the turn before" 6.1.0-b \
			disks-direct &&
		grep -q '^told.*turn 2: disk 2: data has changed' field.figures &&
		! said "disk 1: data"
}

# A disk that others use is read, but what it holds is theirs to change.
in_use()
{
	mke2fs -q -F "$one" && mkdir -p mnt && mount -t ext2 "$one" mnt || return
	dio_then "umount mnt" begun 'disks-[dr]*' &&
		said "^field: $one cannot be claimed: .* $PWD/mnt.*not verified" &&
		! grep -q '^sum.1' field.state && state_has '^sum.2' 1
}

# On a machine that has nothing but the kit
only_busybox()
{
	mkdir "$DIO_TMP/bare" && busybox --install -s "$DIO_TMP/bare" && anew || return
	# shellcheck disable=SC2086 # lists
	dio_ends 0 "turn 1 is done" env PATH="$DIO_TMP/bare" "$(command -v busybox)" sh "$field" \
		--disks $two_disks $short --cases='*d*-d*' &&
		state_has iozone-random-disk.mb_per_s 1
}

# scratch_says RC REGEX [WORD]...: with DIO_SCRATCH
scratch_says()
{
	anew
	_rc=$1 _regex=$2
	shift 2
	export DIO_SCRATCH="$three"
	dio_then "unset DIO_SCRATCH" ends "$_rc" "$_regex" 6.1.0-a 'scratch-disk-ext2-*' "$@"
}

careful()
{
	"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		scratch_says 2 "no such case" &&
		scratch_says 2 "$three is named twice" --disks "$three" --write &&
		mkswap "$three" >/dev/null && swapon "$three" || return
	dio_then "swapoff $three" scratch_says 2 "$three cannot be claimed" --write &&
		"$DIO_DIR/disk_stamp" disk=3 write-device "$three" &&
		ends 2 "DIO_SCRATCH names no disk" 6.1.0-a all --write &&
		"$DIO_DIR/disk_read" blocks=60 bs=1m verify "$three"
}

writes()
{
	scratch_says 0 "reads 2 disks, WRITES to $three" --write &&
		state_has '^row.1.field-3.scratch-disk-ext2-(buffered|direct).mb_per_s' 2
}

gone()
{
	in_the_middle 1 dio_pull "$one" && said "^field: disk-oltp-read-4k: dio_load: " &&
		ends 2 "^field: $one does not exist" 6.1.0-a all && state_has '^end' 0
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
dio_unless "$(command -v busybox >/dev/null || echo "program busybox is missing")" \
	"busybox is all that is needed" only_busybox
dio_check "only a disk that is named, free and allowed is written" careful
dio_check "writes, where they are allowed" writes
anew
dio_check "no such case" dio_says 2 'no such case' "$field" --disks "$one" --cases=nothing
dio_check "no disk" dio_says 2 'no disk named' "$field"
dio_check "not a number" dio_says 2 '--seconds=x: not a number' "$field" --disks "$one" --seconds=x
dio_check "nothing to compare" dio_says 2 'nothing cannot be read' "$field" compare nothing
dio_check "a disk lost in the middle is told, and what is done is kept" gone
