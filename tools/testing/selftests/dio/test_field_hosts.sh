#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# field serve and field hosts: two hosts, which are two addresses of this machine, each with a disk of
# scsi_debug. Their figures and the sum are in one table; who serves reads only, as nobody, and ends.
#
# Who is hurt by a broken one: whoever opens a port to the disks of a data base, for fio takes any job
# from anybody.

# shellcheck source=dio_common.sh
. "$(dirname "$0")/dio_common.sh"

field=$DIO_DIR/field.sh
short="--seconds=1 --rounds=1"

# serving NAME: it says so
serving()
{
	grep -q "^field: next" "$DIO_TMP/$1"
}

# serve NAME KERNEL DISK...: at 127.0.0.NAME; its pid is in NAME.pid
serve()
{
	host=$1
	echo "$2" >"$DIO_TMP/kernel"
	shift 2
	: >"$DIO_TMP/$host"
	PATH=$DIO_TMP/bin:$PATH "$field" serve --disks "$@" --listen="127.0.0.$host" \
		>"$DIO_TMP/$host" 2>&1 &
	echo $! >"$DIO_TMP/$host.pid"
	dio_wait 60 serving "$host"
}

# ended NAME: by itself, well
ended()
{
	wait "$(cat "$DIO_TMP/$1.pid")" && grep -qx "field: ended: nothing is served any more" \
		"$DIO_TMP/$1"
}

# Also of a case that failed
end_servers()
{
	for _pid in "$DIO_TMP"/?.pid; do
		[ ! -e "$_pid" ] || kill "$(cat "$_pid")" 2>/dev/null
	done
	wait
}

fio_runs()
{
	grep -qs "^fio.--[s]erver" /proc/[0-9]*/cmdline || grep -qs "/fio.--[s]erver" /proc/[0-9]*/cmdline
}

written()
{
	cat "/sys/class/block/${one##*/}/stat" "/sys/class/block/${two##*/}/stat" |
		awk '{ print $5, $7 }'
}

# hosts RC REGEX WORD...: field hosts ends like that, and says so
hosts()
{
	rc=0 wanted=$1 regex=$2
	shift 2
	"$field" hosts "$@" >said 2>&1 || rc=$?
	cat said
	echo "exit $rc, wanted $wanted and /$regex/"
	[ "$rc" -eq "$wanted" ] && grep -Eq "$regex" said
}

# median CASE: its speed
median()
{
	awk -v name="$1" '$2 == name && $3 == "mb_per_s" { print $5 }' table
}

two_hosts()
{
	rm -f field.state
	before=$(written)
	serve 1 6.1.0-a "$one" && serve 2 6.1.0-a "$two" "$three" || return
	hosts 0 "next: turn 2 of 4" 127.0.0.1 127.0.0.2 --seconds=1 --rounds=2 \
		--cases=hosts-direct &&
		ended 1 && ended 2 && [ "$(written)" = "$before" ] || return
	! fio_runs || { echo "fio runs on"; return 1; }
	"$field" compare field.json >table && cat table && [ "$(wc -l <table)" -eq 7 ] || return
	for who in hosts-direct host1-direct host2-direct; do
		[ -n "$(median $who)" ] || return
		echo "$who $(median $who)"
	done
}

# The sum of each round is that of its hosts.
adds_up()
{
	awk -F '\t' '$4 == "mb_per_s" { split($6, speed, " "); at[$3] = speed[2] }
		END {
			off = at["hosts-direct"] - at["host1-direct"] - at["host2-direct"]
			print at["hosts-direct"], "MiB/s, off by", off
			exit at["hosts-direct"] > 0 && off < 0.01 && off > -0.01 ? 0 : 1
		}' field.state
}

# All that is read is seen by the disks, too: the page cache was emptied before each round.
reads_disks()
{
	rm -f field.state
	before=$(awk '{ print $3 }' "/sys/class/block/${one##*/}/stat")
	serve 1 6.1.0-a "$one" && hosts 0 "next" 127.0.0.1 --seconds=1 --rounds=3 \
		--cases=hosts-buffered && ended 1 || return
	after=$(awk '{ print $3 }' "/sys/class/block/${one##*/}/stat")
	size=$(cat "/sys/class/block/${one##*/}/size")
	echo "$((after - before)) sectors of a disk of $size"
	[ $((after - before)) -ge $((size * 3 / 16)) ]
}

no_names()
{
	grep -q '"host 1": "1 disks; ' field.json && ! grep -E '127\.0\.0|sd[a-z]' field.json
}

# job LINE...: of any client, to 127.0.0.1
job()
{
	printf '%s\n' "[job]" "$@" >job
	fio --client=ip:127.0.0.1 job >said 2>&1
	cat said
}

# fio's own exit status is 0 of a job that failed there.
only_reads()
{
	serve 1 6.1.0-a "$one" || return
	before=$(written)
	job filename=disk.0 rw=write size=64k
	grep -q "Permission denied" said && [ "$(written)" = "$before" ] || return
	# fio takes a ; for a comment, and keeps the last command's output.
	job ioengine=null rw=read size=4k "exec_prerun=( id -u && grep CapEff /proc/self/status && \
! chmod 666 disk.0 && ! rm -f disk.0 && ! head -c 1 $one && ! cat $DIO_TMP/kernel )"
	cat /proc/[0-9]*/cwd/job.prerun.txt >ran 2>/dev/null
	cat ran
	grep -qx 65533 ran && grep -Eqx 'CapEff:.0+' ran && grep -q "chmod: .*not permitted" ran &&
		grep -q "rm: .*not permitted" ran && grep -q "head: .*$one.*Permission denied" ran &&
		grep -q "cat: $DIO_TMP/kernel: Permission denied" ran || return
	kill "$(cat "$DIO_TMP/1.pid")"
	wait
	! fio_runs
}

