# SPDX-License-Identifier: GPL-2.0
"""Programs as people run them, on a disk that takes time for each request and for each byte.

Documentation/dio/programs.rst has what they are, and the figures. On the host what they work on is
made once, in $O/programs. It follows from the base's source and from a seed, so that each run reads
the same. root is a tree of the programs and of all that they load, to be run in memory: while a
guest whose clock counts instructions waits for the host's files, its clock leaps from one timer to
the next. Each is an archive, which a guest reads in one go; it is complete when it has its name.
"""

import contextlib
import functools
import glob
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import time

from bench_disks import (CGROUPS, DISKS, MOUNTED, OUT, Failed, counted, disk_of, emit, get,
                         little_memory, make_fs, mount, run, unmount)

VERSION = 5             # of what is made here: what older ones have made is not used
SEED = 1
TREE = ("fs", "mm", "block", "include/linux", "include/uapi")   # of the base, 70 MiB
ROWS = 160000           # of a database, each of some 300 bytes: 48 MiB
# Programs, and what they need besides their libraries
TOOLS = ("sh", "cat", "tar", "grep", "sqlite3", "mdb_dump", "db_bench", "python3")
FILES = ("/usr/lib/python3/dist-packages/lmdb", "/usr/lib/python3/dist-packages/lmdb/cpython*.so",
         *(f"/usr/lib/python3.*/{name}" for name in (
             "*.py", "encodings", "collections", "importlib", "sqlite3", "lib-dynload")))
