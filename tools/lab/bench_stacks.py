# SPDX-License-Identifier: GPL-2.0
"""In the guest: direct I/O on a file of a file system on stacked disks.

Below a stack are linear dm disks that keep data while the file system is made; then what they are
on neither keeps nor copies any (bench_disks.Switch). On disks that answer at once the clock counts
the instructions of all tasks. Figures of an I/O are these; bios that came to the disks; context
switches of all tasks; and the time on disks of 100 us.
"""

import os
import subprocess
from glob import glob

from bench_cases import STACK_IOS, STACK_WAYS
from bench_disks import (BIN, MOUNTED, Switch, disk_stat, dm, dm_node, emit, late_disk, make_fs,
                         new_file, null_disk, put, run, tool, unmount, until)

MIB = 64                # of each disk below
SECTORS = 48 * 2048     # of a dm stack
OUTER = "/run/bench-outer"
PARTS, QUEUES = 5, 2    # parts of a run, of which the median counts; I/Os of a part: 32 times that
KEY = "11" * 64
# The target and what follows it; A and B are the disks below, M1 and M2 such as keep data.
TARGETS = {
    "linear": "linear A 0",
    "stripe": "striped 2 128 A 0 B 0",
    "crypt": f"crypt aes-xts-plain64 {KEY} 0 A 0",
    "snapshot": "snapshot A B N 16",
    "integrity": "integrity A 0 - D 1 internal_hash:crc32c",
    "multipath": "multipath 0 0 1 1 round-robin 0 1 1 A 1",
    "thin": "thin A 0",
    "dm-raid1": "raid raid1 2 0 nosync 2 M1 A M2 B",
}
NBD, BCACHE = "/dev/nbd0", "/dev/bcache0"


def memory_disk(name):
    return null_disk(f"stack-{name}", size=MIB, irqmode=0, queue_mode=2, memory_backed=1)


def md(*words):
    """A function of the selftests' dio_md.sh; its array stays when the shell has ended."""
    run("sh", "-c", f"cd {BIN} && . ./dio_common.sh && . ./dio_md.sh && dio_on_exit() {{ :; }} && "
        f"{' '.join(words)} || {{ echo \"$DIO_WHY\"; exit 1; }}")


def zeroed(disk):
    """DISK, with nothing to be found at its begin"""
    run("dd", "if=/dev/zero", f"of={disk}", "bs=1M", "count=1", "oflag=direct", "status=none")
    return disk


def meta_disk(name="M1"):
    """A disk for metadata, which are kept"""
    return zeroed(memory_disk(name))


def bcache(disk):
    """DISK with a cache (writethrough)"""
    run("modprobe", "-q", "bcache")
    cache = meta_disk()
    # a thousand buckets, of which the driver wants half
    run("make-bcache", "--bucket", "64k", "-B", zeroed(disk), "-C", cache)
    for one in (disk, cache):
        if not os.path.exists(f"/sys/class/block/{os.path.basename(one)}/bcache"):
            put(one, "/sys/fs/bcache/register")
    until(lambda: os.path.exists(BCACHE), BCACHE)
    return BCACHE


def bcache_remove():
    for stop in (f"/sys/block/{os.path.basename(BCACHE)}/bcache/stop",
                 *glob("/sys/fs/bcache/*/stop")):
        put(1, stop)
    until(lambda: not os.path.exists(BCACHE) and not glob("/sys/fs/bcache/*/stop"), "bcache's end")


def pool(disk):
    """A pool of thin volumes with one volume; its node"""
    dm("create", "bench-pool", "--table",
       f"0 {SECTORS} thin-pool {meta_disk()} {disk} 128 0 1 skip_block_zeroing")
    dm("message", "bench-pool", "0", "create_thin 0")
    return dm_node("bench-pool")


