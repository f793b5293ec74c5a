# SPDX-License-Identifier: GPL-2.0
#
# What a program of field_cases.sh printed, and counters before and after, become figures: lines of
# metric, unit and value, of which the first is how many seconds it took.
#
# n units of unit bytes were done; before and after are I/Os and sectors that the disks did, sectors
# that they read, and ticks (10 ms) of busy CPUs.

function field(name)
{
	if (!match(said, "\"" name "\": [0-9.]+"))
		return 0
	return substr(said, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0
}

function figure(metric, unit, value)
{
	printf "%s %s %.3f\n", metric, unit, value
}

{ said = said $0 }

END {
	split(before, was)
	split(after, is)
	bytes = n * unit
	if (program == "disk_read") {
		bytes = field("bytes")
		seconds = field("seconds")
	} else if (program == "ra_load") {
		bytes = field("bytes")
		seconds = field("nsec") / 1e9
	} else if (program == "dio_write") {
		seconds = field("ns") * n / 1e9
	} else {
		seconds = said * n / 1e9
	}
	printf "seconds s %.6f\n", seconds
	if (program == "dio_load")
		figure("per_s", "I/O/s", n / seconds)
	else
		figure("mb_per_s", "MiB/s", bytes / 1048576 / seconds)
	if (program == "disk_read")
		figure("latency_us", "us", field("nsec_per_block") / 1000)
	if (program == "ra_load")
		figure("bytes_read_per_used", "ratio", (is[3] - was[3]) * 512 / bytes)
	if (is[1] > was[1])
		figure("io_kib", "KiB", (is[2] - was[2]) / 2 / (is[1] - was[1]))
	figure("cpu_us_per_mib", "us", (is[4] - was[4]) * 10000 / (bytes / 1048576))
}
