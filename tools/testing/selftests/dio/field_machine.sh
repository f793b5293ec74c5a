# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # field.sh sets what is not set here
#
# Part of field.sh, which it is read by: what the machine is, from /sys and /proc, a line each: KEY,
# tab, value. A key that begins with "names" is of what tells one machine or disk from all others;
# field_rows.awk leaves it out unless it is asked for.

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
	printf 'governor\t%s\nclock\t%s\n' "$(one $_cpu/cpu0/cpufreq/scaling_governor)" \
		"$(one /sys/devices/system/clocksource/clocksource0/current_clocksource)"
	printf 'numa\t%s\n' "$(for _node in /sys/devices/system/node/node[0-9]*; do
		printf '%s: cpus %s, %s kB; ' "${_node##*/}" "$(one "$_node/cpulist")" \
			"$(awk '/MemTotal/ { print $4 }' "$_node/meminfo" 2>/dev/null)"
	done)"
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

# disk_info N NODE
disk_info()
{
	_disk=/sys/class/block/${2##*/}
	_kind=$(one "$_disk/dm/uuid")
	_under=$(below "$2")
	printf 'disk %s\t%s%s paths; %s\n' "$1" "${_kind:+${_kind%%-*} of }" "$(echo "$_under" | wc -l)" \
		"$(facts "$_disk" size ro queue/scheduler queue/nr_requests queue/read_ahead_kb \
			queue/max_sectors_kb queue/rotational queue/logical_block_size \
			queue/physical_block_size queue/write_cache queue/nomerges \
			queue/rq_affinity queue/wbt_lat_usec)"
	for _path in $_under; do
		printf 'disk %s path\t%s\n' "$1" "$(facts "/sys/class/block/$_path" device/vendor \
			device/model device/rev device/firmware_rev device/transport \
			device/queue_depth device/state queue/scheduler queue/nr_requests)"
	done | sort | uniq -c | sed 's/^ *\([0-9]*\) \(disk [^\t]*\)/\2 x \1/'
	printf 'names disk %s\t%s; %s\n' "$1" "$2" "$(get "disk.$1")"
}

# hba_info NUMBER DIR: DIR is that of a SCSI host, or of an NVMe controller
hba_info()
{
	_id=${2##*/} _pci=$2
	while [ -n "$_pci" ] && [ ! -e "$_pci/subsystem_vendor" ]; do
		_pci=${_pci%/*}
	done
	printf 'hba %s\t%s%s%s%s\n' "$1" \
		"$(facts "/sys/class/scsi_host/$_id" proc_name model_name modelname board_name \
			fw_version fwrev version_fw firmware_revision driver_version \
			lpfc_drvr_version can_queue cmd_per_lun nr_hw_queues sg_tablesize)" \
		"$(facts "/sys/class/fc_host/$_id" speed port_type port_state)" \
		"$([ -z "$_pci" ] || printf 'driver %s; ' "$(basename "$(readlink -f "$_pci/driver")")"
			facts "$_pci" vendor device numa_node current_link_speed current_link_width)" \
		"$(cat "/sys/class/sas_phy/phy-${_id#host}:"*/negotiated_linkrate 2>/dev/null |
			sort | uniq -c | paste -s -d ' ' -)"
	printf 'names hba %s\t%s\n' "$1" \
		"$(facts "/sys/class/fc_host/$_id" port_name node_name symbolic_name)"
}

# The directories of all hosts that NODE... hang on
hosts_of()
{
	for _disk in "$@"; do
		below "$_disk"
	done | while read -r _path; do
		readlink -f "/sys/class/block/$_path/device" |
			sed -n 's|\(.*/host[0-9]*\)/.*|\1|p; s|\(.*/nvme[0-9]*\)$|\1|p'
	done | sort -u
}

field_machine()
{
	printf 'kernel\t%s\narchitecture\t%s\nmemory\t%s\nvm.readahead_runs\t%s\nnames host\t%s\n' \
		"$kernel" "$(uname -m)" "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)" \
		"$(one /proc/sys/vm/readahead_runs)" "$(uname -n)"
	cpu_info
	_no=0
	for node in $nodes; do
		_no=$((_no + 1))
		disk_info "$_no" "$node"
	done
	# shellcheck disable=SC2086 # a list
	hosts_of $nodes | awk '{ print NR, $0 }' | while read -r _no _host; do
		hba_info "$_no" "$_host"
	done
}