class Stack:
    """A stack of that name, as long as it is needed; its node"""

    def __init__(self, name, fs):
        self.name, self.fs, self.lower = name, fs, []

    def __enter__(self):
        count = 3 if self.name == "raid5" else 2
        self.memory = [memory_disk(n) for n in range(count)]
        # dm-multipath sends requests: what is below must have a queue. dm-integrity reads its tags.
        if self.name not in ("multipath", "integrity"):
            self.lower = [Switch(f"stack-{n}", disk, MIB) for n, disk in enumerate(self.memory)]
        self.node = self.make([one.disk for one in self.lower] or self.memory)
        make_fs(self.fs, self.node)
        return self

    def make(self, disks):
        if self.name == "plain":
            return disks[0]
        if self.name.startswith("raid"):
            md("dio_md", self.name, *disks)
            return "/dev/md125"
        if self.name == "loop":
            make_fs("ext4", disks[0], OUTER)
            return run("losetup", "--direct-io=on", "-f", "--show", new_file(44, OUTER)).strip()
        if self.name == "nbd":
            run("modprobe", "-q", "nbd")
            run("qemu-nbd", "-c", NBD, "-f", "raw", "--cache=none", disks[0])
            return NBD
        if self.name == "bcache":
            return bcache(disks[0])
        if self.name == "thin":
            disks = [pool(disks[0])]
        dm("create", "bench-stack", "--table", self.table(disks))
        node = dm_node("bench-stack")
        if self.name == "integrity":    # what was never written has no tag
            run("dd", "if=/dev/zero", f"of={node}", "bs=1M", "count=48", "oflag=direct",
                "status=none")
        return node

    def table(self, disks):
        what = {"A": lambda: disks[0], "B": lambda: disks[-1],
                "M1": meta_disk, "M2": lambda: meta_disk("M2")}
        target = " ".join(what[word]() if word in what else word
                          for word in TARGETS[self.name].split())
        return f"0 {SECTORS} {target}"

    def put_on(self, disk):
        """Have DISK below in the place of what keeps data."""
        self.below = [disk]
        for one in self.lower:
            one.to(f"linear {disk} 0")
        if self.name == "multipath":
            dm("suspend", "--nolockfs", "bench-stack")
            dm("reload", "bench-stack", "--table", self.table([disk]))
            dm("resume", "bench-stack")

    def bios(self):
        """That came to the disks below, so far"""
        return sum(disk_stat(disk)[i] for disk in [one.disk for one in self.lower] or self.below
                   for i in (0, 1, 4, 5))

    def __exit__(self, *_):
        unmount()
        if self.name.startswith("raid"):
            md("dio_md_remove")
        if self.name == "loop":
            run("losetup", "-d", self.node)
            unmount(OUTER)
        if self.name == "nbd":
            run("qemu-nbd", "-d", NBD)
        if self.name == "bcache":
            bcache_remove()
        for name in ("bench-stack", "bench-pool", *(one.name for one in self.lower)):
            subprocess.run(["dmsetup", "remove", "--retry", "--noudevrules", "--noudevsync", name],
                           stderr=subprocess.DEVNULL, check=False)


def load(stack, words, path):
    """(nanoseconds, bios, context switches) of an I/O"""
    n = PARTS * QUEUES * 32
    before = stack.bios()
    nsec, switched = tool(f"dio_load {words} bs=4k marks={PARTS} n={n}", path).split()
    return float(nsec), round((stack.bios() - before) / n, 1), float(switched)


def stacks(case, _passes, stack, fs):
    with Stack(stack, fs) as made:
        paths = dict.fromkeys(STACK_IOS, new_file(16)) | {"extend": f"{MOUNTED}/new"}
        # What says which blocks are free is to be in memory, too.
        tool(f"dio_load extend bs=4k n={PARTS * QUEUES * 32}", paths["extend"])
        subprocess.run(["dumpe2fs", made.node], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        os.sync()
        for disk in ("atonce",) if stack == "integrity" else ("atonce", "100us"):
            made.put_on(memory_disk(0) if stack == "integrity" else late_disk(disk))
            for io, what in STACK_IOS.items():
                for way, words in STACK_WAYS.items():
                    told = f"{what} {words}".strip()
                    nsec, bios, switched = load(made, told, paths[io])
                    name = f"{io}-{way}-{fs}-{stack}"
                    command = f"dio_load {told} bs=4k (null_blk, {disk}, {stack}, {fs})"
                    if disk == "atonce":
                        emit(case, "stacks", "insn", "insn", nsec, command, name)
                        emit(case, "stacks", "bios", "bios", bios, command, name)
                        emit(case, "stacks", "switches", "switches", switched, command, name)
                    else:
                        emit(case, "stacks", "late_us", "us", round(nsec / 1000, 2), command, name,
                             time="fixed")
