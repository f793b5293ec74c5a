#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What goes wrong with SCSI disks, and how it is taken back. test_array_faults.sh sources this.
#
#	fault_debug WHAT DISK...	of scsi_debug, from now on:
#		medium		sector 4660 of each of its disks cannot be read
#		protected	its disks take no writes; the kernel learns of it by fault_rescan
#		busy		its host takes no command now, every third time
#		lost		every 150th command is lost, and aborted when its time is over
#		full		40 reads and 40 writes of each DISK meet TASK SET FULL (from 6.7 on)
#	fault_debug_none DISK...	none of that any more
#	fault_resets			prints how many LUNs scsi_debug has reset so far
#	fault_rules DISK		FAULT_RULES becomes the file of its rules for errors
#	fault_alua GROUP STATE MS	LIO's directory GROUP of ports gets to STATE (0 active, 1
#					non-optimized, 2 standby), in transition for MS
#	fault_rescan DISK...		the kernel asks again what they are
#	fault_scan HOST...		a host, a number, looks for LUNs
#
# Of medium, busy and lost the last one counts. Each fails with the reason in FAULT_WHY.

# shellcheck disable=SC2034 # these are for who sources it
FAULT_WHY=""
FAULT_RULES=""

_fault_sd=/sys/bus/pseudo/drivers/scsi_debug
_fault_param=/sys/module/scsi_debug/parameters

# fault_put VALUE FILE
fault_put()
{
	{ echo "$1" >"$2"; } 2>/dev/null && return
	FAULT_WHY="$2 does not take $1"
	return 1
}

fault_rules()
{
	_fault_dir=$(readlink -f "/sys/block/${1##*/}/device")
	FAULT_RULES=/sys/kernel/debug/scsi_debug/${_fault_dir##*/}/error
	[ -d /sys/kernel/debug/block ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null || :
	[ -e "$FAULT_RULES" ] && return
	FAULT_WHY="scsi_debug of this kernel takes no rules for errors"
	return 1
}

# Rule 2: so many times, READ(10) and WRITE(10) end with status 0x28.
_fault_full()
{
	for _fault_disk in "$@"; do
		fault_rules "$_fault_disk" || return
		for _fault_command in 0x28 0x2a; do
			fault_put "2 -40 $_fault_command 0 0 0x28 0 0 0" "$FAULT_RULES" || return
		done
	done
}

fault_debug()
{
	_fault_what=$1
	shift
	case $_fault_what in
	medium)
		fault_put 1 $_fault_param/medium_error_count && fault_put 2 $_fault_sd/opts
		;;
	protected)
		fault_put 1 $_fault_param/wp
		;;
	busy)
		fault_put 3 $_fault_sd/every_nth && fault_put 0x8000 $_fault_sd/opts
		;;
	lost)
		fault_put 150 $_fault_sd/every_nth && fault_put 4 $_fault_sd/opts
		;;
	full)
		_fault_full "$@"
		;;
	*)
		FAULT_WHY="scsi_debug has no fault $_fault_what"
		return 1
		;;
	esac
}

# 10 sectors are its default. A rule that has done its work may still be there, or not.
fault_debug_none()
{
	fault_put 0 $_fault_sd/every_nth && fault_put 0 $_fault_sd/opts &&
		fault_put 0 $_fault_param/wp && fault_put 10 $_fault_param/medium_error_count || return
	for _fault_disk in "$@"; do
		fault_rules "$_fault_disk" || break
		fault_put "- 2 0x28" "$FAULT_RULES" || :
		fault_put "- 2 0x2a" "$FAULT_RULES" || :
	done
	FAULT_WHY=""
}

fault_resets()
{
	FAULT_WHY="scsi_debug does not tell of resets (CONFIG_SCSI_PROC_FS)"
	set -- /proc/scsi/scsi_debug/*
	[ -e "$1" ] && sed -n 's/^RESETs: device=\([0-9]*\),.*/\1/p' "$1"
}

fault_alua()
{
	fault_put "$3" "$1/trans_delay_msecs" && fault_put "$2" "$1/alua_access_state" &&
		fault_put 0 "$1/trans_delay_msecs"
}

fault_rescan()
{
	for _fault_disk in "$@"; do
		fault_put 1 "/sys/block/${_fault_disk##*/}/device/rescan" || return
	done
}

fault_scan()
{
	for _fault_host in "$@"; do
		fault_put "- - -" "/sys/class/scsi_host/host$_fault_host/scan" || return
	done
}
