#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs bench cases in the guest, and prints a line of JSON for each figure.
#
#	bench.sh [-n PASSES] CASE...
#
# CASE is one of
#	disks				the four ways on the eight HBA disks (guest.sh -d): time
# or of these, on a data path that copies nothing; under guest.sh -c their time is instructions:
#	direct raw buffered nocopy	the four ways on eight scsi_debug disks with fake_rw, where a
#					request ends within its submission; a pass reads 512 MiB.
#					direct and raw at random places, n passes in one process: what it
#					takes to start and end one is not theirs
#	read-4k-bdev read-4k-raw	sync random O_DIRECT reads of 4 KiB on null_blk; a pass is
#					20000 reads
#
# A case that this kernel cannot run (raw on stock) prints nothing and succeeds. bench.py reads the
# lines. Exit: 0 done, 1 a read failed or had wrong data, 2 usage.

set -eu

out=${O:-$PWD}
bin=$out/kselftest
blocks_of_ways="blocks=64 bs=1m"
blocks_of_ways_8k="blocks=8192 bs=8k"

die()
{
	echo "bench: $2" >&2
	exit "$1"
}

# field NAME: the number called NAME in the JSON object on stdin
field()
{
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" | head -n 1
}

# emit REPORT CASE METRIC UNIT VALUE COMMAND
emit()
{
	printf '{"report": "%s", "case": "%s", "metric": "%s", "unit": "%s", "value": %s, ' \
		"$1" "$2" "$3" "$4" "$5"
	printf '"command": "%s"}\n' "$6"
}

median()
{
	sort -n | sed -n 2p
}

# Forget what is cached of the block devices.
flush()
{
	local disk

	for disk in "$@"; do
		blockdev --flushbufs "$disk"
	done
}

# bind_all DISK...: sets $raws to raw devices bound to the disks; fails if there is no driver.
bind_all()
{
	local n=100 disk

	[ -e /dev/raw/rawctl ] || return 1
	raws=()
	for disk in "$@"; do
		n=$((n + 1))
		"$bin/raw" "raw$n" "$disk" >/dev/null
		raws+=("/dev/raw/raw$n")
	done
}

# on_short: the devices of $on as one word, the way a shell would match them
on_short()
{
	local first=${on[0]} last=${on[-1]}

	if [ "${first%?}" = "${last%?}" ] && [ "$first" != "$last" ]; then
		echo "${first%?}[${first: -1}-${last: -1}]"
	else
		echo "${on[*]}"
	fi
}

# args_of WAY: sets $args to the words of disk_read and $on to its devices, of $disks and $raws
args_of()
{
	on=("${disks[@]}")
	case $1 in
	direct)		args="$blocks_of_ways direct" ;;
	raw)		args=$blocks_of_ways; on=("${raws[@]}") ;;
	buffered)	args=$blocks_of_ways_8k ;;
	nocopy)		args="$blocks_of_ways_8k nocopy" ;;
	esac
}

# The eight disks of the HBAs, in the order of their stamps (serial dio0 to dio7)
hba_disks()
{
	local n disk

	disks=()
	for n in 0 1 2 3 4 5 6 7; do
		for disk in /sys/block/sd*; do
			if grep -qs "dio$n" "$disk/device/vpd_pg80"; then
				disks+=("/dev/${disk##*/}")
			fi
		done
	done
	[ "${#disks[@]}" -eq 8 ] || die 1 "found ${#disks[@]} of 8 HBA disks"
}

# Three rounds a way, the ways taking turns so that a slow moment of the host hits them all.
run_disks()
{
	local way ways="direct raw buffered nocopy" round dir

	hba_disks
	for way in "" direct; do
		# shellcheck disable=SC2086 # a word or none
		"$bin/disk_read" $blocks_of_ways $way verify "${disks[@]}" >&2 ||
			die 1 "the disks do not hold their stamps"
	done
	bind_all "${disks[@]}" || ways="direct buffered nocopy"
	if [ "$ways" = "direct raw buffered nocopy" ]; then
		# shellcheck disable=SC2086
		"$bin/disk_read" $blocks_of_ways verify "${raws[@]}" >&2 ||
			die 1 "the raw devices read wrong data"
	fi
	dir=$(mktemp -d)
	for round in 1 2 3; do
		for way in $ways; do
			args_of "$way"
			flush "${disks[@]}"
			# shellcheck disable=SC2086
			"$bin/disk_read" $args --json "${on[@]}" >"$dir/$way.$round" || die 1 "$way failed"
		done
	done
	for way in $ways; do
		args_of "$way"
		emit field-1 "$way" mb_per_s MiB/s \
			"$(cat "$dir/$way".* | sed 's/.*"mb_per_s": \([0-9.]*\).*/\1/' | median)" \
			"disk_read $args $(on_short)"
		emit field-1 "$way" latency_us us \
			"$(cat "$dir/$way".* | sed 's/.*"nsec_per_block": \([0-9.]*\).*/\1/' | median |
				awk '{ printf "%.3f", $1 / 1000 }')" \
			"disk_read $args $(on_short)"
	done
	rm -rf "$dir"
}

