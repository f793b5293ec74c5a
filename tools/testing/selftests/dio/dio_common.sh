#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What every dio test script shares: TAP output, disks to test on, and the refusal to touch disks
# that are in use. A test sources this file, calls dio_init "$@", asks for what it needs (each
# request may end the test as a SKIP), calls dio_plan N, and then prints N results:
#
#	. "$(dirname "$0")/dio_common.sh"
#	dio_init "$@"
#	dio_get_disks 2
#	dio_plan 1
#	dio_check "first disk is read" dd if="${DIO_LIST%% *}" of=/dev/null count=1
#
# The exit status is set on the way out: 0 all passed, 1 a test failed or did not run, 4 skipped.
# Disks come from the user (DIO_DISKS, read only; DIO_SCRATCH, written if --write is given too), and
# dio_guard.sh has nothing against them; or from scsi_debug, one host and one store a disk, as a
# module or built in. No udev is needed. They are known by the kernel's names.
# Functions given to dio_check and dio_try run in the test's own shell, so they may set
# variables and call dio_on_exit. Names that begin with _dio are private to this file.

# shellcheck disable=SC2034 # these are for the tests
DIO_DIR=$(cd "$(dirname "$0")" && pwd)
DIO_WRITE=0		# --write was given
DIO_CONTENT=${DIO_CONTENT-}	# --content=: what the disks may hold, see dio_guard.sh
DIO_LIST=""		# dio_get_disks: disks to read, separated by blanks
DIO_DISK=""		# dio_get_scratch: a disk to write
DIO_SECTORS=0		# dio_get_part: the length of its part
DIO_TMP=""		# a directory for files, removed at the end; its mnt is to mount on
DIO_RAW=0		# dio_get_raw: the number of a raw device
DIO_DM=""		# dio_dm: the node that it made
DIO_NULL=""		# dio_null: the node that it made
DIO_WHY=""		# dio_dm, dio_null: why they made none

_dio_planned=0
_dio_ran=0
_dio_failed=0
_dio_skipped=0
_dio_cleanup=""
_dio_sd=/sys/bus/pseudo/drivers/scsi_debug
_dio_sd_ready=0

# --- Start, plan and end -----------------------------------------------------------------------

_dio_usage()
{
	echo "usage: $(basename "$0") [-h] [--write] [--content=TYPE]"
	echo "  DIO_DISKS=\"/dev/sdX ...\"  whole disks to read; never written"
	echo "  DIO_SCRATCH=/dev/sdX      a disk whose content may be lost; needs --write as well"
	echo "  DIO_CONTENT=TYPE          as --content: they may hold this, LVM2_member or so"
	echo "  With neither, scsi_debug disks are made. Exit: 0 passed, 1 failed, 2 usage, 4 skipped."
}

# Undo what was done, newest first, then say how it ended.
_dio_end()
{
	_dio_rc=$?
	trap - EXIT
	trap '' INT TERM
	eval "$_dio_cleanup"
	grep -q " $DIO_TMP/" /proc/self/mountinfo || rm -rf "$DIO_TMP"
	[ "$_dio_planned" -gt 0 ] || exit "$_dio_rc"
	echo "# Totals: pass:$((_dio_ran - _dio_failed - _dio_skipped)) fail:$_dio_failed" \
		"xfail:0 xpass:0 skip:$_dio_skipped error:0"
	[ "$_dio_rc" -eq 0 ] || exit "$_dio_rc"
	if [ "$_dio_ran" -ne "$_dio_planned" ]; then
		echo "# planned $_dio_planned tests, ran $_dio_ran"
		exit 1
	fi
	[ "$_dio_failed" -eq 0 ] || exit 1
	[ "$_dio_skipped" -lt "$_dio_ran" ] || exit 4
	exit 0
}

