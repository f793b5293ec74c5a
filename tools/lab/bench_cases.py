# SPDX-License-Identifier: GPL-2.0
"""The bench's cases: the one table, of which bench.py boots guests and bench_guest.py runs.

A case is a function of the guest (run: in bench_guest.py or a file that it includes) and what it is
told (args). The cases of one guest run in one boot, or so many in one (bench.py). time says what its
figures are of: Documentation/dio/lab.rst.

Engine: WHAT-SIZE-WHERE, random O_DIRECT I/Os on a data path that copies nothing, of a file of
32 MiB, or of the bare disk that is the floor under a file system; vfat has clusters of 32 KiB,
ocfs2 is mounted by one machine alone. A pass is so many I/Os that it takes a few seconds to emulate.
split: memory of large folios that PTEs map.

Stacks: IO-WAY-FS-STACK, all combinations (bench_stacks.py).

Shared: WHAT-one|own-PLACE, two CPUs that read or write one open file, or each its own. A figure is
how many cache lines one takes from the other for an I/O (insn_count.c), by who writes to them.

Readahead, on the bare disk: runs of LEN at random places in reads of SIZE; single pages; one stream
and several that take turns; mappings; mix: index look-ups beside a long scan; lowmem: in 16 MiB of
memory. KB is read_ahead_kb, else it is 128. -hdd: a disk of 2004 instead of 200 us for each request.

Field-2, the tests of the report of 2004, on a file 16 times as large as memory, as theirs was.
iozone reads all records of 128 KiB once; sysbench has the defaults of its fileio test, of which
10000 requests are 6000 reads and 4000 writes; dss is index look-ups beside a table scan.

Real (real.rst): WHAT-SIZE-qDEPTH-WHERE-DISK, the engine's I/Os on REAL_DISKS; -distro: on kernels
with a distribution's options. Programs (programs.rst): PROGRAM-FS-DISK-mPERCENT, with page cache for
so many percent of their data. Arrays: arrays.rst.
"""

from typing import NamedTuple

from bench_programs import PROGRAMS

# guest.sh's words. -c: the clock counts instructions
GUESTS = {**dict.fromkeys(("engine", "stacks", "real", "distro", "readahead", "integrity",
                           "model"), ("-c",)),
          "programs": ("-c", "-p"), "fc": ("-c", "-a", "fc"), "many": ("-c", "-a", "many"),
          "shared": ("-c",), "qla": ("-c", "-a", "qla")}
MARKED = ("real", "distro")     # guests whose cases set marks
# Of the others: stock, patched
KERNELS_OF = {**dict.fromkeys(("distro", "integrity"), ("distro-stock", "distro")),
              "qla": ("um-stock", "um-patched")}


class Profile(NamedTuple):
    """What bench.py profile needs to know."""
    metric: str
    units: int      # MiB or I/Os of a pass
    passes: int     # that come to 3,000 million instructions or more


class Case(NamedTuple):
    name: str
    run: str
    guest: str
    args: dict
    time: str = "cpu"
    profile: Profile | None = None


FILE_SYSTEMS = ("ext2", "jfs", "vfat", "ext4", "xfs", "udf", "ocfs2")
IOS = {"4k": 20000, "64k": 4000, "1m": 500, "1m-huge": 500}
WAYS = {"read": "read", "overwrite": "write", "aio": "read aio", "uring": "read uring"}


def engine():
    """bench_guest.py: four_ways_counted, engine, readers"""
    for way, words, units, passes in (("direct", "blocks=256 bs=1m random direct", 2048, 15),
                                      ("raw", "blocks=256 bs=1m random", 2048, 15),
                                      ("buffered", "blocks=8192 bs=8k", 512, 5),
                                      ("nocopy", "blocks=8192 bs=8k nocopy", 512, 8)):
        yield Case(way, "four_ways_counted", "engine", {"words": words, "mib": units},
                   profile=Profile("insn_per_mib", units, passes))
    for place in ("bdev", "raw", *FILE_SYSTEMS):
        for what, size in (*((what, "4k") for what in WAYS),
                           *(("read", size) for size in ("64k", "1m", "1m-huge"))):
            bs, _, huge = size.partition("-")
            words = " ".join(filter(None, (WAYS[what], huge, f"bs={bs}")))
            yield Case(f"{what}-{size}-{place}", "engine", "engine",
                       {"words": words, "ios": IOS[size], "place": place},
                       profile=Profile("insn", IOS[size], 100))
    for size in ("64k", "1m"):
        yield Case(f"read-{size}-split-bdev", "engine", "engine",
                   {"words": f"read split bs={size}", "ios": IOS[size], "place": "bdev"},
                   profile=Profile("insn", IOS[size], 100))
    for place in FILE_SYSTEMS[:3]:
        for n in (2, 4, 8):
            yield Case(f"readers-{n}-{place}", "readers", "engine", {"n": n, "place": place},
                       time="fixed")


