# SPDX-License-Identifier: GPL-2.0
"""In the guest: programs as people run them, on what bench_data.py made, on a disk that takes time
for each request and for each byte (model_disk).

A program has a cgroup of its own, with what it needs itself and a part of its data's size for the
page cache. What it reads was never cached; the program itself and its libraries are in memory.
Figures are the time that it takes, what the disk read for it, pages that were cached, had to go and
came back (refaults), and how long a task of it waited for memory or for the disk (PSI's "some").
"""

import contextlib
import functools
import os
import random
import re
import shlex
import subprocess
import time

from bench_data import BLOBS, LAYERS, LAYER_MIB, ROCKSDB, ROWS, SEED, archive, key_of
from bench_disks import (CGROUPS, DISKS, MOUNTED, OUT, Failed, counted, disk_of, emit, get,
                         little_memory, make_fs, mount, run, unmount)

READS = 2000
RANGE = 100
SOME = 300
BY_KEY = ("import lmdb, sys\n"
          "keys = [line.strip().encode() for line in sys.stdin]\n"
          "with lmdb.open('.', readonly=True, lock=False, create=False) as env, env.begin() as txn:\n"
          "    assert all(txn.get(key) for key in keys)\n")
BY_OPENS = ("import sqlite3, sys\n"
            "for query in sys.stdin:\n"
            "    db = sqlite3.connect('file:db?mode=ro', uri=True)\n"
            "    assert db.execute(query).fetchone()\n"
            "    db.close()\n")
# Layers of a model are copied out of a mapping: all of them as they lie, then in any order.
BY_LAYERS = ("import mmap, sys\n"
             f"size = {LAYER_MIB} << 20\n"
             "with open('model', 'rb') as f, mmap.mmap(f.fileno(), 0, prot=1) as model:\n"
             f"    for layer in (*range({LAYERS}), *map(int, sys.stdin)):\n"
             "        assert len(model[layer * size:(layer + 1) * size]) == size\n")
DB_BENCH = ("db_bench", "--db=.", "--use_existing_db", *ROCKSDB)
VALUE = "select typeof(v || '') from t where id = {};\n"   # all of it is read, nothing done with it


def some_rows():
    rng = random.Random(SEED + 1)
    return [row for row in (rng.randrange(ROWS - RANGE) for _ in range(READS)) if row % 5]


def ranges():
    return "".join("select sum(length(v)) from t where id between "
                   f"{row} and {row + RANGE};\n" for row in some_rows())


def some_of(n, text):
    """TEXT for numbers below N: none comes again before all have come"""
    rng = random.Random(SEED + 2)
    numbers = [number for _ in range(-(-SOME // n)) for number in rng.sample(range(n), n)]
    return "".join(text.format(number) for number in numbers[:SOME])


# name: (data, MiB of memory that the program itself needs, command, what it is told)
PROGRAMS = {
    "sqlite-scan": ("sqlite", 8, ("sqlite3", "db", "select sum(length(v)) from t"), None),
    "sqlite-range": ("sqlite", 8, ("sqlite3", "db"), ranges),
    "sqlite-blobs": ("blobs", 8, ("sqlite3", "db"), lambda: some_of(BLOBS, VALUE)),
    "sqlite-opens": ("sqlite", 16, ("python3", "-c", BY_OPENS), ranges),
    "tar": ("tree", 8, ("sh", "-c", "tar cf - fs mm block include | cat"), None),
    "grep": ("tree", 8, ("grep", "-rc", "direct_IO", "fs", "mm", "block", "include"), None),
    "lmdb-get": ("lmdb", 16, ("python3", "-c", BY_KEY),
                 lambda: "".join(f"{key_of(row)}\n" for row in some_rows())),
    "lmdb-scan": ("lmdb", 8, ("mdb_dump", "."), None),
    "lmdb-blobs": ("mapped-blobs", 16, ("python3", "-c", BY_KEY), lambda: some_of(BLOBS, "{}\n")),
    "model-layers": ("model", 16 + 2 * LAYER_MIB, ("python3", "-c", BY_LAYERS),
                     lambda: some_of(LAYERS, "{}\n")),
    "rocksdb-get": ("rocksdb", 24, (*DB_BENCH, "--readonly", "--benchmarks=readrandom",
                                    f"--reads={READS}"), None),
    "rocksdb-compact": ("levels", 64, (*DB_BENCH, "--benchmarks=compact"), None),
}
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C"}


@functools.cache
def root():
    """The programs in memory; where they are"""
    place = "/run/programs"
    os.mkdir(place)
    run("mount", "-t", "tmpfs", "-o", "size=1g", "none", place)
    run("tar", "-C", place, "-xf", archive(OUT, "root"))
    for name in ("dev", "proc"):
        run("mount", "--bind", f"/{name}", f"{place}/{name}")
    return place


def fresh(disk, fs, data):
    """The data on a new file system, of which nothing is cached"""
    make_fs(fs, disk)
    run("tar", "-C", MOUNTED, "-xf", archive(OUT, data))
    run("umount", MOUNTED)
    mount(fs, disk)
    run("mount", "--bind", MOUNTED, f"{root()}/data")


def gone():
    run("umount", f"{root()}/data")
    unmount()


def waits():
    """{metric: value} of the cgroup so far: pages that came back, and how long some task waited for
    memory, or for the disk"""
    def told(name, what):
        return int(re.search(what, get(f"{CGROUPS}/little/{name}"), re.MULTILINE)[1])

    return {"refaults": told("memory.stat", r"^workingset_refault_file (\d+)$"),
            **{f"{what}_stall": told(f"{what}.pressure", r"^some .*total=(\d+)$")
               for what in ("memory", "io")}}


def run_inside(command, join, told):
    """A program runs in its cgroup, among its data."""
    def enter():
        join()
        os.chroot(root())
        os.chdir("/data")

    done = subprocess.run(command, text=True, errors="replace", check=False, input=told,
                          env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=enter)
    if done.returncode:
        raise Failed(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr[-400:]}")


def program(case, _passes, name, fs, disk, percent):
    data, needs, command, told = PROGRAMS[name]
    node = disk_of(disk)
    fresh(node, fs, data)
    limit = (needs << 20) + os.path.getsize(archive(OUT, data)) * percent // 100
    with little_memory(limit) as join, contextlib.ExitStack() as stack:
        stack.callback(gone)
        told = told and told()
        waited = waits()
        with counted(node) as done:
            start = time.monotonic_ns()
            run_inside(command, join, told)
            seconds = (time.monotonic_ns() - start) / 1e9
        emit(case, "programs", f"{name} ({fs}, {DISKS[disk]}, memory for {percent} % of the data)",
             {"seconds": seconds, "device_reads": done[0], "mib_read": done[2] / 2048,
              **{metric: value - waited[metric] for metric, value in waits().items()}})