# dio_on_exit CMD...: run CMD at the end, later ones first.
dio_on_exit()
{
	_dio_words=""
	for _dio_w in "$@"; do
		_dio_words="$_dio_words '$(printf '%s' "$_dio_w" | sed "s/'/'\\\\''/g")'"
	done
	_dio_cleanup="$_dio_words
$_dio_cleanup"
}

# dio_start: a directory for files, and what dio_on_exit names is undone at the end. dio_init does
# it; a program that is no test calls it alone.
dio_start()
{
	DIO_TMP=$(mktemp -d) && mkdir "$DIO_TMP/mnt" || return
	trap _dio_end EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

dio_init()
{
	for _dio_w in "$@"; do
		case $_dio_w in
		-h|--help)	_dio_usage; exit 0 ;;
		--write)	DIO_WRITE=1 ;;
		--content=*)	DIO_CONTENT=${_dio_w#*=} ;;
		*)
			echo "$(basename "$0"): unknown option $_dio_w" >&2
			exit 2
			;;
		esac
	done
	echo "TAP version 13"
	[ "$(id -u)" -eq 0 ] || dio_skip_all "must be run as root"
	dio_start || dio_skip_all "no temporary directory can be made"
}

# dio_plan N: N results will follow. What is mounted as $DIO_TMP/mnt from here on is unmounted at the
# end, before all that was there before.
dio_plan()
{
	_dio_planned=$1
	dio_on_exit dio_umount "$DIO_TMP/mnt"
	_dio_before_plan=$(_dio_complaints)
	echo "1..$1"
}

# dio_skip_all WHY: nothing here can be tested. Before dio_plan; after it, what is left is skipped.
dio_skip_all()
{
	[ "$_dio_planned" -gt 0 ] || echo "1..0 # SKIP $1"
	while [ "$_dio_ran" -lt "$_dio_planned" ]; do
		dio_skip "not run" "$1"
	done
	[ "$_dio_failed" -eq 0 ] || exit 1
	exit 4
}

# --- Results -----------------------------------------------------------------------------------

dio_skip()
{
	_dio_skipped=$((_dio_skipped + 1))
	_dio_ran=$((_dio_ran + 1))
	echo "ok $_dio_ran $1 # SKIP $2"
}

# _dio_test SKIP NAME CMD...: its result; CMD may exit with SKIP to be skipped, for the reason that
# its last line gives. NAME goes to the kernel's log, too: what is said there next has an owner.
_dio_test()
{
	_dio_skips=$1 _dio_name=$2 _dio_got=0
	shift 2
	[ ! -w /dev/kmsg ] || _dio_put "<6>dio: $(basename "$0" .sh): $_dio_name" /dev/kmsg
	_dio_line=$*
	"$@" >"$DIO_TMP/.check" 2>&1 || _dio_got=$?
	if [ "$_dio_got" = "$_dio_skips" ]; then
		dio_skip "$_dio_name" "$(tail -n 1 "$DIO_TMP/.check")"
		return
	fi
	_dio_ran=$((_dio_ran + 1))
	if [ "$_dio_got" -eq 0 ]; then
		echo "ok $_dio_ran $_dio_name"
		return
	fi
	_dio_failed=$((_dio_failed + 1))
	echo "not ok $_dio_ran $_dio_name"
	{
		printf '%s\n' "exit $_dio_got: $_dio_line"
		tail -n 20 "$DIO_TMP/.check"
	} | sed 's/^/# /'
}

# dio_check NAME CMD...: passes when CMD succeeds; its output is shown when it does not.
dio_check()
{
	_dio_test none "$@"
}

# dio_try NAME CMD...: as dio_check, but CMD may exit with 4 to be skipped.
dio_try()
{
	_dio_test 4 "$@"
}

# dio_unless WHY NAME CMD...: as dio_try, but skipped if there is a WHY.
dio_unless()
{
	_dio_why=$1
	shift
	if [ -n "$_dio_why" ]; then
		dio_skip "$1" "$_dio_why"
	else
		dio_try "$@"
	fi
}