one_kernel()
{
	rm -f field.state
	serve 1 6.1.0-a "$one" && serve 2 6.1.0-b "$two" || return
	hosts 2 "the hosts have different kernels: 6.1.0-a 6.1.0-b" 127.0.0.1 127.0.0.2 &&
		ended 1 && ended 2
}

# It goes on under the other kernel, alone, with the same disks.
goes_on()
{
	rm -f field.state
	# shellcheck disable=SC2086 # a list
	serve 1 6.1.0-a "$one" && hosts 0 "turn 2 of 4" 127.0.0.1 $short --cases=hosts-direct &&
		ended 1 && serve 1 6.1.0-b "$two" || return
	rc=0
	"$field" >said 2>&1 || rc=$?
	cat said
	[ $rc -eq 1 ] && grep -q "host.1 is another one than that of field.state" said && ended 1 &&
		serve 1 6.1.0-b "$one" && "$field" >said && grep -q "next: turn 4 of 4" said && ended 1
}

absent()
{
	rm -f field.state
	serve 1 6.1.0-a "$one" || return
	hosts 2 "connect.*127.0.0.3" 127.0.0.1 127.0.0.3 || return
	hosts 0 "next" 127.0.0.1 --seconds=1 --rounds=1 --cases=hosts-direct && ended 1
}

# Where all hosts have room for it; each writes to its own disk only.
writes_files()
{
	rm -f field.state
	export DIO_SCRATCH="$three"
	serve 1 6.1.0-a "$one" --write && unset DIO_SCRATCH && serve 2 6.1.0-a "$two" || return
	hosts 2 "no such case" 127.0.0.1 127.0.0.2 --cases=hosts-disk-ext2-direct || return
	ended 1 && ended 2 || return
	before=$(written)
	export DIO_SCRATCH="$three"
	serve 1 6.1.0-a "$one" --write && unset DIO_SCRATCH || return
	hosts 0 "1 disks are read, 1 hosts WRITE files" 127.0.0.1 --seconds=1 --rounds=1 \
		--cases='hosts-*ext2-*' && ended 1 && [ "$(written)" = "$before" ] || return
	grep -c '^done.*yes' field.state && grep -q 'hosts-disk-ext2-direct.mb_per_s' field.state &&
		! grep -q ext2-create field.state	# 512 MiB
}

# Two at one address would both be asked.
twice()
{
	serve 1 6.1.0-a "$one" || return
	rc=0
	"$field" serve --disks "$two" --listen=127.0.0.1 >said 2>&1 || rc=$?
	kill "$(cat "$DIO_TMP/1.pid")"
	wait
	cat said
	[ $rc -eq 1 ] && grep -q "^field: something serves at 127.0.0.1 already" said
}

mounted()
{
	mke2fs -q -F "$one" && mkdir -p mnt && mount -t ext2 "$one" mnt || return
	rc=0
	"$field" serve --disks "$one" --listen=127.0.0.1 >said 2>&1 || rc=$?
	umount mnt
	cat said
	[ $rc -eq 2 ] && grep -q "^field: $one is mounted on" said
}

unset DIO_DISKS DIO_SCRATCH
dio_init "$@"
dio_need awk blockdev fio ip mke2fs setpriv setsid
ip link set lo up 2>/dev/null
dio_get_disks 3
one=${DIO_LIST%% *}
three=${DIO_LIST##* }
two=${DIO_LIST#* }
two=${two%% *}
mkdir "$DIO_TMP/bin" "$DIO_TMP/work" && cd "$DIO_TMP/work" || exit 1
dio_on_exit cd /
dio_on_exit dio_umount "$DIO_TMP/work/mnt"
dio_on_exit end_servers
printf '#!/bin/sh\ncat "%s/kernel"\n' "$DIO_TMP" >"$DIO_TMP/bin/uname"
chmod +x "$DIO_TMP/bin/uname"
dio_plan 18

dio_check "two hosts: rows of each and of both, nothing is written, both end" two_hosts
dio_check "the sum is that of the hosts" adds_up
dio_check "no address, no name of a disk" no_names
dio_check "what a round reads comes from the disk" reads_disks
dio_check "a job that writes, or runs a program, gets nothing" only_reads
dio_check "different kernels are not one turn" one_kernel
dio_check "the other kernel's turn, and the same disks" goes_on
dio_check "a host that is not there is named, the others serve on" absent
dio_check "files are written on a disk that is given for it" writes_files
dio_check "an address that is served is not served twice" twice
dio_check "a mounted disk is not served" mounted
dio_expect 2 "no disk" "no disk" "$field" serve --listen=127.0.0.1
dio_expect 2 "--listen=ADDRESS" "no address to serve at" "$field" serve --disks "$one"
dio_expect 2 "--listen=ADDRESS" "each address" "$field" serve --disks "$one" --listen=0.0.0.0,8000
dio_expect 1 "fio has ended: .*192.0.2.77|fio has ended" "another machine's address" "$field" \
	serve --disks "$one" --listen=192.0.2.77
dio_expect 2 "DIO_SCRATCH names no disk" "no disk to write" "$field" serve --disks "$one" \
	--listen=127.0.0.1 --write
dio_expect 2 "hosts: no address" "no host" "$field" hosts
dio_expect 2 "disks are named by field serve" "disks of a host" "$field" hosts 127.0.0.1 \
	--disks "$one"
