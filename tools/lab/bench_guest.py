#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run bench cases in the guest, and print a line of JSON for each figure.

    bench_guest.py [-n PASSES] CASE...        cases of one guest, see bench_cases.py

A case that this kernel cannot run (raw on stock) prints nothing and succeeds. bench.py reads the
lines. Exit: 0 done, 1 a step failed or a disk had wrong data, 2 usage.
"""

import argparse
import json
import os
import sys

import bench_array
import bench_programs
import bench_readahead
import bench_stacks
from bench_cases import CASES, PARTS, REAL_DISKS
from bench_disks import (Failed, emit, flush, late_disk, on_short, put, raws_of, scsi_debug_disks,
                         switched, tool, unbind)

DEPTHS = 32     # a part is whole queues
SHARED_IOS = 200        # of each CPU


def four_ways_counted(case, passes, words, mib):
    """One of the four ways on disks that copy nothing: MIB a pass. At random places all passes are
    in one process: what it takes to start and end one is not theirs."""
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
    emit(case, "field-1", "insn_per_mib", "insn/MiB", round(seconds * 1e9 / (passes * mib), 1),
         f"disk_read {words} {on_short(on)} (scsi_debug fake_rw=1 delay=0)")


def engine(case, passes, words, ios, place):
    path = switched().path_at(place)
    if path:
        command = f"dio_load {words} n={ios * passes} {path}"
        emit(case, "engine", "insn", "insn", float(tool(command)), command)


def real(case, passes, words, ios, place, disk):
    """The I/Os on a disk that completes later, in parts with marks between: profile.py counts
    what lies between two. What is printed here is the guest's clock's."""
    path = switched().path_at(place)
    switched().to(f"linear {late_disk(disk)} 0")
    part = -(-ios * passes // PARTS // DEPTHS) * DEPTHS
    command = f"dio_load {words} marks={PARTS} n={part * PARTS} {path}"
    emit(case, "real", "insn", "insn", float(tool(command).split()[0]),
         f"{command} ({REAL_DISKS[disk]})",
         part=part)


def shared(case, _passes, what, own, place):
    """What is printed here is the I/Os; bench.py counts the lines."""
    path = switched().path_at(place, own=own)
    command = f"dio_load {what} {'own ' if own else ''}cpus=2 bs=4k n={SHARED_IOS} {path}"
    tool(command)
    emit(case, "shared", "lines", "lines", 0, command)


def readers(case, _passes, n, place):
    """N processes read a file of which no mapping block is cached, from a disk that takes 50 ms a
    read: nothing is measured but the time that they wait."""
    path = switched().path_at(place)
    memory = switched().memory
    switched().to(f"delay {memory} 0 50 {memory} 0 0")
    os.sync()
    flush([switched().disk])    # drop_caches leaves what each CPU looked up last
    put(3, "/proc/sys/vm/drop_caches")
    command = f"dio_load read readers={n} bs=4k n=1 {path}"
    nsec = float(tool(command))
    switched().at_once()
    emit(case, "engine", "elapsed", "us", nsec / 1000, f"{command} (dm-delay 50 ms)")


RUN = {"four_ways_counted": four_ways_counted, "engine": engine, "real": real, "readers": readers, "shared": shared,
       "readahead": bench_readahead.readahead, "program": bench_programs.program,
       "array": bench_array.array, "stacks": bench_stacks.stacks}


def main():
    parser = argparse.ArgumentParser(description="Run bench cases in the guest.")
    parser.add_argument("-n", type=int, default=1, metavar="PASSES")
    parser.add_argument("case", nargs="+", metavar="CASE")
    args = parser.parse_args()
    for name in args.case:
        if name not in CASES:
            parser.error(f"no such case: {name}")
    for case in (CASES[name] for name in args.case):
        try:
            RUN[case.run](case, args.n, **case.args)
        except Failed as e:
            # What failed first, not the clearing away behind it
            while isinstance(e.__context__, Failed):
                e = e.__context__
            sys.exit(f"bench: {case.name}: {e}")


if __name__ == "__main__":
    main()