def shared():
    """bench_guest.py"""
    for place in ("bdev", "ext4", "xfs", "jfs"):
        for of in ("one", "own") if place != "bdev" else ("one",):
            for what in ("read", "write"):
                yield Case(f"{what}-{of}-{place}", "shared", "shared",
                           {"what": what, "own": of == "own", "place": place}, time="lines")


# What bench_stacks.py makes; dm-integrity wants an option that costs all others something.
STACKS = ("plain", "linear", "stripe", "crypt", "thin", "snapshot", "multipath", "dm-raid1", "loop",
          "nbd", "bcache", "raid0", "raid1", "raid1-bitmap", "raid10", "raid10-bitmap", "raid5")
STACK_FS = ("ext4", "jfs")      # iomap, fs/direct-io.c
STACK_IOS = {"read": "read", "overwrite": "write", "extend": "extend"}
STACK_WAYS = {"sync": "", **{f"{way}-q{depth}": f"{way} depth={depth}"
                             for way in ("aio", "uring") for depth in (1, 32)}}


def stacks():
    """bench_stacks.py"""
    for stack in (*STACKS, "integrity"):
        for fs in STACK_FS:
            yield Case(f"stack-{fs}-{stack}", "stacks",
                       "integrity" if stack == "integrity" else "stacks", {"stack": stack, "fs": fs})


# bench_disks.py makes them.
REAL_DISKS = {"100us": "null_blk, irqmode 2 (timer), 100 us",
              "sdebug": "scsi_debug, delay of 100 us", "atonce": "null_blk, irqmode 0: at once"}
PARTS = 7       # of a run, with a mark before each and behind the last
REAL_PLACES = ("bdev", "ext4", "xfs", "jfs")
# What dio_load is told, and of so many I/Os
REAL_WAYS = {"read-4k": ("read bs=4k", 4000), "overwrite-4k": ("write bs=4k", 4000),
             "aio-4k-q1": ("read aio depth=1 bs=4k", 4000),
             "aio-4k-q32": ("read aio depth=32 bs=4k", 20000),
             "uring-4k-q1": ("read uring depth=1 bs=4k", 4000),
             "uring-4k-q32": ("read uring depth=32 bs=4k", 20000),
             "read-64k": ("read bs=64k", 2000), "read-1m": ("read bs=1m", 250)}
REAL_FEW = ("read-4k", "overwrite-4k", "aio-4k-q1", "aio-4k-q32")


def real_name(way, place, disk, guest):
    return f"{way}-{place}-{disk}" + ("-distro" if guest == "distro" else "")


def real():
    """bench_guest.py: a file is made once for all disks."""
    for guest in MARKED:
        for place in REAL_PLACES:
            for disk in REAL_DISKS:
                for way in REAL_FEW if disk == "sdebug" else REAL_WAYS:
                    words, ios = REAL_WAYS[way]
                    yield Case(real_name(way, place, disk, guest), "real", guest,
                               {"words": words, "ios": ios, "place": place, "disk": disk},
                               time="busy")


RUNS = {
    **{f"run-{size}-by-{bs}": f"ra_load run len={size} bs={bs} n=400"
       for size, bs in (("16k", "4k"), ("16k", "16k"), ("64k", "4k"), ("64k", "16k"),
                        ("128k", "4k"), ("256k", "4k"))},
    "run-64k-behind-looks": "ra_load run look len=64k bs=4k n=400",
    "run-geometric-64k": "ra_load geometric len=64k bs=4k n=1000",
    "random-4k": "ra_load random bs=4k n=2000",
    **{f"seq-{bs}": f"ra_load seq bs={bs} n={n}"
       for bs, n in (("4k", 16384), ("16k", 4096), ("128k", 512), ("1m", 64))},
    **{f"streams-{k}": f"ra_load streams k={k} bs=4k n={16384 // k}" for k in (2, 8, 64)},
    "reverse": "ra_load reverse bs=4k n=2000",
    "stride": "ra_load stride len=64k bs=4k n=2000",
    "mmap-seq": "ra_load mmap-seq n=16384",
    "mmap-seq-advised": "ra_load mmap-seq advise=sequential n=16384",
    "mmap-random": "ra_load mmap-random n=2000",
    "mmap-run-16k": "ra_load mmap-run len=16k n=400",
    "mmap-run-64k": "ra_load mmap-run len=64k n=400",
    "mix": "ra_load mix separate len=128k bs=4k n=400",
    "mix-shared": "ra_load mix len=128k bs=4k n=400",
    "lowmem-64": "ra_load streams separate k=64 bs=4k n=256",
}
TESTS = {
    "iozone-sequential": "ra_load read bs=128k n=2048",
    "iozone-reread": "ra_load read bs=128k n=2048",
    "iozone-pread": "ra_load seq bs=128k n=2048",
    "iozone-reverse": "ra_load reverse bs=128k n=2048",
    "iozone-stride": "ra_load stride len=2176k bs=128k n=2048",
    "iozone-random": "ra_load blocks once bs=128k n=2048",
    "iozone-mix": "ra_load blocks once writes=50 bs=128k n=2048",
    "sysbench": "ra_load blocks writes=40 fsync=100 bs=16k n=10000",
    "dss": "ra_load mix separate len=128k bs=4k n=400",
}


