# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # field.sh sets what is not set here
#
# Part of field.sh, which it is read by: what the machine is, from /sys and /proc, a line each: KEY,
# tab, value. What tells one machine or disk from all others (names, WWIDs, ports) is not among it.

# one FILE: its first line, if it has one
one()
{
	# Not by read: dash's takes a byte at a time, and after one a sysctl has ended.
	printf '%s' "$(sed -n 1p "$1" 2>/dev/null)"
}

# facts DIR NAME...: "NAME VALUE; " of each that DIR has
facts()
{
	_dir=$1
	shift
	for _name in "$@"; do
		_value=$(one "$_dir/$_name")
		[ -z "$_value" ] || printf '%s %s; ' "${_name##*/}" "$_value"
	done
}

cpu_info()
{
	awk -F '[ \t]*: ' '
		$1 == "model name" { n++; model = $2 }
		$1 == "microcode" { code = $2 }
		$1 == "flags" && / hypervisor/ { guest = ", in a virtual machine" }
		END { printf "cpu\t%d x %s%s\nmicrocode\t%s\n", n, model, guest, code }' /proc/cpuinfo
	_cpu=/sys/devices/system/cpu
	# shellcheck disable=SC2046 # file names of the kernel
	printf 'mitigations\t%s\n' \
		"$(facts $_cpu/vulnerabilities $(ls $_cpu/vulnerabilities 2>/dev/null))"
	printf 'governor\t%s\nclock\t%s\nnuma\t%s\n' "$(one $_cpu/cpu0/cpufreq/scaling_governor)" \
		"$(one /sys/devices/system/clocksource/clocksource0/current_clocksource)" \
		"$(facts /sys/devices/system/node online has_cpu has_memory)"
}

# below NODE: the disks that it is made of, itself if of none
below()
{
	_found=""
	for _slave in "/sys/class/block/${1##*/}/slaves"/*; do
		[ ! -e "$_slave" ] || { below "$_slave"; _found=1; }
	done
	[ -n "$_found" ] || echo "${1##*/}"
}

# disk_info N NODE: the disk, its first path, and the driver that this hangs on
disk_info()
{
	_under=$(below "$2")
	_path=/sys/class/block/$(echo "$_under" | sed q)
	_host=$(readlink -f "$_path/device" | sed -n 's|.*/\(host[0-9]*\)/.*|\1|p')
	printf 'disk %s\t%s paths; %s\n' "$1" "$(echo "$_under" | wc -l)" \
		"$(facts "/sys/class/block/${2##*/}" size ro queue/scheduler queue/nr_requests \
			queue/read_ahead_kb queue/max_sectors_kb queue/rotational \
			queue/logical_block_size queue/physical_block_size queue/write_cache \
			queue/nomerges queue/rq_affinity queue/wbt_lat_usec)"
	printf 'disk %s path\t%s%s%s\n' "$1" "$(facts "$_path/device" vendor model rev firmware_rev \
			transport queue_depth)" \
		"$(facts "/sys/class/scsi_host/$_host" proc_name model_name modelname fw_version \
			fwrev driver_version lpfc_drvr_version can_queue sg_tablesize)" \
		"$(facts "/sys/class/fc_host/$_host" speed port_type)"
}

field_machine()
{
	printf 'kernel\t%s\narchitecture\t%s\nmemory\t%s\nvm.readahead_runs\t%s\n' "$kernel" \
		"$(uname -m)" "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)" \
		"$(one /proc/sys/vm/readahead_runs)"
	cpu_info
	_no=0
	for node in $nodes; do
		_no=$((_no + 1))
		disk_info "$_no" "$node"
	done
}
