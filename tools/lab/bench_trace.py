#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""In the guest: one I/O of each kind, seen by the kernel's tracepoints; a line of JSON for each.

    bench_trace.py KERNEL      the name that the lines bear

A line has base, kernel, kind (timeline, order), label, command, what lies where (data: sectors of
the file, by FIBMAP), and events: what (submit, bio, issue, complete, return), at (microseconds
since the call), rw, sector, sectors. submit and return are marks that this program makes, so
what Python takes, a few microseconds, is between. Exit: 0 done, 1 a step failed.
"""

import fcntl
import json
import mmap
import os
import re
import struct
import sys

from bench_disks import (MOUNTED, Failed, flush, get, make_fs, null_disk, put, run, switched,
                         unbind, unmount)
from bench_readahead import TRACING, forget, place_of, slow_disk

FIBMAP = 1
BLOCK = 4096
KIB = 1024
WHAT = {"block_bio_queue": "bio", "block_rq_issue": "issue", "block_rq_complete": "complete"}
LINE = re.compile(r" (\d+\.\d+): (\w+): (.*)")
REQUEST = re.compile(r"(\d+,\d+) (\S+) .*?(\d+) \+ (\d+) ")


def parse(text, device):
    """The events of a trace, those of one device, from the mark "submit" on"""
    events = []
    start = None
    for line in text.splitlines():
        found = LINE.search(line)
        if not found:
            continue
        at, name, rest = float(found[1]), found[2], found[3]
        if name == "tracing_mark_write":
            start = at if rest == "submit" else start
            events.append({"what": rest, "at": round((at - start) * 1e6, 1)})
        elif name in WHAT and start is not None:
            request = REQUEST.match(rest + " ")
            if request and request[1] == device:
                events.append({"what": WHAT[name], "at": round((at - start) * 1e6, 1),
                               "rw": request[2], "sector": int(request[3]),
                               "sectors": int(request[4])})
    return events


def traced(device, io):
    """The events of what io() does"""
    if not os.path.ismount(TRACING):
        run("mount", "-t", "tracefs", "none", TRACING)
    put("mono", f"{TRACING}/trace_clock")
    put(4096, f"{TRACING}/buffer_size_kb")
    put("", f"{TRACING}/trace")
    for event in WHAT:
        put(1, f"{TRACING}/events/block/{event}/enable")
    marker = os.open(f"{TRACING}/trace_marker", os.O_WRONLY)
    try:
        os.write(marker, b"submit")
        io()
        os.write(marker, b"return")
    finally:
        os.close(marker)
        for event in WHAT:
            put(0, f"{TRACING}/events/block/{event}/enable")
    return parse(get(f"{TRACING}/trace"), device)


def sectors_of(path, first, length):
    """Where bytes of a file lie: [[sector, sectors]], by FIBMAP"""
    fd = os.open(path, os.O_RDONLY)
    pieces = []
    for block in range(first // BLOCK, (first + length) // BLOCK):
        where, = struct.unpack("i", fcntl.ioctl(fd, FIBMAP, struct.pack("i", block)))
        sector = where * (BLOCK // 512)
        if pieces and sum(pieces[-1]) == sector:
            pieces[-1][1] += BLOCK // 512
        else:
            pieces.append([sector, BLOCK // 512])
    os.close(fd)
    return pieces


def number_of(disk):
    """A device's number, as the tracepoints write it"""
    return get(f"/sys/class/block/{os.path.basename(disk)}/dev").replace(":", ",")


