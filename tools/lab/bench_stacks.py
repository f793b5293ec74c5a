# SPDX-License-Identifier: GPL-2.0
"""In the guest: direct I/O on a file of a file system on stacked disks.

Below a stack are linear dm disks that keep data while the file system is made; then what they are
on neither keeps nor copies any. Figures of an I/O are, on disks that answer at once, instructions
of all tasks, bios that came to the disks, and context switches; and the time on disks of 100 us.
"""

import contextlib
import os
from glob import glob
from itertools import product

from bench_disks import (BIN, MKFS, MOUNTED, OPTIONS, Switch, bitmaps_in_memory, disk_of,
                         disk_stat, dm, emit, make_fs, new_file, null_disk, run, tool,
                         unmount, until, zeros)

IOS = {"read": "read", "overwrite": "write", "extend": "extend"}
WAYS = {"sync": "", **{f"{way}-q{depth}": f" {way} depth={depth}"
                       for way in ("aio", "uring") for depth in (1, 32)}}
MIB = 64                # of each disk below
STACK_MIB = 48          # of a dm stack
PARTS = 5               # of a run, of which the median counts
TOTAL = PARTS * 64      # I/Os
# Device-mapper's target and what follows it; {A} and {B} are the disks below, {M1} and {M2} such as
# keep data, of which nothing is to be found at their begin.
TARGETS = {
    "linear": "linear {A} 0",
    "stripe": "striped 2 128 {A} 0 {B} 0",
    "crypt": f"crypt aes-xts-plain64 {'11' * 64} 0 {{A}} 0",
    "thin": "thin {pool} 0",
    "snapshot": "snapshot {A} {B} N 16",
    "multipath": "multipath 0 0 1 1 round-robin 0 1 1 {A} 1",
    "dm-raid1": "raid raid1 2 0 nosync 2 {M1} {A} {M2} {B}",
    "integrity": "integrity {A} 0 - D 1 internal_hash:crc32c",
}
POOL = "thin-pool {M1} {A} 128 0 1 skip_block_zeroing"
OUTER = "/run/bench-outer"
MD = f"set +e; cd {BIN}; . ./dio_common.sh; . ./dio_md.sh; dio_on_exit() {{{{ :; }}}}; "
# Of others: the node, and what a shell does to make it, and to undo that. An array stays when the
# shell has ended. bcache (writethrough) has a thousand buckets, of which the driver wants half.
SCRIPTS = {
    "plain": ("{A}", ":", ":"),
    "loop": ("/dev/loop0",
             f"{MKFS['ext4']} {{A}}; mkdir -p {OUTER}; mount -o {OPTIONS['ext4']} {{A}} {OUTER}; "
             f"dd if=/dev/zero of={OUTER}/file bs=1M count=44 oflag=direct status=none; sync; "
             f"dd if={OUTER}/file of=/dev/null bs=4k iflag=direct status=none; "
             f"losetup --direct-io=on /dev/loop0 {OUTER}/file",
             f"losetup -d /dev/loop0; umount {OUTER}"),
    "nbd": ("/dev/nbd0",
            "modprobe -q nbd; qemu-nbd -c /dev/nbd0 -f raw --cache=none {A}",
            "qemu-nbd -d /dev/nbd0"),
    "bcache": ("/dev/bcache0",
               "modprobe -q bcache; make-bcache --bucket 64k -B {A} -C {M1}; for d in {A} {M1}; "
               "do [ -e /sys/class/block/${{d##*/}}/bcache ] || echo $d >/sys/fs/bcache/register; "
               "done",
               "for stop in /sys/block/bcache0/bcache/stop /sys/fs/bcache/*/stop; do "
               "echo 1 >$stop; done"),
    **{level: ("/dev/md125",
               f"{MD}dio_md {level} {disks} || {{{{ echo $DIO_WHY; exit 1; }}}}",
               f"{MD}dio_md_remove")
       for level, disks in (*((level, "{A} {B}") for level in (
           "raid0", "raid1", "raid1-bitmap", "raid10", "raid10-bitmap")),
                            ("raid5", "{A} {B} {C}"))},
}
STACKS = (*SCRIPTS, *TARGETS)


def memory_disk(name):
    return null_disk(f"stack-{name}", f"size={MIB}", "irqmode=0", "memory_backed=1")


class Stack:
    """A stack of that name; its node. What on_exit is told undoes it."""

    def __init__(self, name, on_exit):
        def mapped(name, target, mib=STACK_MIB):
            made = Switch(name, target, mib)
            on_exit(made.remove)
            return made

        self.name, self.lower = name, []
        memory = [memory_disk(letter) for letter in "ABC"]
        self.below = memory[:1]
        # dm-multipath sends requests: what is below must have a queue. dm-integrity reads its tags.
        if name not in ("multipath", "integrity"):
            self.lower = [mapped(f"stack-{n}", disk, MIB) for n, disk in enumerate(memory)]
            self.below = memory = [one.disk for one in self.lower]
        names = dict(zip("ABC", memory)) | {meta: memory_disk(meta) for meta in ("M1", "M2")}
        for disk in names.values():
            zeros(disk, 1)
        if name in SCRIPTS:
            self.node, make, undo = (words.format(**names) for words in SCRIPTS[name])
            on_exit(until, lambda: not glob("/sys/fs/bcache/*/stop"), "bcache's end")
            on_exit(run, "sh", "-ec", undo)
            run("sh", "-ec", make)
            until(lambda: os.path.exists(self.node), self.node)
            return
        if name == "thin":
            names["pool"] = mapped("bench-pool", POOL.format(**names)).disk
            dm("message", "bench-pool", "0", "create_thin 0")
        self.top = mapped("bench-stack", TARGETS[name].format(**names))
        self.node = self.top.disk
        if name == "integrity":     # what was never written has no tag
            zeros(self.node, STACK_MIB)

    def put_on(self, disk):
        """Have DISK below in the place of what keeps data."""
        for one in self.lower:
            one.to(disk)
        if self.name == "multipath":
            self.below = [disk]
            self.top.to(TARGETS[self.name].format(A=disk))

    def bios(self):
        """That came to the disks below, so far"""
        return sum(disk_stat(disk)[i] for disk in self.below for i in (0, 1, 4, 5))


def stacks(case, _passes, stack, fs):
    with contextlib.ExitStack() as exits:
        made = Stack(stack, exits.callback)
        make_fs(fs, made.node)
        exits.callback(unmount)
        paths = dict.fromkeys(IOS, new_file(16)) | {"extend": f"{MOUNTED}/new"}
        # What says which blocks are free is to be in memory, too.
        tool(f"dio_load extend bs=4k n={TOTAL}", paths["extend"])
        bitmaps_in_memory(made.node)
        os.sync()
        for disk in ("memory",) if stack == "integrity" else ("atonce", "100us"):
            if disk != "memory":
                made.put_on(disk_of(disk))
            for io, way in product(IOS, WAYS):
                words, before = f"{IOS[io]}{WAYS[way]} bs=4k", made.bios()
                said = tool(f"dio_load {words} marks={PARTS} n={TOTAL}", paths[io])
                nsec, switches = map(float, said.split())
                figures = {"insn": nsec, "switches": switches,
                           "bios": round((made.bios() - before) / TOTAL, 1)}
                more = {}
                if disk == "100us":
                    figures, more = {"late_us": nsec / 1000}, {"time": "fixed"}
                emit(case, "stacks", f"dio_load {words} ({disk}, {stack}, {fs})", figures,
                     f"{io}-{way}-{fs}-{stack}", **more)
