# SPDX-License-Identifier: GPL-2.0
"""The bench's cases: the one table, of which bench.py boots guests and bench_guest.py runs.

A case is a function of the guest (run: in bench_guest.py or a file that it includes) and what it is
told (args). time says what its figures are of. Documentation/dio has what cases are: lab.rst (time,
stacks, what CPUs share), real.rst, readahead.rst, programs.rst, arrays.rst.

Engine: WHAT-SIZE-WHERE, random O_DIRECT I/Os on a data path that copies nothing, of a file of
32 MiB, or of the bare disk that is the floor under a file system; vfat has clusters of 32 KiB,
ocfs2 is mounted by one machine alone. A pass takes a few seconds to emulate. split: memory of large
folios that PTEs map.

Field-2: iozone reads all records of 128 KiB once; sysbench has the defaults of its fileio test, of
which 10000 requests are 6000 reads and 4000 writes; dss is index look-ups beside a table scan.
"""

from collections import namedtuple
from itertools import product

from bench_programs import PROGRAMS
from bench_stacks import STACKS

DISTRO = ("distro-stock", "distro")


# What boots cases: guest.sh's flags (-c: the clock counts instructions), how many cases are of a
# boot, what insn_count.so is to count (marks or lines)
Guest = namedtuple("Guest", "flags kernels most count",
                   defaults=(("-c",), ("stock", "patched"), 1000, ""))
# The distribution's options come first on the page.
GUESTS = {
    "engine": Guest(), "model": Guest(), "shared": Guest(count="lines"), "stacks": Guest(most=10),
    # dm-integrity wants an option that costs all others something.
    "integrity": Guest(kernels=DISTRO),
    "distro": Guest(kernels=DISTRO, count="marks"), "real": Guest(count="marks"),
    "readahead": Guest(most=40), "programs": Guest(("-c", "-p"), most=20),
    "fc": Guest(("-c", "-a", "fc")), "many": Guest(("-c", "-a", "many")),
    "qla": Guest(("-c", "-a", "qla"), ("um-stock", "um-patched")),
}
Case = namedtuple("Case", "name run guest args time", defaults=("cpu",))

FILE_SYSTEMS = ("ext2", "jfs", "vfat", "ext4", "xfs", "udf", "ocfs2")
# WHAT-SIZE[-WORD]; of a size so many are a pass, and fewer on disks that complete later
IOS = ("read-4k", "overwrite-4k", "aio-4k", "uring-4k", "read-64k", "read-1m", "read-1m-huge")
LATE_IOS = ("read-4k", "overwrite-4k", "aio-4k-q1", "aio-4k-q32", "uring-4k-q1", "uring-4k-q32",
            "read-64k", "read-1m")
MANY = {"4k": 20000, "64k": 4000, "1m": 500}
FEW = {"4k": 4000, "64k": 2000, "1m": 250}
# disk_read's words, MiB of a pass
FOUR_WAYS = {"direct": ("blocks=256 bs=1m random direct", 2048),
             "raw": ("blocks=256 bs=1m random", 2048), "buffered": ("blocks=4096 bs=8k", 256),
             "nocopy": ("blocks=4096 bs=8k nocopy", 256)}


def direct_io(name, place, many, guest="engine", **more):
    """The case of an I/O of that name; dio_load's words follow from it."""
    what, size, *words = name.split("-")
    what = {"overwrite": "write", "aio": "read aio", "uring": "read uring"}.get(what, what)
    words = [word.replace("q", "depth=") for word in words]
    n = MANY[size] if "depth=32" in words else many[size]
    return Case(f"{name}-{place}", "direct_io", guest,
                {"words": " ".join((what, *words, f"bs={size}")), "n": n, "place": place, **more})


def engine():
    for way, (words, mib) in FOUR_WAYS.items():
        yield Case(way, "one_way", "engine", {"words": words, "n": mib})
    for place in ("bdev", "raw", *FILE_SYSTEMS):
        split = ("read-64k-split", "read-1m-split") if place == "bdev" else ()
        for name in (*IOS, *split):
            yield direct_io(name, place, MANY)
    for place, n in product(FILE_SYSTEMS[:3], (2, 4, 8)):
        yield Case(f"readers-{n}-{place}", "direct_io", "engine", {
            "words": f"read readers={n} bs=4k", "n": 1, "place": place, "disk": "50ms"}, "fixed")


def shared():
    for place, of, what in product(("bdev", "ext4", "xfs", "jfs"), ("one", "own"),
                                   ("read", "write")):
        if (place, of) != ("bdev", "own"):
            words = f"{what} {'own ' * (of == 'own')}cpus=2 bs=4k"
            yield Case(f"{what}-{of}-{place}", "direct_io", "shared",
                       {"words": words, "n": 200, "place": place}, "lines")


def real():
    """A file is made once for all disks."""
    for guest, place, disk in product(("distro", "real"), ("bdev", "ext4", "xfs", "jfs"),
                                      ("100us", "sdebug", "atonce")):
        for name in LATE_IOS[:4] if disk == "sdebug" else LATE_IOS:
            case = direct_io(name, place, FEW, guest, disk=disk, parts=7)
            yield case._replace(name=f"{case.name}-{disk}" + "-distro" * (guest == "distro"),
                                time="busy")


def stacks():
    """ext4 is of iomap, jfs of fs/direct-io.c."""
    for stack, fs in product(STACKS, ("ext4", "jfs")):
        yield Case(f"stack-{fs}-{stack}", "stacks",
                   "integrity" if stack == "integrity" else "stacks", {"stack": stack, "fs": fs})


