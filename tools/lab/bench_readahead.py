# SPDX-License-Identifier: GPL-2.0
"""In the guest: readahead, on a disk that takes 200 us for each request, whatever its size, or as
long as a disk of 2004. A case has a fresh cache and an open file of its own.

Figures are device reads, and bytes that the disk read for one that the program got; time, of a run
or of a MiB read or written, and what follows from it.
"""

import contextlib
import json
import os

from bench_disks import disk_stat, emit, flush, get, model_disk, null_disk, put, run, switched, tool

CGROUPS = "/run/bench-cgroup"
PAGE = 4096


def slow_disk(kind):
    """Left alone null_blk would cut requests at 255 sectors, and so count a window of 128 KiB
    twice."""
    if kind == "hdd":
        return model_disk("u320 size=64g")
    return null_disk("slow", size=65536, irqmode=2, completion_nsec=200000, queue_mode=2,
                     max_sectors=2560)


@contextlib.contextmanager
def little_memory(size):
    """What a process calls to have no more memory than this, if anything; None if this kernel
    cannot do that. Each case has a cgroup of its own: what others leave charged there changes its
    figures. Dirty pages are limited as on a machine with as much."""
    if not size:
        yield lambda: None
        return
    if not os.path.ismount(CGROUPS):
        os.makedirs(CGROUPS)
        run("mount", "-t", "cgroup2", "none", CGROUPS)
    # /proc/cgroups of later kernels does not name what there is in the second version alone.
    if "memory" not in get(f"{CGROUPS}/cgroup.controllers").split():
        yield None
        return
    put("+memory", f"{CGROUPS}/cgroup.subtree_control")
    os.mkdir(f"{CGROUPS}/little")
    put(size, f"{CGROUPS}/little/memory.max")
    limit = int(get(f"{CGROUPS}/little/memory.max"))
    put(limit // 5, "/proc/sys/vm/dirty_bytes")
    put(limit // 10, "/proc/sys/vm/dirty_background_bytes")
    yield lambda: put(os.getpid(), f"{CGROUPS}/little/cgroup.procs")
    os.rmdir(f"{CGROUPS}/little")


def forget(path, disk):
    """Nothing of the file is cached."""
    if path == disk:
        flush([disk])
        return
    fd = os.open(path, os.O_RDONLY)
    os.fdatasync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def device_reads(disk):
    """Requests that a disk has read, and sectors"""
    return disk_stat(disk)[0], disk_stat(disk)[2]


def figures(said, reads, sectors, per_run):
    """(metric, unit, value) of one round"""
    mib = (said["bytes"] + said["written"]) / 2 ** 20
    units = said["n"] if per_run else mib
    seconds = said["nsec"] / 1e9
    yield f"device_reads_per_{'run' if per_run else 'mib'}", "reads", reads / units
    yield "bytes_read_per_used", "ratio", sectors * 512 / said["bytes"]
    yield "pages_unread", "pages", round(sectors / 8 - said["bytes"] / PAGE)
    yield "time", "us", seconds * 1e6 / units
    yield "mb_per_s", "MiB/s", mib / seconds
    yield "seconds", "s", seconds


def wanted(metric, case, report):
    """Which of these figures a case has"""
    if metric in ("mb_per_s", "seconds"):
        return report == "field-2" and (metric == "mb_per_s" or case.name.startswith("sysbench"))
    return metric != "pages_unread" or case.name.startswith("lowmem")


def place_of(disk, place):
    """(what is read, the disk that has the queue). What maps a file's blocks is in memory. A file is
    made anew, as what other cases wrote is lost."""
    if not place:
        return disk, disk
    path = switched().path_at(place, 256, anew=place != "bdev")
    switched().to(f"linear {disk} 0")
    return path, switched().disk


def rounds_of(case, path, queue, slow, join, words, rounds, per_run, report):
    """{(metric, unit): a value of each round}"""
    values = {}
    for _ in range(rounds):
        before = device_reads(slow)
        said = json.loads(tool(words, path, preexec_fn=join))
        forget(path, queue)
        reads, sectors = (a - b for a, b in zip(device_reads(slow), before))
        for metric, unit, value in figures(said, reads, sectors, per_run):
            if wanted(metric, case, report):
                values.setdefault((metric, unit), []).append(round(value, 4))
    return values


def readahead(case, _passes, words, disk="null", place="", kb=128, memory="", again=False,
              per_run=False, rounds=1, report="readahead"):
    with little_memory(memory) as join:
        if not join:
            return
        slow = slow_disk(disk)
        path, queue = place_of(slow, place)
        put(kb, f"/sys/class/block/{os.path.basename(queue)}/queue/read_ahead_kb")
        forget(path, queue)
        if again:
            tool(words, path, preexec_fn=join)
        values = rounds_of(case, path, queue, slow, join, words, rounds, per_run, report)
        if place:
            os.sync()
            switched().at_once()
    command = words + " (" + ", ".join(filter(None, (
        place and f"a file of 256 MiB: {place}",
        "model_disk u320" if disk == "hdd" else "null_blk, 200 us",
        memory and f"{memory} of memory", f"read_ahead_kb {kb}"))) + ")"
    for (metric, unit), of_rounds in values.items():
        emit(case, report, metric, unit, of_rounds, command)
