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
import tempfile

VERSION = 3             # of what is made here: what older ones have made is not used
SEED = 1
TREE = ("fs", "mm", "block", "include/linux", "include/uapi")   # of the base, 70 MiB
ROWS = 160000           # of a database, each of some 300 bytes: 48 MiB
COMMITS = 30
# Programs, and what they need besides their libraries
TOOLS = {"sh": (), "cat": (), "tar": (), "grep": (), "sqlite3": (), "mdb_dump": (),
         "db_bench": (), "git": ("/usr/share/git-core", "/usr/bin/git-upload-pack"),
         "python3": ("/usr/lib/python3.*/*.py", "/usr/lib/python3.*/encodings",
                     "/usr/lib/python3.*/collections", "/usr/lib/python3.*/importlib",
                     "/usr/lib/python3.*/sqlite3",
                     "/usr/lib/python3.*/lib-dynload", "/usr/lib/python3/dist-packages/lmdb",
                     "/usr/lib/python3/dist-packages/lmdb/cpython*.so")}
POSTGRES = "/usr/lib/postgresql/*"
POSTGRES_PARTS = ("bin/postgres", "bin/pg_ctl", "bin/psql", "lib/plpgsql.so")
SERVER = {"unix_socket_directories": "'/tmp'", "listen_addresses": "''", "shared_buffers": "16MB",
          "dynamic_shared_memory_type": "sysv", "jit": "off", "autovacuum": "off",
          "wal_level": "minimal", "max_wal_senders": "0", "min_wal_size": "2MB",
          "timezone": "'GMT'", "log_timezone": "'GMT'"}
NOBODY = 65534          # PostgreSQL refuses root
BLOBS = 600             # values
SIZES = {"blobs": lambda rng: rng.randint(20, 100), "chunks": lambda _: 64}     # theirs, in KiB
EVENTS, BURST, DEVICES = 180000, 160, 100   # rows of 220 bytes, so many of a device in a row
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
        db.execute("delete from t where id % 5 = 0")     # for VACUUM to have something to do
        db.commit()


def values(directory, kib):
    """A table whose values lie in pages of their own, one after the other; KIB tells their sizes."""
    import sqlite3
    rng = random.Random(SEED)
    with contextlib.closing(sqlite3.connect(f"{directory}/db")) as db:
        db.execute("create table t (id integer primary key, v blob)")
        db.executemany("insert into t values (?, ?)",
                       ((row, rng.randbytes(kib(rng) << 10)) for row in range(BLOBS)))
        db.commit()


def blobs(directory, _source):
    values(directory, SIZES["blobs"])


def chunks(directory, _source):
    values(directory, SIZES["chunks"])


def newest_postgres():
    found = sorted(glob.glob(POSTGRES), key=lambda path: [int(n) for n in re.findall(r"\d+", path)])
    if not found:
        raise FileNotFoundError("PostgreSQL is missing: tools/lab/packages.sh programs")
    return found[-1]


def as_nobody(directory):
    """Who PostgreSQL's programs are to be, and the directory is theirs. Who is not root stays."""
    if os.geteuid():
        return {}
    os.chown(directory, NOBODY, NOBODY)
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []}


def cluster(directory, fill):
    """What PostgreSQL has its databases in, filled while it runs. It is made where anybody can get to,
    and the path of a socket is short."""
    programs = newest_postgres() + "/bin"
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        where = f"{place}/pg"
        who = {**as_nobody(place), "cwd": place, "check": True, "text": True,
               "stdout": subprocess.DEVNULL,
               "env": {"PGHOST": place, "PGUSER": "lab", "PGDATABASE": "postgres", "LC_ALL": "C"}}
        ctl = [f"{programs}/pg_ctl", "-D", where, "-w", "-s"]
        subprocess.run([f"{programs}/initdb", "-D", where, "-U", "lab", "-E", "UTF8",
                        "--locale=C", "--auth=trust", "--no-sync", "--wal-segsize=1"], **who)
        subprocess.run(["tee", "-a", f"{where}/postgresql.conf"],
                       input="".join(f"{key} = {value}\n" for key, value in SERVER.items()), **who)
        try:
            subprocess.run([*ctl, "-l", f"{place}/log", "-o", f"-k {place} -F -c max_wal_size=4MB",
                            "start"], **who)
            fill(programs, who)
            subprocess.run([*ctl, "stop"], **who)
        except BaseException:
            subprocess.run([*ctl, "-m", "immediate", "stop"], **{**who, "check": False})
            raise
        subprocess.run(["cp", "-a", where, f"{directory}/pg"], check=True)     # owners, too