BLOBS = 600             # values
BLOB_KIB = (20, 100)
LAYERS, LAYER_MIB = 24, 3                   # of a model
ROCKSDB = ("--num=240000", "--value_size=300", "--compression_type=none", f"--seed={SEED}")
READS = 2000
RANGE = 100
SOME = 300
BY_KEY = ("import lmdb, sys\n"
          "keys = [line.strip().encode() for line in sys.stdin]\n"
          "with lmdb.open('.', readonly=True, lock=False, create=False).begin() as txn:\n"
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


def key_of(row):
    """Rows come in the order of their numbers, and their keys lie anywhere."""
    return f"{row * 2654435761 % 2 ** 32:08x}"


def rows():
    """(number, key, value)"""
    rng = random.Random(SEED)
    for row in range(ROWS):
        yield row, key_of(row), rng.randbytes(rng.randint(80, 200)).hex()


def blobs(unit=1024):
    """(number, value of so many units)"""
    rng = random.Random(SEED)
    for row in range(BLOBS):
        yield row, rng.randbytes(rng.randint(*BLOB_KIB) * unit)


def sqlite(directory, names, values, *more):
    """A table of these values, and what is done to it besides"""
    import sqlite3      # not in the guest, which has the constants from here
    with contextlib.closing(sqlite3.connect(f"{directory}/db")) as db:
        db.execute(f"create table t (id integer primary key, {', '.join(names)})")
        db.executemany(f"insert into t values (?{', ?' * len(names)})", values)
        for statement in more:
            db.execute(statement)
            db.commit()
        db.commit()


def tree(directory, source):
    for name in TREE:
        shutil.copytree(f"{source}/{name}", f"{directory}/{name}", symlinks=True)


def lmdb(directory, pairs):
    """A mapped database of keys and values. Debian packages the library for its own Python."""
    script = ("import lmdb, sys\n"
              "with lmdb.open(sys.argv[1], map_size=1 << 30).begin(write=True) as txn:\n"
              "    for line in sys.stdin: txn.put(*line.encode().split())\n")
    subprocess.run(["/usr/bin/python3", "-c", script, directory], check=True,
                   input="".join(f"{key} {value}\n" for key, value in pairs), text=True)
    os.remove(f"{directory}/lock.mdb")


def rocksdb(directory, *words):
    subprocess.run(["db_bench", f"--db={directory}", *ROCKSDB, *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def model(directory, _source):
    rng = random.Random(SEED)
    with open(f"{directory}/model", "wb") as f:
        for _ in range(LAYERS):
            f.write(rng.randbytes(LAYER_MIB << 20))


def loaded(program):
    """The libraries of a program, and what loads them"""
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.DEVNULL).stdout
    return re.findall(r"(?:=> |^\s)(/\S+) \(", said, re.MULTILINE)


def root(directory, _source):
    """Files at their places; what a link leads to takes the link's."""
    files = [found for pattern in FILES for found in glob.glob(pattern)]
    for name in TOOLS:
        files.append(shutil.which(name, path="/usr/bin"))
        if not files[-1]:
            sys.exit(f"bench: {name} is missing: tools/lab/packages.sh programs")
    files = dict.fromkeys(one for file in files for one in (file, *loaded(file)))
    subprocess.run(f"tar -C / --exclude=__pycache__ -chPT - | tar -C '{directory}' -x", shell=True,
                   check=True, input="\n".join(files), text=True)
    os.symlink("usr/bin", f"{directory}/bin")
    for name in ("data", "dev", "proc", "tmp"):
        os.mkdir(f"{directory}/{name}")
    os.chmod(f"{directory}/tmp", 0o1777)


# What makes a directory's data: tables in the order of their numbers, with an index of keys and
# with holes, as one that is used, or of values that lie in pages of their own; keys in no order,
# compacted, or in files that are still to be.
MAKERS = {
    "root": root, "tree": tree, "model": model,
    "sqlite": lambda to, _: sqlite(to, ("k text", "v text"), rows(),
                                   "create index by_key on t (k)",
                                   "delete from t where id % 5 = 0"),
    "blobs": lambda to, _: sqlite(to, ("v blob",), blobs()),
    "lmdb": lambda to, _: lmdb(to, ((key, value) for _, key, value in rows())),
    "mapped-blobs": lambda to, _: lmdb(to, ((row, value.hex()) for row, value in blobs(512))),
    "rocksdb": lambda to, _: rocksdb(to, "--benchmarks=fillrandom,compact"),
    "levels": lambda to, _: rocksdb(to, "--benchmarks=fillrandom", "--disable_auto_compactions",
                                    "--write_buffer_size=8388608"),
}


def archive(out, name):
    return os.path.join(out, "programs", f"{name}-{VERSION}.tar")


def make(out, programs, source):
    """What these programs are and work on, but for what is there"""
    for name in ("root", *sorted({PROGRAMS[name][0] for name in programs})):
        whole = archive(out, name)
        if os.path.exists(whole):
            continue
        part = os.path.join(out, "programs", name)
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        MAKERS[name](part, source)
        subprocess.run(["tar", "-C", part, "--sort=name", "-cf", f"{whole}.part", "."], check=True)
        shutil.rmtree(part)
        os.rename(f"{whole}.part", whole)


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
def root_in_memory():
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
    run("mount", "--bind", MOUNTED, f"{root_in_memory()}/data")


def gone():
    run("umount", f"{root_in_memory()}/data")
    unmount()


def waits():
    """{metric: value} of the cgroup so far: pages that came back, and how long some task waited for
    memory, or for the disk"""
    def told(name, what):
        return int(re.search(what, get(f"{CGROUPS}/little/{name}"), re.MULTILINE)[1])

    return {"refaults": told("memory.stat", r"^workingset_refault_file (\d+)$"),
            **{f"{what}_stall": told(f"{what}.pressure", r"^some .*total=(\d+)$")
               for what in ("memory", "io")}}


def program(case, _passes, name, fs, disk, percent):
    """It runs in its cgroup, among its data."""
    data, needs, command, told = PROGRAMS[name]

    def enter():
        join()
        os.chroot(root_in_memory())
        os.chdir("/data")

    node = disk_of(disk)
    fresh(node, fs, data)
    limit = (needs << 20) + os.path.getsize(archive(OUT, data)) * percent // 100
    with little_memory(limit) as join, contextlib.ExitStack() as stack:
        stack.callback(gone)
        told, waited = told and told(), waits()
        with counted(node) as reads:
            start = time.monotonic_ns()
            done = subprocess.run(command, text=True, errors="replace", check=False, input=told,
                                  env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, preexec_fn=enter)
            seconds = (time.monotonic_ns() - start) / 1e9
        if done.returncode:
            raise Failed(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr[-400:]}")
        emit(case, "programs", f"{name} ({fs}, {DISKS[disk]}, memory for {percent} % of the data)",
             {"seconds": seconds, "device_reads": reads[0], "mib_read": reads[2] / 2048,
              **{metric: value - waited[metric] for metric, value in waits().items()}})
