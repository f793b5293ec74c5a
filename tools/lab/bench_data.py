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


def rows(seed=SEED):
    """(number, key, value)"""
    rng = random.Random(seed)
    for row in range(ROWS):
        yield row, key_of(row), rng.randbytes(rng.randint(80, 200)).hex()


def sqlite(directory, _source):
    """A table in the order of its numbers, and an index of keys"""
    import sqlite3      # not in the guest, which has the constants from here
    with contextlib.closing(sqlite3.connect(f"{directory}/db")) as db:
        db.execute("create table t (id integer primary key, k text, v text)")
        db.executemany("insert into t values (?, ?, ?)", rows())
        db.execute("create index by_key on t (k)")
        db.commit()
        db.execute("delete from t where id % 5 = 0")     # as in one that is used
        db.commit()


def values(directory, _source):
    """A table whose values lie in pages of their own, one after the other"""
    import sqlite3
    rng = random.Random(SEED)
    with contextlib.closing(sqlite3.connect(f"{directory}/db")) as db:
        db.execute("create table t (id integer primary key, v blob)")
        db.executemany("insert into t values (?, ?)",
                       ((row, rng.randbytes(rng.randint(*BLOB_KIB) << 10))
                        for row in range(BLOBS)))
        db.commit()


def tree(directory, source):
    for name in TREE:
        shutil.copytree(f"{source}/{name}", f"{directory}/{name}", symlinks=True,
                        ignore=shutil.ignore_patterns("*.o", "*.a", "*.cmd", "*.ko", "*.mod*"))


def mapped(directory, pairs):
    """A mapped database of keys and values. Debian packages the library for its own Python."""
    script = ("import lmdb, sys\n"
              "with lmdb.open(sys.argv[1], map_size=1 << 30) as env, env.begin(write=True) as txn:\n"
              "    for line in sys.stdin: txn.put(*line.encode().split())\n")
    subprocess.run(["/usr/bin/python3", "-c", script, directory], check=True,
                   input="".join(f"{key} {value}\n" for key, value in pairs), text=True)
    os.remove(f"{directory}/lock.mdb")


def lmdb(directory, _source):
    mapped(directory, ((key, value) for _, key, value in rows()))


def mapped_values(directory, _source):
    """Each value lies in pages of its own, one after the other, as pictures do to learn from."""
    rng = random.Random(SEED)
    mapped(directory, ((row, rng.randbytes(rng.randint(*BLOB_KIB) << 9).hex())
                       for row in range(BLOBS)))


def db_bench(directory, *words):
    subprocess.run(["db_bench", f"--db={directory}", *ROCKSDB, *words], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def rocksdb(directory, _source):
    """As many keys in no order, then compacted"""
    db_bench(directory, "--benchmarks=fillrandom,compact")


def levels(directory, _source):
    """The same, in files that are still to be compacted"""
    db_bench(directory, "--benchmarks=fillrandom", "--disable_auto_compactions",
             "--write_buffer_size=8388608")


def model(directory, _source):
    rng = random.Random(SEED)
    with open(f"{directory}/model", "wb") as f:
        for _ in range(LAYERS):
            f.write(rng.randbytes(LAYER_MIB << 20))


def copied(path, directory):
    """A file or a directory at its place below another; what a link leads to takes the link's"""
    to = directory + path
    if os.path.isdir(path):
        shutil.copytree(path, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    elif not os.path.exists(to):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy2(path, to)


def loaded(program):
    """The libraries of a program, and what loads them"""
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.DEVNULL).stdout
    return re.findall(r"(?:=> |^\s)(/\S+) \(", said, re.MULTILINE)


def root(directory, _source):
    for name, more in TOOLS.items():
        path = shutil.which(name, path="/usr/bin")
        if not path:
            raise FileNotFoundError(f"{name} is missing: tools/lab/packages.sh programs")
        for each in (path, *(found for pattern in more for found in glob.glob(pattern))):
            for part in (each, *loaded(each)):
                copied(part, directory)
    os.symlink("usr/bin", f"{directory}/bin")
    for name in ("data", "dev", "proc", "tmp"):
        os.mkdir(f"{directory}/{name}")
    os.chmod(f"{directory}/tmp", 0o1777)


MAKERS = {"root": root, "sqlite": sqlite, "tree": tree, "lmdb": lmdb,
          "rocksdb": rocksdb, "levels": levels, "model": model, "blobs": values,
          "mapped-blobs": mapped_values}


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