# dio_ends RC REGEX CMD...: CMD exits with RC, and says a line that matches the extended regular
# expression; all that it says is in $DIO_TMP/.said.
dio_ends()
{
	_dio_want=$1 _dio_regex=$2 _dio_is=0
	shift 2
	"$@" >"$DIO_TMP/.said" 2>"$DIO_TMP/.err" || _dio_is=$?
	cat "$DIO_TMP/.err" >>"$DIO_TMP/.said"
	cat "$DIO_TMP/.said"
	echo "exit $_dio_is, wanted $_dio_want and /$_dio_regex/ of $*"
	[ "$_dio_is" -eq "$_dio_want" ] && grep -Eq -e "$_dio_regex" "$DIO_TMP/.said"
}

# dio_says RC REGEX CMD...: and that line is all, on stderr unless RC is 0
dio_says()
{
	dio_ends "$@" && [ "$(wc -l <"$DIO_TMP/.said")" -eq 1 ] || return
	_dio_err=$DIO_TMP/.said
	[ "$1" -ne 0 ] || _dio_err=/dev/null
	cmp -s "$DIO_TMP/.err" "$_dio_err"
}

# --- What a test needs -------------------------------------------------------------------------

dio_need()
{
	for _dio_w in "$@"; do
		command -v "$_dio_w" >/dev/null || dio_skip_all "program $_dio_w is missing"
	done
}

# dio_sys NODE FILE: what this file of a disk has in /sys
dio_sys()
{
	cat "/sys/class/block/${1##*/}/$2"
}

# dio_stat NODE FIELD: of the disk's statistics; 1 and 5 are reads and writes done, 3 and 7 their
# sectors, 16 flushes
dio_stat()
{
	dio_sys "$1" stat | awk -v field="$2" '{ print $field }'
}