def readahead():
    """bench_readahead.py"""
    for suffix, more in (("", {}), ("-kb512", {"kb": 512}), ("-kb4096", {"kb": 4096}),
                         ("-kb8192", {"kb": 8192}), ("-hdd", {"disk": "hdd"})):
        for name, words in RUNS.items():
            if suffix == "-kb8192" and not name.startswith("run-"):
                continue
            yield Case(name + suffix, "readahead", "readahead",
                       {"words": words, "per_run": "run-" in name, **more,
                        **({"memory": "16m"} if name == "lowmem-64" else {})},
                       time="disk" if "disk" in more else "fixed")
    for place in ("bdev", "ext4", "xfs", "ext2", "hdd"):
        for name, words in TESTS.items():
            where = {"disk": "hdd"} if place == "hdd" else {"place": place}
            yield Case(f"{name}-{place}", "readahead", "readahead",
                       {"words": words + " size=256m", "report": "field-2", "memory": "16m", **where,
                        # Short of memory a round of sysbench has one of two lengths.
                        "rounds": 3 if name == "sysbench" else 1,
                        "again": name == "iozone-reread"},
                       time="disk" if place == "hdd" else "fixed")


# Disk, file system, page cache in percent of the data
PROGRAM_PLACES = (("array", "ext4", (50, 90, 110)), ("array", "xfs", (50, 90, 110)),
                  ("nvme", "ext4", (50, 110)), ("hdd", "ext4", (50, 110)))


def programs():
    """bench_programs.py"""
    for disk, fs, percents in PROGRAM_PLACES:
        for name in PROGRAMS:
            for percent in percents:
                yield Case(f"{name}-{fs}-{disk}-m{percent}", "program", "programs",
                           {"name": name, "fs": fs, "disk": disk, "percent": percent},
                           time="disk")


def arrays():
    """bench_array.py"""
    whole = {"mib": 16, "reads": 3, "ios": 8000, "rounds": 2, "raid0": True,
             "file_systems": ("ext2", "ext3", "xfs", "jfs")}
    short = {"mib": 4, "ios": 2000, "rounds": 1, "file_systems": ("ext2", "ext3")}
    yield Case("fc", "array", "fc", {"array": "fc", **whole})
    yield Case("fc-short", "array", "fc", {"array": "fc", **short})
    # Each of the 64 disks is too small for a file system of its own.
    yield Case("many", "array", "many",
               {"array": "many", **whole, "mib": 4, "one_disk": False,
                "big_files": [(fs, how) for fs in ("ext2", "ext3", "xfs")
                              for how in ("create", "fill", "over")]})
    yield Case("many-short", "array", "many", {"array": "many", "big_files": [("ext2", "create")]})
    yield Case("qla", "array", "qla",
               {"array": "qla", **whole, **short, "reads": 1, "file_systems": ("ext2", "jfs"),
                "big_files": [("ext2", "create")], "big_mib": 64})
    yield Case("qla-short", "array", "qla", {"array": "qla", "mib": 4, "reads": 1})
    yield Case("model", "array", "model", {"array": "model", "mib": 16}, time="disk")


CASES = {case.name: case for make in (engine, shared, stacks, real, readahead, programs, arrays)
         for case in make()}


def of_guest(*guests):
    return [name for name, case in CASES.items() if case.guest in guests]


# What bench.py takes for several: what fits an hour, without naming an array; what make run
# measures; what figures of make report are made of
GROUPS = {
    "all": [*of_guest("engine", "stacks", "readahead"), "model",
            *(name for name in CASES if name.endswith(("-ext4-array-m50", "-ext4-array-m110")))],
    "real": of_guest(*MARKED),
    **{guest: of_guest(guest) for guest in ("engine", "shared", "stacks", "readahead", "integrity",
                                              "programs")},
    "short": ["direct", "raw", "buffered", "nocopy",
              *(f"{what}-4k-{place}" for what in ("read", "overwrite")
                for place in ("bdev", "raw", "ext2", "ext4")),
              "run-64k-by-4k", "random-4k", "seq-4k", "iozone-random-bdev", "dss-bdev",
              "run-64k-by-4k-hdd", "fc-short", "many-short", "model"],
    "layers": [f"read-{size}-ext2" for size in ("4k", "64k", "1m")],
}