# What ra_load is told
RUNS = {
    **{f"run-{size}-by-{bs}": f"run len={size} bs={bs} n=400"
       for size, bs in (("16k", "4k"), ("16k", "16k"), ("64k", "4k"), ("64k", "16k"),
                        ("128k", "4k"), ("256k", "4k"))},
    "run-64k-behind-looks": "run look len=64k bs=4k n=400",
    "random-4k": "random bs=4k n=2000",
    **{f"seq-{bs}": f"seq bs={bs} n={n}"
       for bs, n in (("4k", 16384), ("16k", 4096), ("128k", 512), ("1m", 64))},
    **{f"streams-{k}": f"streams k={k} bs=4k n={16384 // k}" for k in (2, 8, 64)},
    "mmap-seq": "mmap-seq n=16384",
    "mmap-seq-advised": "mmap-seq advise=sequential n=16384",
    "mmap-random": "mmap-random n=2000",
    **{f"mmap-run-{size}": f"mmap-run len={size} n=400" for size in ("16k", "64k")},
    "lowmem-64": "streams separate k=64 bs=4k n=256",
}
TESTS = {
    "iozone-sequential": "read bs=128k n=2048",
    "iozone-reread": "read bs=128k n=2048",
    "iozone-pread": "seq bs=128k n=2048",
    "iozone-reverse": "reverse bs=128k n=2048",
    "iozone-stride": "stride len=2176k bs=128k n=2048",
    "iozone-random": "blocks once bs=128k n=2048",
    "iozone-mix": "blocks once writes=50 bs=128k n=2048",
    "sysbench": "blocks writes=40 fsync=100 bs=16k n=10000",
    "dss": "mix separate len=128k bs=4k n=400",
}


def readahead():
    for suffix, kb, disk in (("", 128, "200us"), ("-kb512", 512, "200us"),
                             ("-kb4096", 4096, "200us"), ("-kb8192", 8192, "200us"),
                             ("-hdd", 128, "2004")):
        for name, words in RUNS.items():
            args = {"words": words, "disk": disk, "kb": kb}
            if name == "lowmem-64":
                args |= {"memory": "16m", "more": ("pages_unread",)}
            if kb != 8192 or name.startswith("run-"):
                yield Case(name + suffix, "readahead", "readahead", args,
                           "disk" if disk == "2004" else "fixed")
    for place, (name, words) in product(("bdev", "ext4", "xfs", "ext2", "hdd"), TESTS.items()):
        args = {"words": words + " size=256m", "report": "field-2", "memory": "16m",
                "more": ("mb_per_s",), "again": name == "iozone-reread"}
        args |= {"disk": "2004"} if place == "hdd" else {"place": place}
        if name == "sysbench":      # Short of memory a round has one of two lengths.
            args |= {"rounds": 3, "more": ("mb_per_s", "seconds")}
        yield Case(f"{name}-{place}", "readahead", "readahead", args,
                   "disk" if place == "hdd" else "fixed")


def programs():
    """Page cache in percent of the data"""
    for disk, fs, percents in (("array", "ext4", (50, 90, 110)), ("array", "xfs", (50, 90, 110)),
                               ("nvme", "ext4", (50, 110)), ("hdd", "ext4", (50, 110))):
        for name, percent in product(PROGRAMS, percents):
            yield Case(f"{name}-{fs}-{disk}-m{percent}", "program", "programs",
                       {"name": name, "fs": fs, "disk": disk, "percent": percent}, "disk")


def arrays():
    whole = {"mib": 16, "reads": 3, "ios": 8000, "rounds": 2, "raid0": True,
             "file_systems": ("ext2", "ext3", "xfs", "jfs")}
    short = {"mib": 4, "ios": 2000, "rounds": 1, "file_systems": ("ext2",)}
    big = {"big_files": [("ext2", "create")]}
    for name, args in (
            ("fc", whole), ("fc-short", short),
            # Each of the 64 disks is too small for a file system of its own.
            ("many", {**whole, "mib": 4, "one_disk": False, "big_files": [
                *product(("ext2", "ext3", "xfs"), ("create", "fill", "over"))]}),
            ("many-short", {**big, "big_mib": 128}),
            ("qla", {**whole, **short, **big, "reads": 1, "file_systems": ("ext2", "jfs"),
                     "big_mib": 64}),
            ("qla-short", {"mib": 4}), ("model", {"mib": 16}), ("model-short", {"mib": 4})):
        yield Case(name, "array", name.removesuffix("-short"), args,
                   "disk" if name.startswith("model") else "cpu")


CASES = {case.name: case for make in (engine, shared, stacks, real, readahead, programs, arrays)
         for case in make()}


def of_guest(*guests):
    return [name for name, case in CASES.items() if case.guest in guests]


# What bench.py takes for several: what fits an hour, without naming an array; what make run
# measures; what figures of make report are made of
GROUPS = {
    "all": [*of_guest("engine", "stacks", "readahead"), "model",
            *(name for name in CASES if name.endswith(("-ext4-array-m50", "-ext4-array-m110")))],
    "real": of_guest("real", "distro"),
    **{guest: of_guest(guest) for guest in ("engine", "shared", "stacks", "readahead", "integrity",
                                            "programs")},
    "short": ["direct", "raw", "buffered", "nocopy",
              *(f"{what}-4k-{place}" for what in ("read", "overwrite")
                for place in ("bdev", "raw", "ext2", "ext4")),
              "run-64k-by-4k", "random-4k", "seq-4k", "iozone-random-bdev", "dss-bdev",
              "run-64k-by-4k-hdd", "fc-short", "many-short", "model-short"],
    "layers": [f"read-{size}-ext2" for size in ("4k", "64k", "1m")],
}
