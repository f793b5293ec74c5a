# SPDX-License-Identifier: GPL-2.0
"""On the host: the programs of bench_programs.py, and what they work on, made once in $O/programs.

All data follows from the base's source and from a seed, so that each run reads the same. root is a
tree of the programs and of all that they load, to be run in memory: while a guest whose clock
counts instructions waits for the host's files, its clock leaps from one timer to the next. Each is
an archive, which a guest reads in one go; it is complete when it has its name.
"""

import contextlib
import glob
import os
import random
import re
import shutil
import subprocess
import sys

VERSION = 5             # of what is made here: what older ones have made is not used
SEED = 1
TREE = ("fs", "mm", "block", "include/linux", "include/uapi")   # of the base, 70 MiB
ROWS = 160000           # of a database, each of some 300 bytes: 48 MiB
# Programs, and what they need besides their libraries
TOOLS = {"sh": (), "cat": (), "tar": (), "grep": (), "sqlite3": (), "mdb_dump": (),
         "db_bench": (), "python3": ("/usr/lib/python3.*/*.py", "/usr/lib/python3.*/encodings",
                     "/usr/lib/python3.*/collections", "/usr/lib/python3.*/importlib",
                     "/usr/lib/python3.*/sqlite3",
                     "/usr/lib/python3.*/lib-dynload", "/usr/lib/python3/dist-packages/lmdb",
                     "/usr/lib/python3/dist-packages/lmdb/cpython*.so")}
BLOBS = 600             # values
BLOB_KIB = (20, 100)
LAYERS, LAYER_MIB = 24, 3                   # of a model
ROCKSDB = ("--num=240000", "--value_size=300", "--compression_type=none", f"--seed={SEED}")


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
        shutil.copytree(f"{source}/{name}", f"{directory}/{name}", symlinks=True,
                        ignore=shutil.ignore_patterns("*.o", "*.a", "*.cmd", "*.ko", "*.mod*"))


def lmdb(directory, pairs):
    """A mapped database of keys and values. Debian packages the library for its own Python."""
    script = ("import lmdb, sys\n"
              "with lmdb.open(sys.argv[1], map_size=1 << 30) as env, env.begin(write=True) as txn:\n"
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
    files = []
    for name, more in TOOLS.items():
        path = shutil.which(name, path="/usr/bin")
        if not path:
            sys.exit(f"bench: {name} is missing: tools/lab/packages.sh programs")
        files += [path, *(found for pattern in more for found in glob.glob(pattern))]
    files = dict.fromkeys(one for file in files for one in (file, *loaded(file)))
    subprocess.run(f"tar -C / --exclude=__pycache__ -chPT - | tar -C '{directory}' -x", shell=True,
                   check=True, input="\n".join(files), text=True)
    os.symlink("usr/bin", f"{directory}/bin")
    for name in ("data", "dev", "proc", "tmp"):
        os.mkdir(f"{directory}/{name}")
    os.chmod(f"{directory}/tmp", 0o1777)


# What makes a directory's data: tables in the order of their numbers, with an index of keys and with
# holes, as one that is used, or of values that lie in pages of their own; keys in no order, compacted,
# or in files that are still to be.
MAKERS = {
    "root": root, "tree": tree, "model": model,
    "sqlite": lambda to, _: sqlite(to, ("k text", "v text"), rows(),
                                   "create index by_key on t (k)", "delete from t where id % 5 = 0"),
    "blobs": lambda to, _: sqlite(to, ("v blob",), blobs()),
    "lmdb": lambda to, _: lmdb(to, ((key, value) for _, key, value in rows())),
    "mapped-blobs": lambda to, _: lmdb(to, ((row, value.hex()) for row, value in blobs(512))),
    "rocksdb": lambda to, _: rocksdb(to, "--benchmarks=fillrandom,compact"),
    "levels": lambda to, _: rocksdb(to, "--benchmarks=fillrandom", "--disable_auto_compactions",
                                    "--write_buffer_size=8388608"),
}


def archive(out, name):
    return os.path.join(out, "programs", f"{name}-{VERSION}.tar")


def make(out, names, source):
    """What of MAKERS is not there yet"""
    for name in names:
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