# dio_wait SECONDS CMD...: try CMD ten times a second until it succeeds; fails at the limit.
dio_wait()
{
	_dio_tries=$(($1 * 10))
	shift
	until "$@"; do
		_dio_tries=$((_dio_tries - 1))
		[ "$_dio_tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

# dio_then UNDO CMD...: CMD, then UNDO, which is a command line; fails if that does, or as CMD does
dio_then()
{
	_dio_second "$@"
	set -- "$1" $?
	eval "$1" || return 1
	return "$2"
}

_dio_second()
{
	shift
	"$@"
}

# dio_traced EVENT CMD...: CMD, while the trace at $dio_trace, empty before, has this event; 4 without it
dio_trace=/sys/kernel/tracing/trace
dio_traced()
{
	_dio_event=/sys/kernel/tracing/events/$1/enable
	[ -w "$dio_trace" ] || mount -t tracefs none /sys/kernel/tracing 2>/dev/null
	[ -w "$_dio_event" ] || { echo "this kernel has no trace of $1" >&2; return 4; }
	: >"$dio_trace"
	echo 1 >"$_dio_event"
	shift
	dio_then "echo 0 >$_dio_event" "$@"
}

# dio_settle: udev, where it runs, has looked at all that has come, was scanned or was closed by a
# writer. Its reads would be counted, and its look for partitions sets read_ahead_kb anew.
dio_settle()
{
	! command -v udevadm >/dev/null || udevadm settle --timeout=60
}

# Oopses, warnings and bad pages since boot, as the kernel counts them in the taint flags
_dio_complaints()
{
	echo $(($(cat /proc/sys/kernel/tainted) & (1 << 5 | 1 << 7 | 1 << 9 | 1 << 14)))
}

# dio_no_complaints: a last result, of whether one came since dio_plan
dio_no_complaints()
{
	dio_check "the kernel did not complain" _dio_none_came
}

_dio_none_came()
{
	[ "$(_dio_complaints)" = "$_dio_before_plan" ] && return
	dmesg | grep -E -A 15 'WARNING:|BUG:|Oops|Bad page|cut here' | tail -n 20
	return 1
}

# --- scsi_debug --------------------------------------------------------------------------------

_dio_put()
{
	{ echo "$1" >"$2"; } 2>/dev/null
}

# The driver without disks. As a module it must be ours; built in it is there for everybody, and
# then only the hosts that we add are ours.
_dio_sd_start()
{
	[ "$_dio_sd_ready" -eq 0 ] || return 0
	[ ! -e /sys/module/scsi_debug/initstate ] ||
		dio_skip_all "scsi_debug is already loaded by somebody else"
	if [ ! -d "$_dio_sd" ]; then
		modprobe -q scsi_debug add_host=0 dev_size_mb=64 atomic_wr=1 2>/dev/null ||
			dio_skip_all "no disks given, and scsi_debug cannot be loaded"
		dio_on_exit dio_wait 10 modprobe -r -q scsi_debug
	fi
	for _dio_w in per_host_store=1 num_tgts=1 max_luns=1 delay=0; do
		_dio_old=$(cat "$_dio_sd/${_dio_w%=*}")
		_dio_put "${_dio_w#*=}" "$_dio_sd/${_dio_w%=*}" ||
			dio_skip_all "scsi_debug does not take $_dio_w"
		dio_on_exit _dio_put "$_dio_old" "$_dio_sd/${_dio_w%=*}"
	done
	_dio_sd_ready=1
}

# The device nodes of all scsi_debug disks, a line each.
_dio_sd_nodes()
{
	grep -ls '^scsi_debug' /sys/block/*/device/model |
		sed 's|/sys/block/\(.*\)/device/model|/dev/\1|'
}

# dio_opens NODE: is it there? A disk's node comes before the disk may be opened.
dio_opens()
{
	[ -b "$1" ] && { true <"$1"; } 2>/dev/null
}

# Sets _dio_new to the disks that were not in _dio_before; succeeds when $1 of them can be opened.
_dio_sd_arrived()
{
	_dio_new="" _dio_n=0
	for _dio_d in $(_dio_sd_nodes | grep -vxF "$_dio_before"); do
		dio_opens "$_dio_d" || continue
		_dio_new="$_dio_new${_dio_new:+ }$_dio_d"
		_dio_n=$((_dio_n + 1))
	done
	[ "$_dio_n" -ge "$1" ]
}

# dio_sd_make N: makes N disks, and names them in _dio_new.
dio_sd_make()
{
	_dio_sd_start
	_dio_before=$(_dio_sd_nodes)
	dio_on_exit _dio_put "-$1" "$_dio_sd/add_host"
	_dio_put "$1" "$_dio_sd/add_host" || dio_skip_all "scsi_debug makes no disks"
	dio_wait 120 _dio_sd_arrived "$1" ||
		dio_skip_all "scsi_debug made only $_dio_n of $1 disks (dev_size_mb x disks of memory?)"
	dio_settle
}

# dio_sd_delay NS: what each request to scsi_debug takes from now on, 0 being as fast as it can. The
# driver takes no other while somebody has I/O there, as udev has after a close or a look for
# partitions: with a second for each request that may be minutes.
dio_sd_delay()
{
	if [ "$1" -eq 0 ]; then
		dio_wait 300 _dio_put 0 "$_dio_sd/delay"
	else
		dio_wait 60 _dio_put "$1" "$_dio_sd/ndelay"
	fi
}

# --- Disks -------------------------------------------------------------------------------------

# dio_guard DEV...: prints the kernel's names of disks that may be tested on, or why they may not.
dio_guard()
{
	"$DIO_DIR/dio_guard.sh" --content="$DIO_CONTENT" "$@" 2>&1
}

# dio_get_disks N: DIO_LIST becomes N or more disks that may be read. Without DIO_DISKS they are
# ours, so that a test may write to them and pull them out.
dio_get_disks()
{
	if [ -z "${DIO_DISKS-}" ]; then
		dio_sd_make "$1"
		DIO_LIST=$_dio_new
		return
	fi
	# shellcheck disable=SC2086 # a list
	DIO_LIST=$(dio_guard $DIO_DISKS) || dio_skip_all "DIO_DISKS: $DIO_LIST"
	DIO_LIST=$(echo "$DIO_LIST" | paste -s -d ' ' -)
	[ "$(echo "$DIO_LIST" | wc -w)" -ge "$1" ] || dio_skip_all "DIO_DISKS: $1 are needed"
}

# dio_get_scratch: DIO_DISK becomes a disk that may be written.
dio_get_scratch()
{
	if [ -z "${DIO_SCRATCH-}" ]; then
		dio_sd_make 1
		DIO_DISK=$_dio_new
		return
	fi
	[ "$DIO_WRITE" -eq 1 ] ||
		dio_skip_all "DIO_SCRATCH=$DIO_SCRATCH is not written unless --write is given too"
	# shellcheck disable=SC2086 # a list
	DIO_DISK=$(dio_guard "$DIO_SCRATCH" ${DIO_DISKS-}) || dio_skip_all "DIO_SCRATCH: $DIO_DISK"
	DIO_DISK=$(echo "$DIO_DISK" | sed q)
}

# dio_get_part NAME: DIO_DM becomes the first 64 MiB of a disk that may be written, or all of a
# smaller one; DIO_SECTORS is how many that are.
dio_get_part()
{
	dio_get_scratch
	DIO_SECTORS=$(dio_sys "$DIO_DISK" size)
	[ "$DIO_SECTORS" -le 131072 ] || DIO_SECTORS=131072
	dio_dm "$1" "0 $DIO_SECTORS linear $DIO_DISK 0" || dio_skip_all "$DIO_WHY"
}

# dio_umount DIR: unmount it if something is mounted there.
dio_umount()
{
	! grep -q " $1 " /proc/self/mountinfo || umount "$1"
}

# dio_dm NAME TABLE: DIO_DM becomes the node of a device-mapper device with this table; fails with
# the reason in DIO_WHY, by 4 if device-mapper has no such target.
dio_dm()
{
	DIO_DM=""
	_dio_target=${2#* * }
	_dio_target=${_dio_target%% *}
	DIO_WHY="dmsetup is missing, or device-mapper has no $_dio_target"
	modprobe -q "dm-$_dio_target" 2>/dev/null
	dmsetup targets 2>/dev/null | grep -q "^$_dio_target " || return 4
	DIO_WHY="device-mapper takes no such table: $2"
	dmsetup create "dio_$1" --noudevrules --noudevsync --table "$2" 2>/dev/null || return
	dio_on_exit dio_dm_remove "$1"
	DIO_DM=/dev/$(dmsetup info -c --noheadings -o blkdevname "dio_$1")
	dio_settle
}

# dio_dm_table NAME TABLE: what the device that dio_dm made is from now on. I/O on its way ends
# first.
dio_dm_table()
{
	dmsetup suspend --noudevrules --noudevsync --nolockfs "dio_$1" &&
		dmsetup reload --noudevrules --noudevsync "dio_$1" --table "$2" &&
		dmsetup resume --noudevrules --noudevsync "dio_$1"
}

# dio_dm_remove NAME: remove what dio_dm made, if it is still there.
dio_dm_remove()
{
	! dmsetup info "dio_$1" >/dev/null 2>&1 ||
		dmsetup remove --noudevrules --noudevsync --retry "dio_$1"
}

# dio_null NAME ATTRIBUTE=VALUE...: DIO_NULL becomes the node of a null_blk disk of 64 MiB of memory;
# fails with the reason in DIO_WHY.
dio_null()
{
	_dio_dir=/sys/kernel/config/nullb/dio_$1
	DIO_WHY="null_blk cannot be configured here"
	[ -d /sys/kernel/config/nullb ] || modprobe -q null_blk nr_devices=0 2>/dev/null
	dio_configfs
	mkdir "$_dio_dir" 2>/dev/null || return
	dio_on_exit dio_null_remove "$1"
	shift
	for _dio_w in size=64 memory_backed=1 "$@" power=1; do
		_dio_put "${_dio_w#*=}" "$_dio_dir/${_dio_w%%=*}" && continue
		DIO_WHY="null_blk of this kernel does not take $*"
		return 1
	done
	# Named after its directory, or by number, depending on the kernel.
	DIO_NULL=/dev/${_dio_dir##*/}
	[ -b "$DIO_NULL" ] || DIO_NULL=/dev/nullb$(cat "$_dio_dir/index")
	[ -b "$DIO_NULL" ]
}

# dio_null_remove NAME: remove what dio_null made, if it is still there.
dio_null_remove()
{
	[ ! -d "/sys/kernel/config/nullb/dio_$1" ] || rmdir "/sys/kernel/config/nullb/dio_$1"
}

# dio_get_raw: DIO_RAW becomes the number of the next raw device that nobody has bound; what we bind
# it to is unbound at the end.
dio_get_raw()
{
	[ -e /dev/raw/rawctl ] || modprobe -q raw 2>/dev/null
	[ -e /dev/raw/rawctl ] || dio_skip_all "kernel has no raw driver (CONFIG_RAW_DRIVER)"
	_dio_most=$(cat /sys/module/raw/parameters/max_raw_minors)
	DIO_RAW=$((DIO_RAW + 1))
	until "$DIO_DIR/raw" -q "$DIO_RAW" | grep -q 'major 0, minor 0$'; do
		DIO_RAW=$((DIO_RAW + 1))
		[ "$DIO_RAW" -lt "$_dio_most" ] || dio_skip_all "all raw devices are bound"
	done
	dio_on_exit dio_unbind "$DIO_RAW"
}

# io_uring lets go of its files a moment after its program has ended.
dio_unbind()
{
	dio_wait 10 "$DIO_DIR/raw" "$1" 0 0 >/dev/null 2>&1
}

dio_configfs()
{
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config 2>/dev/null
}

# dio_array_load OPTION...: fio with array_load.fio, until $DIO_TMP/enough is there, which it removes.
# Then all that was written is read again.
dio_array_load()
{
	set -- --eta=never --minimal --aux-path="$DIO_TMP" --trigger-file="$DIO_TMP/enough" "$@" \
		"$DIO_DIR/array_load.fio"
	DIO_FIO_RW=write DIO_FIO_ROUNDS=1000000 fio "$@" &&
		DIO_FIO_RW=read DIO_FIO_ROUNDS=1 fio "$@"
}

# dio_writes PID SECTORS NODE...: so many more are written to each, by PID. After two rounds of
# array_load.fio (8192) all that was in flight before has been read back.
dio_writes()
{
	_dio_pid=$1 _dio_more=$2 _dio_to=""
	shift 2
	for _dio_w in "$@"; do
		_dio_to="$_dio_to ${_dio_w##*/}:$(($(dio_stat "$_dio_w" 7) + _dio_more))"
	done
	dio_wait 120 _dio_written && kill -0 "$_dio_pid" && return
	echo "nothing gets through to $*"
	return 1
}

_dio_written()
{
	kill -0 "$_dio_pid" 2>/dev/null || return 0
	for _dio_w in $_dio_to; do
		read -r _ _ _ _ _ _ _dio_n _ <"/sys/class/block/${_dio_w%:*}/stat"
		[ "$_dio_n" -ge "${_dio_w#*:}" ] || return
	done
}

# dio_pull DEV: take a SCSI disk out, as a hand would.
dio_pull()
{
	_dio_put 1 "/sys/block/${1##*/}/device/delete"
}
