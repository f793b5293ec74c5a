# SPDX-License-Identifier: GPL-2.0
"""In the guest: the field reports on an array (array.sh).

Figures are those of the reports. field-1: the ways take turns, so that what a round meets hits
them all. field-2, of qla alone: other disks have it in bench_readahead.py. field-3: gain is direct
to buffered; two rounds, not 16: when the clock counts instructions, one is like the other. field-4:
7 reads to 5 writes. field-5: I/Os are those that the disks completed.

Data is verified: stamps of the disks when array.sh brings them up, those of the files in field-3
and field-5. Figures of field-5 are then taken again with scsi_debug's fake_rw, which neither stores
nor copies: by then everything that the file systems would read is in memory.
"""

import json
import os
import subprocess

from bench_disks import (MOUNTED, disk_stat, emit, flush, get, make_fs, on_short, put, raws_of, run,
                         tool, unbind, unmount)
from bench_readahead import device_reads, figures

ISP24XX = "/sys/kernel/debug/isp24xx/state"
ARRAY_SH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "array.sh")
FAKE = "/sys/bus/pseudo/drivers/scsi_debug/fake_rw"


class Up:
    """An array, as long as it is needed; its disks."""

    def __init__(self, name, *join):
        self.words = name, *join

    def __enter__(self):
        return run(ARRAY_SH, "up", *self.words).split()

    def __exit__(self, *_):
        unmount()
        run(ARRAY_SH, "down", self.words[0])


def four_ways(case, disks, mib, rounds):
    """MIB of each disk by each way."""
    raws = raws_of(disks)
    ways = {"direct": (f"blocks={mib} bs=1m direct", disks), "raw": (f"blocks={mib} bs=1m", raws),
            "buffered": (f"blocks={mib * 128} bs=8k", disks),
            "nocopy": (f"blocks={mib * 128} bs=8k nocopy", disks)}
    said = {way: [] for way, (_, on) in ways.items() if on}
    for _ in range(rounds):
        for way in said:
            words, on = ways[way]
            flush(disks)
            said[way].append(json.loads(tool(f"disk_read {words} --json", *on)))
    unbind(raws)
    for way, figures in said.items():
        words, on = ways[way]
        for metric, unit, value in (("mb_per_s", "MiB/s", lambda f: f["mb_per_s"]),
                                    ("latency_us", "us", lambda f: f["nsec_per_block"] / 1000)):
            emit(case, "field-1", metric, unit, [round(value(f), 3) for f in figures],
                 f"disk_read {words} {on_short(on)}", f"{case.guest}-{way}")


def ring():
    """What the driver has put on the ring: (entries, descriptors)"""
    with open(ISP24XX, encoding="ascii") as f:
        said = dict(line.split(None, 1) for line in f)
    return int(said["entries"]), int(said["descriptors"])


def one_piece(case, disk, reads=64):
    """Reads of 1 MiB into memory that is contiguous"""
    limit = f"/sys/class/block/{os.path.basename(disk)}/queue/max_sectors_kb"
    most = get(limit)
    put(1024, limit)
    before = ring()
    words = f"dio_load read contig bs=1m n={reads}"
    nsec = float(tool(words, disk))
    entries, descriptors = (a - b for a, b in zip(ring(), before))
    put(most, limit)
    for metric, unit, value in (("entries", "entries", entries / reads),
                                ("descriptors", "descriptors", descriptors / reads),
                                ("insn_per_mib", "insn/MiB", nsec)):
        emit(case, "field-1", metric, unit, value, words, f"{case.guest}-one-piece")


def records(case, disk):
    """All records of 128 KiB in 64 MiB of a disk, at random and in order"""
    for test, words in (("random", "ra_load blocks once bs=128k n=512 size=64m"),
                        ("sequential", "ra_load read bs=128k n=512 size=64m")):
        flush([disk])
        before = device_reads(disk)
        said = json.loads(tool(words, disk))
        reads, sectors = (a - b for a, b in zip(device_reads(disk), before))
        for metric, unit, value in figures(said, reads, sectors, per_run=False):
            if metric in ("mb_per_s", "device_reads_per_mib"):
                emit(case, "field-2", metric, unit, round(value, 3), words,
                     f"iozone-{test}-{case.guest}")