class Told:
    """What is asked of a file or of a device, and told as lines"""

    def __init__(self, kernel, path, disk):
        self.kernel, self.path, self.device = kernel, path, number_of(disk)
        self.memory = mmap.mmap(-1, 1024 * KIB)
        self.memory.write(b"x" * (1024 * KIB))

    def tell(self, kind, label, command, events, data=()):
        print(json.dumps({"base": os.uname().release, "kernel": self.kernel, "kind": kind,
                          "label": label, "command": command, "data": [*data],
                          "events": events}), flush=True)

    def one(self, label, call, size, at, step=0):
        """A direct or raw I/O, after one like it, STEP bytes before: what maps the file is in
        memory."""
        fd = os.open(self.path, os.O_RDWR | ("raw" not in self.path and os.O_DIRECT))
        memory = memoryview(self.memory)[:size]
        call(fd, [memory], at)
        events = traced(self.device, lambda: call(fd, [memory], at + step))
        os.close(fd)
        self.tell("timeline", label,
                  f"{'pread' if call is os.preadv else 'pwrite'} of {size // KIB} KiB", events)

    def end(self):
        return os.stat(self.path).st_size

    def runs(self, queue):
        """A buffered run of 64 KiB, by 4 KiB, when twenty have been before, far apart"""
        forget(self.path, queue)
        fd = os.open(self.path, os.O_RDONLY)

        def run_at(at):
            for offset in range(0, 64 * KIB, BLOCK):
                os.pread(fd, BLOCK, at + offset)

        order = [(n * 13 % 31 + 1) * 4096 * KIB for n in range(21)]
        for at in order[:-1]:
            run_at(at)
        events = traced(self.device, lambda: run_at(order[-1]))
        os.close(fd)
        self.tell("timeline", "buffered run of 64 KiB", "16 preads of 4 KiB, 20 runs before",
                  events)

    def written_back(self):
        fd = os.open(self.path, os.O_WRONLY)

        def write():
            os.pwrite(fd, memoryview(self.memory)[:64 * KIB], 2048 * KIB)
            os.fdatasync(fd)

        write()
        events = traced(self.device, write)
        os.close(fd)
        self.tell("timeline", "buffered write", "pwrite of 64 KiB, fdatasync", events)

    def read_cold(self, size):
        """Round the first boundary of a file of which nothing is cached"""
        fd = os.open(self.path, os.O_RDONLY | os.O_DIRECT)
        memory = memoryview(self.memory)[:size]
        events = traced(self.device, lambda: os.preadv(fd, [memory], 0))
        os.close(fd)
        self.tell("order", "read", f"Direct read of {size // KIB} KiB, nothing cached", events,
                  sectors_of(self.path, 0, size))

    def write_new(self, size):
        """Round the first boundary of a file that grows"""
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
        memory = memoryview(self.memory)[:size]

        def write():
            os.pwritev(fd, [memory], 0)
            os.fsync(fd)

        events = traced(self.device, write)
        os.close(fd)
        self.tell("order", "write", f"Direct write of a new file of {size // KIB} KiB, fsync",
                  events, sectors_of(self.path, 0, size))


def timeline(kernel):
    """One I/O of each kind, to a disk that answers in 200 us and copies nothing"""
    slow = slow_disk("null")
    raw = switched().path_at("raw")
    if raw:
        switched().switch_to(f"linear {slow} 0")
        Told(kernel, raw, slow).one("raw read of 64 KiB", os.preadv, 64 * KIB, 0)
        unbind([raw])
    path, queue = place_of(slow, "ext2")
    told = Told(kernel, path, slow)
    told.one("direct read of 4 KiB", os.preadv, 4 * KIB, 1024 * KIB)
    told.one("direct read of 1 MiB", os.preadv, 1024 * KIB, 0)
    told.one("direct overwrite", os.pwritev, 64 * KIB, 1024 * KIB)
    told.one("direct write behind the end", os.pwritev, 64 * KIB, told.end(), 64 * KIB)
    told.runs(queue)
    told.written_back()
    switched().at_once()


def order(kernel):
    """Data and metadata, on a disk that keeps them"""
    disk = null_disk("ordered", size=64, irqmode=0, queue_mode=2, memory_backed=1)
    unmount()
    make_fs("ext2", disk)
    path = f"{MOUNTED}/file"
    run("dd", "if=/dev/zero", f"of={path}", "bs=1M", "count=8", "oflag=direct", "status=none")
    unmount()
    flush([disk])
    run("mount", "-i", "-t", "ext2", "-o", "noatime", disk, MOUNTED)
    Told(kernel, path, disk).read_cold(128 * KIB)
    Told(kernel, f"{MOUNTED}/new", disk).write_new(128 * KIB)
    unmount()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: bench_trace.py KERNEL")
    try:
        timeline(sys.argv[1])
        order(sys.argv[1])
    except Failed as e:
        sys.exit(f"bench: trace: {e}")


if __name__ == "__main__":
    main()
