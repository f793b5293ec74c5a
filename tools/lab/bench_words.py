# SPDX-License-Identifier: GPL-2.0
"""Words for the rows of results.json: what a metric is, what a case stands for, better or worse.

METRICS says of each metric which way is better and what it counts. GAINS are the rows that a
newcomer is shown first, in this order, each with the program that it stands for.
"""

LESS, MORE, NEITHER = -1, 1, 0
SAME = 0.005    # a change of half a percent or less is nobody's gain

METRICS = {
    "insn": (LESS, "instructions an I/O"),
    "insn_per_mib": (LESS, "instructions a MiB"),
    "insn_above_floor": (LESS, "instructions an I/O above those of stock's disk"),
    "insn_fibmap": (LESS, "instructions of a FIBMAP"),
    "elapsed": (LESS, "time"),
    "time": (LESS, "time a MiB"),
    "seconds": (LESS, "time"),
    "latency_us": (LESS, "mean latency"),
    "mb_per_s": (MORE, "throughput"),
    "per_s": (MORE, "I/Os a second"),
    "gain": (MORE, "speed of direct to buffered"),
    "io_kib": (MORE, "length of an I/O"),
    "bio_kib": (MORE, "length of a bio"),
    "ios_per_s": (NEITHER, "I/Os a second"),
    "device_reads_per_run": (LESS, "disk reads a run"),
    "device_reads_per_mib": (LESS, "disk reads a MiB"),
    "reads_per_mib": (LESS, "disk reads a MiB"),
    "bytes_read_per_used": (LESS, "bytes read for one used"),
    "read_per_used": (LESS, "bytes read for one used"),
    "device_reads": (LESS, "reads of the disk"),
    "mib_read": (LESS, "read from the disk"),
    "refaults": (LESS, "pages that came back"),
    "memory_stall": (LESS, "waits for memory"),
    "io_stall": (LESS, "waits for the disk"),
    "p50": (LESS, "median latency"),
    "p99": (LESS, "latency of 99 %"),
    "pages_unread": (LESS, "pages read in vain"),
    "full_window_read": (LESS, "reads until the window is full"),
    "bios_per_mib": (LESS, "bios a MiB"),
    "ios_per_mib": (LESS, "I/Os a MiB"),
    "cleared": (LESS, "bytes cleared an I/O"),
    "dio_written": (LESS, "bytes of struct dio written an I/O"),
}

OLTP = "OLTP on ext2 on a stripe: AIO, 7 reads to 5 writes"
GAINS = (
    ("readahead", "run-64k-by-4k-hdd", "time",
     "Reads runs of 64 KiB at random places, 4 KiB at a time, from a hard disk"),
    ("readahead", "run-64k-by-4k", "time",
     "Reads such runs from a disk that answers in 200 us"),
    ("readahead", "run-64k-by-4k", "bytes_read_per_used",
     "Reads such runs: how much comes from the disk"),
    ("field-2", "dss-bdev", "time", "Decision support: looks up an index beside a table scan"),
    ("field-2", "iozone-random-bdev", "time",
     "Reads records of 128 KiB at random places, file larger than memory (iozone)"),
    ("readahead", "random-4k", "time", "Reads single pages at random places"),
    ("readahead", "seq-4k", "time", "Reads a file from end to end"),
    ("programs", "lmdb-scan-ext4-array-m50", "seconds",
     "Reads all of a mapped LMDB database in key order, twice as large as memory, from an array"),
    ("programs", "sqlite-range-ext4-array-m50", "seconds",
     "Reads ranges of an sqlite table, twice as large as memory, from an array"),
    ("programs", "tar-ext4-array-m110", "seconds", "Packs a source tree from an array"),
    ("engine", "read-4k-ext2", "insn", "Reads 4 KiB at random places of a file on ext2, O_DIRECT"),
    ("engine", "overwrite-4k-ext2", "insn", "Overwrites 4 KiB at random places on ext2, O_DIRECT"),
    ("engine", "aio-4k-ext2", "insn", "Reads 4 KiB on ext2 by AIO, O_DIRECT"),
    ("engine", "read-64k-ext2", "insn", "Reads 64 KiB at random places on ext2, O_DIRECT"),
    ("engine", "read-1m-ext2", "insn", "Reads 1 MiB at random places on ext2, O_DIRECT"),
    ("engine", "read-4k-ext4", "insn", "Reads 4 KiB at random places on ext4, O_DIRECT"),
    ("engine", "overwrite-4k-ext4", "insn", "Overwrites 4 KiB at random places on ext4, O_DIRECT"),
    ("engine", "read-4k-bdev", "insn", "Reads 4 KiB of a bare disk, O_DIRECT"),
    ("engine", "read-4k-raw", "insn", "Reads 4 KiB of a raw device, /dev/raw/rawN"),
    ("field-1", "direct", "insn_per_mib", "Reads eight disks at once, 1 MiB each, O_DIRECT"),
    ("field-1", "buffered", "insn_per_mib", "Reads eight disks through the page cache"),
    ("field-1", "model-direct", "mb_per_s", "Reads eight disks of 2002 at once, O_DIRECT"),
    ("field-3", "fc-raid0-ext2-direct", "mb_per_s",
     "Writes new files of 32 MiB on ext2 on RAID0, O_DIRECT"),
    ("field-4", "fc-oltp-4k", "insn", f"{OLTP} of 4 KiB"),
    ("field-4", "fc-oltp-8k", "insn", f"{OLTP} of 8 KiB"),
    ("field-5", "many-ext2-create", "insn_per_mib",
     "Writes a file of 512 MiB on ext2 at once, striped over 64 disks"),
)


def meaning(row):
    """What a row's figure counts"""
    if row["metric"] == "time" and "run-" in row["case"]:
        return "time a run"
    return METRICS.get(row["metric"], (NEITHER, row["metric"].replace("_", " ")))[1]


def amount(ratio):
    """A ratio as people say it"""
    if ratio == 0:
        return "none any more"
    if ratio >= 2:
        return f"{ratio:.1f} times as much"
    percent = f"{abs(ratio - 1):.0%}" if abs(ratio - 1) >= 0.1 else f"{abs(ratio - 1):.1%}"
    return f"{percent.replace('%', ' %')} {'less' if ratio < 1 else 'more'}"


def judge(row):
    """(better, worse, same, changed or new; the same in words) of a row's two kernels"""
    stock, patched, ratio = (row.get(k) for k in ("stock", "patched", "ratio"))
    if stock is None or patched is None:
        return "new" if stock is None else "gone", "only one kernel has it"
    if ratio is None and (stock or not patched):
        return "same", "no difference"
    change, how = (1, f"{patched:g}, was 0") if ratio is None else (ratio - 1, amount(ratio))
    if abs(change) <= SAME:
        return "same", "no difference" if how.startswith("0.0") else how
    way = LESS if row["report"] == "layers" else METRICS.get(row["metric"], (NEITHER,))[0]
    if way == NEITHER:
        return "changed", how
    return "better" if change * way > 0 else "worse", how
