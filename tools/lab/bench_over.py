# SPDX-License-Identifier: GPL-2.0
"""In the guest: file systems that have no disk of their own, over one that is mounted on MOUNTED.

    fuse    bindfs, a file system in user space that hands each request on
    nfs     the kernel's own server with 8 threads, and its client, over the loopback device;
            nfs-32k with rsize=32k

Both sides read ahead: the client for its programs, and the file system below for whom it serves.
"""

import contextlib
import os

from bench_disks import MOUNTED, put, run

OVER = {"fuse": {}, "nfs": {}, "nfs-32k": {"rsize": 32768}}
BELOW = "ext4"          # what they are over
TOP = "/run/bench-over"
NFSD = "/proc/fs/nfsd"
THREADS = 8
SECONDS = 10            # the shortest that it takes: clients may claim what they had before
RPC = "/proc/net/rpc"
# Of include/uapi/linux/nfsd/export.h: INSECURE_PORT, ASYNC, NOSUBTREECHECK, FSID
EXPORT = 0x2 | 0x10 | 0x400 | 0x2000
LATER = 0x7fffffff      # when what the server is told here ends


def export(path):
    """Answer what the server would ask mountd: who the client is, which directory has number 0,
    and how it may be used."""
    for cache, line in (("auth.unix.ip", f"nfsd 127.0.0.1 {LATER} lab"),
                        ("nfsd.fh", f"lab 1 \\x00000000 {LATER} {path}"),
                        ("nfsd.export", f"lab {path} {LATER} {EXPORT} 65534 65534 0")):
        with open(f"{RPC}/{cache}/channel", "w", encoding="ascii") as f:
            f.write(line + "\n")


def nfs(rsize=0):
    if not os.path.ismount(NFSD):
        run("mount", "-t", "nfsd", "none", NFSD)
    put(SECONDS, f"{NFSD}/nfsv4gracetime")
    put(SECONDS, f"{NFSD}/nfsv4leasetime")
    put("-3 +4\n", f"{NFSD}/versions")    # others are announced to rpcbind
    put("tcp 2049\n", f"{NFSD}/portlist")
    put(THREADS, f"{NFSD}/threads")
    export(MOUNTED)
    options = "vers=4.1,addr=127.0.0.1,clientaddr=127.0.0.1,noatime"
    # -i: without its helper, which wants daemons
    run("mount", "-i", "-t", "nfs4", "-o", options + (f",rsize={rsize}" if rsize else ""),
        "127.0.0.1:/", TOP)


def fuse():
    run("bindfs", MOUNTED, TOP)


def read_ahead_of(path):
    """Where the file system of a path has its largest window"""
    device = os.stat(path).st_dev
    return f"/sys/class/bdi/{os.major(device)}:{os.minor(device)}/read_ahead_kb"


@contextlib.contextmanager
def over(place):
    """The directory of such a file system, None if place is none. What it holds is gone behind."""
    if place not in OVER:
        yield None
        return
    os.makedirs(TOP, exist_ok=True)
    {"fuse": fuse, "nfs": nfs}[place.partition("-")[0]](**OVER[place])
    try:
        yield TOP
    finally:
        run("umount", TOP)
        if place.startswith("nfs"):
            put(0, f"{NFSD}/threads")