def new_files(case, place, disk, file_systems, rounds):
    for fs in file_systems:
        make_fs(fs, disk)
        speed = {}
        for way in ("buffered", "direct"):
            words = f"dio_write create{' direct' * (way == 'direct')} bs=1m size=32m n={rounds}"
            nsec = json.loads(tool(f"{words} verify {MOUNTED}/file"))["ns"]
            speed[way] = 32 / (nsec / 1e9)
            emit(case, "field-3", "mb_per_s", "MiB/s", round(speed[way], 2), words,
                 f"{place}-{fs}-{way}")
        emit(case, "field-3", "gain", "", round(speed["direct"] / speed["buffered"], 3),
             "direct to buffered", f"{place}-{fs}")
        unmount()


def oltp(case, name, disk, ios):
    make_fs("ext2", disk)
    run("dd", "if=/dev/zero", f"of={MOUNTED}/file", "bs=1M", "count=64", "oflag=direct",
        "status=none")
    for bs in ("4k", "8k"):
        words = f"dio_load mix aio depth=32 bs={bs} n={ios}"
        nsec = float(tool(f"{words} {MOUNTED}/file"))
        emit(case, "field-4", "insn", "insn", nsec, words, f"{name}-oltp-{bs}")
        emit(case, "field-4", "per_s", "I/O/s", round(1e9 / nsec), words, f"{name}-oltp-{bs}")


def disk_writes(joined):
    """What all disks behind a stripe have completed and written, and what the stripe was sent, each
    bio once for each disk that it touches: (writes, sectors, bios)"""
    disks = os.listdir(f"/sys/class/block/{os.path.basename(joined)}/slaves")
    stats = [disk_stat(disk) for disk in disks]
    return sum(s[4] for s in stats), sum(s[6] for s in stats), disk_stat(joined)[4]


def big_file(case, name, fs, how, mib):
    """A write of MIB, once with data, which is verified, then without. fake_rw empties the disks, so
    each has an array of its own."""
    words = f"dio_write {how} direct bs={mib}m size={mib}m n=1"
    path = f"{MOUNTED}/file"
    with Up(name, "dm") as (joined,):
        make_fs(fs, joined)
        tool(f"{words} verify {path}")
        # From here on what is not in memory is lost: no old file, but for what is to be
        # overwritten, and all bitmaps, which dumpe2fs reads.
        if how != "over":
            os.remove(path)
        os.sync()
        subprocess.run(["dumpe2fs", joined], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        put(1, FAKE)
        before = disk_writes(joined)
        nsec = json.loads(tool(f"{words} {path}"))["ns"]
        ios, sectors, bios = (a - b for a, b in zip(disk_writes(joined), before))
    put(0, FAKE)
    kib = sectors / 2 / ios
    for metric, unit, value in (("mb_per_s", "MiB/s", mib / (nsec / 1e9)),
                                ("ios_per_s", "I/O/s", mib * 1024 / kib / (nsec / 1e9)),
                                ("io_kib", "KiB", kib), ("bio_kib", "KiB", sectors / 2 / bios),
                                ("insn_per_mib", "insn/MiB", nsec / mib)):
        emit(case, "field-5", metric, unit, round(value, 2), words, f"{name}-{fs}-{how}")


def array(case, _passes, array, mib=0, reads=1, file_systems=(), rounds=0, one_disk=True,
          raid0=False, ios=0, big_files=(), big_mib=512):
    """All that a case asks for: what is 0, empty or False is left out."""
    name = case.guest
    if mib:
        with Up(array) as disks:
            four_ways(case, disks, mib, reads)
            if array == "qla":
                one_piece(case, disks[0])
                records(case, disks[0])
            if file_systems and one_disk:
                new_files(case, f"{name}-disk", disks[0], file_systems, rounds)
    if raid0:
        with Up(array, "md") as (joined,):
            new_files(case, f"{name}-raid0", joined, file_systems, rounds)
    if ios:
        with Up(array, "dm") as (joined,):
            oltp(case, name, joined, ios)
    for fs, how in big_files:
        big_file(case, name, fs, how, big_mib)