# Eight disks that copy nothing, made here
scsi_disks()
{
	local driver=/sys/bus/pseudo/drivers/scsi_debug disk tries

	if [ "$(cat $driver/add_host)" -eq 0 ]; then
		echo 1 >$driver/fake_rw
		echo 8 >$driver/num_tgts
		echo 0 >$driver/delay
		echo 1 >$driver/add_host
	fi
	for ((tries = 0; tries < 100; tries++)); do
		disks=()
		for disk in /sys/block/sd*; do
			! grep -qs scsi_debug "$disk/device/model" || disks+=("/dev/${disk##*/}")
		done
		[ "${#disks[@]}" -lt 8 ] || break
		sleep 0.1
	done
	[ "${#disks[@]}" -eq 8 ] || die 1 "found ${#disks[@]} of 8 scsi_debug disks"
}

null_disk()
{
	local dir=/sys/kernel/config/nullb/bench name setting

	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	if [ ! -d "$dir" ]; then
		mkdir "$dir"
		for setting in size=256 irqmode=0 queue_mode=2 power=1; do
			echo "${setting#*=}" >"$dir/${setting%%=*}"
		done
	fi
	for name in bench "nullb$(cat "$dir/index")"; do
		[ ! -b "/dev/$name" ] || disks=("/dev/$name")
	done
}

# nsec_of ARGS...: the time of one disk_read
nsec_of()
{
	flush "${disks[@]}"
	"$bin/disk_read" "$@" --json |
		sed 's/.*"bytes": [0-9]*, "seconds": \([0-9]*\)\.\([0-9]*\),.*/\1\2/;s/^0*//'
}

run_case()
{
	local name=$1 n=$2 i

	case $name in
	direct|raw|buffered|nocopy)
		scsi_disks
		if [ "$name" = raw ]; then
			bind_all "${disks[@]}" || return 0
		fi
		args_of "$name"
		nsec=0
		case $name in
		direct|raw)
			args="${args/blocks=64/blocks=$((64 * n))} random"
			# shellcheck disable=SC2086
			nsec=$(nsec_of $args "${on[@]}")
			;;
		*)
			for ((i = 0; i < n; i++)); do
				# shellcheck disable=SC2086
				nsec=$((nsec + $(nsec_of $args "${on[@]}")))
			done
			;;
		esac
		emit field-1 "$name" insn_per_mib insn/MiB \
			"$(awk -v ns="$nsec" -v n="$n" 'BEGIN { printf "%.1f", ns / n / 512 }')" \
			"disk_read $args $(on_short) (scsi_debug fake_rw=1 delay=0)"
		;;
	read-4k-bdev|read-4k-raw)
		null_disk
		on=("${disks[@]}")
		if [ "$name" = read-4k-raw ]; then
			bind_all "${disks[@]}" || return 0
			on=("${raws[@]}")
		fi
		args="blocks=$((20000 * n)) bs=4k random direct"
		# shellcheck disable=SC2086
		nsec=$(nsec_of $args "${on[@]}")
		emit engine "$name" insn insn \
			"$(awk -v ns="$nsec" -v n="$n" 'BEGIN { printf "%.1f", ns / n / 20000 }')" \
			"disk_read $args $(on_short) (null_blk irqmode=0)"
		;;
	*)
		die 2 "no such case: $name"
		;;
	esac
}

n=1
while getopts n: opt; do
	case $opt in
	n)	n=$OPTARG ;;
	*)	die 2 "usage: bench.sh [-n PASSES] CASE..." ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die 2 "no case"
for each in "$@"; do
	case $each in
	disks)	run_disks ;;
	*)	run_case "$each" "$n" ;;
	esac
done