def psql(programs, who, *statements):
    subprocess.run([f"{programs}/psql", "-q", "-v", "ON_ERROR_STOP=1"],
                   input="".join(f"{one};\n" for one in statements), **who)


def events(directory, _source):
    """Events of devices, which come in bursts"""
    cluster(directory, lambda programs, who: psql(
        programs, who,
        "create table events (id int, device int, payload text)",
        f"insert into events select i, ('x' || substr(md5((i / {BURST})::text), 1, 6))::bit(24)::int "
        f"% {DEVICES}, repeat(md5(i::text), 6) from generate_series(0, {EVENTS - 1}) i",
        "create index on events (device)", "vacuum (freeze, analyze)", "checkpoint"))


def docs(directory, _source):
    """Documents, which lie in pieces of 2 KB beside their table"""
    cluster(directory, lambda programs, who: psql(
        programs, who,
        "create table docs (id int primary key, body text)",
        "alter table docs alter body set storage external",
        f"insert into docs select i, (select string_agg(md5((i * 10000 + j)::text), '') from "
        f"generate_series(1, 640 + i * 7 % 2560) j) from generate_series(0, {BLOBS - 1}) i",
        "vacuum (freeze, analyze)", "checkpoint"))


def tree(directory, source):
    for name in TREE:
        shutil.copytree(f"{source}/{name}", f"{directory}/{name}", symlinks=True,
                        ignore=shutil.ignore_patterns("*.o", "*.a", "*.cmd", "*.ko", "*.mod*"))


def git(directory, *words):
    subprocess.run(["git", "-c", "user.name=lab", "-c", "user.email=lab@localhost", "-C", directory,
                    *words], check=True, stdout=subprocess.DEVNULL)


def repository(directory, source):
    """One pack: the tree, and commits that each change some of its files"""
    work = f"{directory}/work"
    os.mkdir(work)
    git(work, "init", "-q")
    tree(work, source)
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "all of it")
    files = sorted(os.path.join(at, name) for at, _, names in os.walk(f"{work}/fs")
                   for name in names if name.endswith(".c"))
    rng = random.Random(SEED)
    for number in range(COMMITS):
        for path in rng.sample(files, 40):
            with open(path, "a", encoding="utf-8") as f:
                f.write(f"/* change {number}: {rng.randrange(10 ** 9)} */\n")
        git(work, "commit", "-q", "-a", "-m", f"change {number}")
    git(directory, "clone", "-q", "--bare", "--no-local", work, f"{directory}/repo.git")
    git(f"{directory}/repo.git", "repack", "-q", "-a", "-d")
    shutil.rmtree(work)


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


def mapped_values(directory, kib):
    """Each value lies in pages of its own, one after the other, as pictures do to learn from."""
    rng = random.Random(SEED)
    mapped(directory, ((row, rng.randbytes(kib(rng) << 9).hex()) for row in range(BLOBS)))


def mapped_blobs(directory, _source):
    mapped_values(directory, SIZES["blobs"])


def mapped_chunks(directory, _source):
    mapped_values(directory, SIZES["chunks"])


def rocksdb(directory, _source):
    """As many keys in no order, then compacted"""
    subprocess.run(["db_bench", f"--db={directory}", *ROCKSDB, "--benchmarks=fillrandom,compact"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


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
    server = newest_postgres()
    for part in (f"{server}/{name}" for name in POSTGRES_PARTS):
        for each in (part, *loaded(part)):
            copied(each, directory)
        if "/bin/" in part:
            os.symlink(part, f"{directory}/usr/bin/{os.path.basename(part)}")
    copied("/usr/share/postgresql/" + os.path.basename(server), directory)
    os.symlink("usr/bin", f"{directory}/bin")
    for name in ("data", "dev", "proc", "tmp"):
        os.mkdir(f"{directory}/{name}")
    os.chmod(f"{directory}/tmp", 0o1777)


MAKERS = {"root": root, "sqlite": sqlite, "tree": tree, "git": repository, "lmdb": lmdb,
          "rocksdb": rocksdb, "blobs": blobs, "chunks": chunks,
          "mapped-blobs": mapped_blobs, "mapped-chunks": mapped_chunks, "events": events,
          "docs": docs}


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
