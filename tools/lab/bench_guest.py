#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run bench cases in the guest, and print a line of JSON for each figure.

    bench_guest.py PASSES CASE...       cases of one guest, see bench_cases.py

Here are direct I/O, readahead, and the field reports on an array (array.sh; arrays.rst says what
the figures are). A case that this kernel cannot run (raw on stock) prints nothing and succeeds.
bench.py reads the lines. Exit: 0 done, 1 a step failed or a disk had wrong data.
"""

import contextlib
import json
import os
import sys
from collections import defaultdict

from bench_cases import CASES
from bench_disks import (DISKS, DRIVER, MOUNTED, Failed, bitmaps_in_memory, counted, disk_of,
                         disk_stat, emit, flush, get, little_memory, make_fs, put, queue, raws_of,
                         run, scsi_debug_disks, switched, tool, unbind, unmount, zeros)
from bench_programs import program
from bench_stacks import stacks

DEPTHS = 32     # a part is whole queues
ISP24XX = "/sys/kernel/debug/isp24xx/state"
ARRAY_SH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "array.sh")


def one_way(case, passes, words, n):
    """One of the four ways on disks that copy nothing: n MiB a pass. At random places all passes
    are in one process: what it takes to start and end one is not theirs."""
    disks = on = scsi_debug_disks()
    rounds = passes
    if "random" in words:
        words = words.replace("blocks=256", f"blocks={256 * passes}")
        rounds = 1
    if case.name == "raw":
        on = raws_of(disks)
        if not on:
            return
    seconds = 0
    for _ in range(rounds):
        flush(disks)
        seconds += json.loads(tool(f"disk_read {words} --json", *on))["seconds"]
    if case.name == "raw":
        unbind(on)
    emit(case, "field-1", f"disk_read {words} (8 scsi_debug: fake_rw=1 delay=0)",
         {"insn_per_mib": seconds * 1e9 / (passes * n)})


def direct_io(case, passes, words, n, place, disk="atonce", parts=0):
    """The guest's clock counts the instructions. On a disk that completes later it leaps: then
    profile.py counts what lies between two marks, of so many parts, or lines that CPUs share. Of
    readers nothing counts but the time that they wait: no mapping block of the file is cached."""
    path = switched().path_at(place, own="own" in words)
    if not path:
        return
    switched().to(disk_of(disk))
    more, readers = {}, "readers" in words
    n *= 1 if readers else passes
    if readers:
        os.sync()
        flush([switched().disk])    # drop_caches leaves what each CPU looked up last
        put(3, "/proc/sys/vm/drop_caches")
    if parts:
        part = -(-n // parts // DEPTHS) * DEPTHS
        n = part * parts
        words += f" marks={parts}"
        more = {"part": part, "parts": parts, "exact": disk == "atonce"}
    command = f"dio_load {words} n={n} {path}"
    nsec = float((tool(command).split() or [0])[0])
    emit(case, "real" if parts else case.guest, f"{command} ({DISKS[disk]})",
         {"elapsed": nsec / 1000} if readers else {"insn": nsec}, **more)


def forget(path, disk):
    """Nothing of the file is cached."""
    if path == disk:
        flush([disk])
        return
    fd = os.open(path, os.O_RDONLY)
    os.fdatasync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def readahead(case, _passes, words, disk="200us", place="", kb=128, memory="", again=False,
              rounds=1, report="readahead", more=()):
    """BELOW is the disk that is read in the end, TOP the one that has the queue."""
    per, took = "run" if "run-" in case.name else "mib", defaultdict(list)
    with little_memory(memory) as join:
        path = top = below = disk_of(disk)
        if place:       # a file is made anew, as what other cases wrote is lost
            path, top = switched().path_at(place, 256, anew=place != "bdev"), switched().disk
            switched().to(below)
        put(kb, queue(top, "read_ahead_kb"))
        forget(path, top)
        if again:
            tool(f"ra_load {words}", path, preexec_fn=join)
        for _ in range(rounds):
            with counted(below) as done:
                said = json.loads(tool(f"ra_load {words}", path, preexec_fn=join))
                forget(path, top)
            mib = (said["bytes"] + said["written"]) / 2 ** 20
            units = said["n"] if per == "run" else mib
            seconds = said["nsec"] / 1e9
            for metric, value in (
                    (f"device_reads_per_{per}", done[0] / units),
                    ("bytes_read_per_used", done[2] * 512 / said["bytes"]),
                    ("pages_unread", round((done[2] * 512 - said["bytes"]) / 4096)),
                    ("time", seconds * 1e6 / units), ("mb_per_s", mib / seconds),
                    ("seconds", seconds)):
                took[metric].append(value)
        if place:
            os.sync()
            switched().to(disk_of("atonce"))
    told = (place and f"a file of 256 MiB: {place}", DISKS[disk], memory and f"{memory} of memory",
            f"read_ahead_kb {kb}")
    emit(case, report, f"ra_load {words} ({', '.join(filter(None, told))})",
         {metric: took[metric] for metric in
          (f"device_reads_per_{per}", "bytes_read_per_used", *more, "time")})


@contextlib.contextmanager
def up(name, *join):
    """An array, as long as it is needed; its disks."""
    try:
        yield run(ARRAY_SH, "up", name, *join).split()
    finally:
        unmount()
        run(ARRAY_SH, "down", name)


def four_ways(case, disks, mib, rounds):
    """MIB of each disk by each way; they take turns, so that what a round meets hits them all."""
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
    for way, took in said.items():
        emit(case, "field-1", f"disk_read {ways[way][0]} ({len(disks)} disks)",
             {"mb_per_s": [one["mb_per_s"] for one in took],
              "latency_us": [one["nsec_per_block"] / 1000 for one in took]}, f"{case.guest}-{way}")


def ring():
    """What the driver has put on the ring: (entries, descriptors)"""
    said = dict(line.split(None, 1) for line in get(ISP24XX).splitlines())
    return int(said["entries"]), int(said["descriptors"])


def one_piece(case, disk, reads=64):
    """Reads of 1 MiB into memory that is contiguous"""
    limit = queue(disk, "max_sectors_kb")
    most = get(limit)
    put(1024, limit)
    before = ring()
    words = f"dio_load read contig bs=1m n={reads}"
    nsec = float(tool(words, disk))
    entries, descriptors = (a - b for a, b in zip(ring(), before))
    put(most, limit)
    emit(case, "field-1", words, {"entries": entries / reads, "descriptors": descriptors / reads,
                                  "insn_per_mib": nsec}, f"{case.guest}-one-piece")


def new_files(case, place, disk, file_systems, rounds):
    """Two rounds, not 16: when the clock counts instructions, one is like the other."""
    for fs in file_systems:
        make_fs(fs, disk)
        speed = {}
        for way in ("buffered", "direct"):
            words = f"dio_write create{' direct' * (way == 'direct')} bs=1m size=32m n={rounds}"
            nsec = json.loads(tool(f"{words} verify {MOUNTED}/file"))["ns"]
            speed[way] = 32 / (nsec / 1e9)
            emit(case, "field-3", words, {"mb_per_s": speed[way]}, f"{place}-{fs}-{way}")
        emit(case, "field-3", "direct to buffered", {"gain": speed["direct"] / speed["buffered"]},
             f"{place}-{fs}")
        unmount()


def oltp(case, disk, ios):
    make_fs("ext2", disk)
    zeros(f"{MOUNTED}/file", 64)
    for bs in ("4k", "8k"):
        words = f"dio_load mix aio depth=32 bs={bs} n={ios}"
        nsec = float(tool(f"{words} {MOUNTED}/file"))
        emit(case, "field-4", words, {"insn": nsec, "per_s": round(1e9 / nsec)},
             f"{case.guest}-oltp-{bs}")


def disk_writes(joined):
    """What all disks behind a stripe have completed and written, and what the stripe was sent, each
    bio once for each disk that it touches: (writes, sectors, bios)"""
    disks = os.listdir(f"/sys/class/block/{os.path.basename(joined)}/slaves")
    stats = [disk_stat(disk) for disk in disks]
    return sum(s[4] for s in stats), sum(s[6] for s in stats), disk_stat(joined)[4]


def big_file(case, fs, how, mib):
    """A write of MIB, once with data, which is verified, then without: scsi_debug's fake_rw neither
    stores nor copies. It empties the disks, so each has an array of its own."""
    words = f"dio_write {how} direct bs={mib}m size={mib}m n=1"
    path = f"{MOUNTED}/file"
    with up(case.guest, "dm") as (joined,):
        make_fs(fs, joined)
        tool(f"{words} verify {path}")
        # From here on what is not in memory is lost: no old file, but for what is to be
        # overwritten, and all bitmaps.
        if how != "over":
            os.remove(path)
        os.sync()
        bitmaps_in_memory(joined)
        put(1, f"{DRIVER}/fake_rw")
        before = disk_writes(joined)
        nsec = json.loads(tool(f"{words} {path}"))["ns"]
        ios, sectors, bios = (a - b for a, b in zip(disk_writes(joined), before))
    put(0, f"{DRIVER}/fake_rw")
    emit(case, "field-5", words,
         {"mb_per_s": mib / (nsec / 1e9), "ios_per_s": mib * 2048 / sectors * ios / (nsec / 1e9),
          "io_kib": sectors / 2 / ios, "bio_kib": sectors / 2 / bios, "insn_per_mib": nsec / mib},
         f"{case.guest}-{fs}-{how}")


def array(case, _passes, mib=0, reads=1, file_systems=(), rounds=0, one_disk=True, raid0=False,
          ios=0, big_files=(), big_mib=512):
    """All that a case asks for: what is 0, empty or False is left out."""
    name = case.guest
    if mib:
        with up(name) as disks:
            four_ways(case, disks, mib, reads)
            if name == "qla":
                one_piece(case, disks[0])
            if one_disk:
                new_files(case, f"{name}-disk", disks[0], file_systems, rounds)
    if raid0:
        with up(name, "md") as (joined,):
            new_files(case, f"{name}-raid0", joined, file_systems, rounds)
    if ios:
        with up(name, "dm") as (joined,):
            oltp(case, joined, ios)
    for fs, how in big_files:
        big_file(case, fs, how, big_mib)


RUN = {one.__name__: one for one in (one_way, direct_io, readahead, program, array, stacks)}


def main():
    passes, *names = sys.argv[1:]
    for case in (CASES[name] for name in names):
        try:
            RUN[case.run](case, int(passes), **case.args)
        except Failed as e:
            # What failed first, not the clearing away behind it
            while isinstance(e.__context__, Failed):
                e = e.__context__
            sys.exit(f"bench: {case.name}: {e}")


if __name__ == "__main__":
    main()
