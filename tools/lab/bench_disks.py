# SPDX-License-Identifier: GPL-2.0
"""In the guest: figures, programs, and the disks that bench cases share."""

import atexit
import contextlib
import fcntl
import functools
import glob
import json
import os
import signal
import subprocess
import sys
import time

OUT = os.environ.get("O", os.getcwd())
BIN = os.path.join(OUT, "kselftest")
BLKFLSBUF = 0x1261
NULLB = "/sys/kernel/config/nullb"
MOUNTED = "/run/bench"
CGROUPS = "/run/bench-cgroup"
DISK_MIB = 384          # of the disk under the files
DRIVER = "/sys/bus/pseudo/drivers/scsi_debug"
# What makes a disk. Those of null_blk (but for memory_backed) and of scsi_debug neither keep nor
# copy data; they end a request within its submission, or by a timer. Left alone null_blk would cut
# requests at 255 sectors, and so count a window of 128 KiB twice.
DISKS = {
    "atonce": f"null_blk size={DISK_MIB} irqmode=0",
    "memory": f"null_blk size={DISK_MIB} irqmode=0 memory_backed=1",
    "100us": f"null_blk size={DISK_MIB} irqmode=2 completion_nsec=100000",
    "200us": "null_blk size=65536 irqmode=2 completion_nsec=200000 max_sectors=2560",
    "50ms": "dm-delay of 50 ms",        # what is on memory
    "sdebug": "scsi_debug num_tgts=1 virtual_gb=1 ndelay=100000",
    **{name: f"model_disk {words}" for name, words in (
        ("2004", "u320 size=64g"), ("hdd", "u320 size=8g"), ("array", "array size=1g"),
        ("nvme", "nvme size=1g"))},
}
# The unit of a metric, and what that counts
METRICS = {
    "insn": ("insn", "instructions an I/O"), "insn_per_mib": ("insn/MiB", "instructions a MiB"),
    "bios": ("bios", "bios an I/O"), "bios_per_mib": ("bios/MiB", "bios a MiB"),
    "switches": ("switches", "context switches an I/O"),
    "late_us": ("us", "time of an I/O on disks of 100 us"), "latency_us": ("us", "mean latency"),
    "elapsed": ("us", "time"), "time": ("us", "time a MiB"), "seconds": ("s", "time"),
    "mb_per_s": ("MiB/s", "throughput"), "gain": ("", "speed of direct to buffered"),
    "per_s": ("I/O/s", "I/Os a second"), "ios_per_s": ("I/O/s", "I/Os a second"),
    "io_kib": ("KiB", "length of an I/O"), "bio_kib": ("KiB", "length of a bio"),
    "device_reads": ("reads", "disk reads"), "device_reads_per_run": ("reads", "disk reads a run"),
    "device_reads_per_mib": ("reads", "disk reads a MiB"), "mib_read": ("MiB", "read of the disk"),
    "bytes_read_per_used": ("ratio", "bytes read for one used"),
    "pages_unread": ("pages", "pages read in vain"), "refaults": ("pages", "pages that came back"),
    "memory_stall": ("us", "waiting for memory"), "io_stall": ("us", "waiting for the disk"),
    "entries": ("entries", "ring entries a MiB"),
    "descriptors": ("descriptors", "descriptors a MiB"),
    "cleared": ("bytes/I/O", "bytes cleared an I/O"),
}


class Failed(Exception):
    """A step failed: which, and how."""


def emit(case, report, command, values, name=None, **more):
    """A line for each figure of {metric: what was taken once, or a list}"""
    for metric, taken in values.items():
        taken = taken if isinstance(taken, list) else [taken]
        print(json.dumps({
            "report": report, "case": name or case.name, "metric": metric,
            "unit": METRICS[metric][0], "values": [round(value, 4) for value in taken],
            "time": case.time, "base": os.uname().release, "command": command, **more}),
            flush=True)


def run(*command, **more):
    """What a program printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise Failed(f"{' '.join(command)}: exit {done.returncode}")
    return done.stdout


def tool(words, *files, **more):
    """What one of the selftests' programs printed."""
    name, *words = words.split()
    return run(os.path.join(BIN, name), *words, *files, **more)


def put(value, path):
    with open(path, "w", encoding="ascii") as f:
        f.write(str(value))


def get(path):
    with open(path, encoding="ascii") as f:
        return f.read().strip()


def queue(disk, name):
    """Where an attribute of a disk's queue is"""
    return f"/sys/class/block/{os.path.basename(disk)}/queue/{name}"


def disk_stat(disk):
    """Reads, those merged, sectors, time; the same of writes; and more, so far"""
    return [int(word) for word in get(f"/sys/class/block/{os.path.basename(disk)}/stat").split()]


@contextlib.contextmanager
def counted(disk):
    """A list, in which disk_stat() of what was done within is put at the end"""
    before, done = disk_stat(disk), []
    yield done
    done += (a - b for a, b in zip(disk_stat(disk), before))


def until(condition, what):
    """Wait ten seconds at most."""
    for _ in range(100):
        if condition():
            return
        time.sleep(0.1)
    raise Failed(f"waited for {what}")


def flush(disks):
    """Forget what is cached of block devices."""
    for disk in disks:
        fd = os.open(disk, os.O_RDONLY)
        fcntl.ioctl(fd, BLKFLSBUF)
        os.close(fd)


@contextlib.contextmanager
def little_memory(size):
    """What a process calls to have no more memory than this, if anything. Each case has a cgroup of
    its own: what others leave charged there changes its figures. Dirty pages are limited as on a
    machine with as much."""
    if not size:
        yield lambda: None
        return
    if not os.path.ismount(CGROUPS):
        os.makedirs(CGROUPS)
        run("mount", "-t", "cgroup2", "none", CGROUPS)
        put("+memory", f"{CGROUPS}/cgroup.subtree_control")
    os.mkdir(f"{CGROUPS}/little")
    put(size, f"{CGROUPS}/little/memory.max")
    limit = int(get(f"{CGROUPS}/little/memory.max"))
    put(limit // 5, "/proc/sys/vm/dirty_bytes")
    put(limit // 10, "/proc/sys/vm/dirty_background_bytes")
    yield lambda: put(os.getpid(), f"{CGROUPS}/little/cgroup.procs")
    os.rmdir(f"{CGROUPS}/little")


@functools.cache
def null_disk(name, *settings):
    """A null_blk disk of blk-mq; its node. It is made once."""
    if not os.path.ismount("/sys/kernel/config"):
        run("mount", "-t", "configfs", "none", "/sys/kernel/config")
    os.mkdir(f"{NULLB}/{name}")
    for setting in (*settings, "queue_mode=2", f"submit_queues={os.cpu_count()}", "power=1"):
        key, _, value = setting.partition("=")
        put(value, f"{NULLB}/{name}/{key}")
    node = f"/dev/{name}"
    return node if os.path.exists(node) else f"/dev/nullb{get(f'{NULLB}/{name}/index')}"


@functools.cache
def scsi_debug_disks(*settings):
    """Eight disks that copy nothing, and end a request within its submission, or others if asked
    for. They are made once."""
    told = dict(setting.split("=") for setting in
                ("fake_rw=1", "num_tgts=8", "delay=0", *settings, "add_host=1"))
    for key, value in told.items():
        put(value, f"{DRIVER}/{key}")

    def found():
        return sorted(f"/dev/{os.path.basename(disk)}" for disk in
                      glob.glob(f"{DRIVER}/adapter*/host*/target*/*/block/*"))

    until(lambda: len(found()) == int(told["num_tgts"]), f"{told['num_tgts']} scsi_debug disks")
    return found()


def model_disk(*words):
    """A disk that takes a disk's time; its node. It goes when this program does."""
    put(1, "/proc/sys/vm/overcommit_memory")    # it is larger than memory, and hardly written
    model = subprocess.Popen([os.path.join(BIN, "model_disk"), *words, "n=1"],
                             stdout=subprocess.PIPE, text=True)
    atexit.register(lambda: (model.send_signal(signal.SIGTERM), model.wait()))
    node = model.stdout.readline().strip()
    if not node:
        raise Failed(f"model_disk {' '.join(words)}: exit {model.wait()}")
    return node


@functools.cache
def disk_of(name):
    """The node of one of DISKS, or a device-mapper target. It is made once."""
    driver, *words = DISKS[name].split()
    if driver == "dm-delay":
        return f"delay {disk_of('memory')} 0 50 {disk_of('memory')} 0 0"
    if driver == "null_blk":
        return null_disk(name, *words)
    return scsi_debug_disks(*words)[0] if driver == "scsi_debug" else model_disk(*words)


def raws_of(disks):
    """Raw devices bound to the disks, from raw101 on; None if this kernel has no such thing."""
    if not os.path.exists("/dev/raw/rawctl"):
        return None
    for n, disk in enumerate(disks, 101):
        tool("raw", f"raw{n}", disk)
    return [f"/dev/raw/raw{n}" for n in range(101, 101 + len(disks))]


def unbind(raws):
    for raw in raws or ():
        tool("raw", os.path.basename(raw), "0", "0")


MKFS = {**{fs: f"mke2fs -q -F -t {fs} -b 4096" for fs in ("ext2", "ext3", "ext4")},
        "jfs": "mkfs.jfs -q", "xfs": "mkfs.xfs -q -f", "vfat": "mkfs.vfat -F 16 -s 64",
        "udf": "mkudffs --media-type=hd",       # get_block maps one block of 512 bytes at a time
        "ocfs2": "mkfs.ocfs2 -q -F -M local -b 4K -C 4K -N 1 -J size=4M"}
# ext4: its thread that clears inode tables would have the disk to itself for a second. 7.3's ocfs2
# wants to be told that it has no cluster.
OPTIONS = {"ext4": "noatime,noinit_itable", "ocfs2": "noatime,heartbeat=none"}


def make_fs(fs, disk, at=MOUNTED):
    """A new file system, mounted."""
    run(*MKFS[fs].split(), disk, stderr=subprocess.DEVNULL)
    mount(fs, disk, at)


def mount(fs, disk, at=MOUNTED):
    os.makedirs(at, exist_ok=True)
    # -i: without its helper, which looks for ocfs2's cluster
    run("mount", "-i", "-t", fs, "-o", OPTIONS.get(fs, "noatime"), disk, at)


def unmount(at=MOUNTED):
    """Who used the file system may hold it for a while."""
    if os.path.ismount(at):
        until(lambda: subprocess.run(["umount", at], stderr=subprocess.DEVNULL,
                                     check=False).returncode == 0, f"umount {at}")


def zeros(path, mib):
    run("dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct", "status=none")


def new_file(mib, at=MOUNTED, name="file"):
    """A file of MIB, whose mapping is cached"""
    path = f"{at}/{name}"
    zeros(path, mib)
    os.sync()
    run("dd", f"if={path}", "of=/dev/null", "bs=4k", "iflag=direct", "status=none")
    return path


def bitmaps_in_memory(disk):
    """What says which blocks of an ext2 to ext4 are free is read."""
    subprocess.run(["dumpe2fs", disk], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)


def dm(*words):
    return run("dmsetup", *words, "--noudevrules", "--noudevsync").strip()


class Switch:
    """A device-mapper disk of one target, or of a disk; that can be replaced while it is in use."""

    def __init__(self, name, target, mib=DISK_MIB):
        self.name, self.mib = name, mib
        dm("create", name, "--table", self.table(target))
        self.disk = "/dev/" + dm("info", "-c", "--noheadings", "-o", "blkdevname", name)

    def table(self, target):
        target = f"linear {target} 0" if target.startswith("/dev/") else target
        return f"0 {self.mib * 2048} {target}"

    def to(self, target):
        dm("suspend", "--nolockfs", self.name)
        dm("reload", self.name, "--table", self.table(target))
        dm("resume", self.name)

    def remove(self):
        dm("remove", "--retry", self.name)


class Switched(Switch):
    """It keeps data while a file is made on it. When all that maps the file's blocks is cached,
    another disk is put in the place of the one in memory: at first one that answers at once."""

    def __init__(self):
        super().__init__("bench", disk_of("atonce"))
        self.holds = self.path = self.fd = None

    def path_at(self, place, mib=32, anew=False, own=False):
        """What is to be read: the disk, a raw device (None if there is none), or a file of MIB on a
        file system, own: with one more for each CPU (file0, file1). Of each the first page alone is
        in the page cache, whatever ran before."""
        if anew or own or self.holds != (place, mib):
            if self.fd is not None:
                os.close(self.fd)
            unmount()
            self.holds = (place, mib)
            if place in ("bdev", "raw"):
                flush([self.disk])
                self.path = self.disk if place == "bdev" else (raws_of([self.disk]) or [None])[0]
            else:
                self.to(disk_of("memory"))
                make_fs(place, self.disk)
                self.path = new_file(mib)
                for cpu in range(os.cpu_count() if own else 0):
                    new_file(mib, name=f"file{cpu}")
                self.to(disk_of("atonce"))
            # What is cached of a disk goes with the last who closes it. No readahead.
            self.fd = os.open(self.disk if place == "raw" else self.path, os.O_RDONLY)
            os.posix_fadvise(self.fd, 0, 0, os.POSIX_FADV_RANDOM)
        os.pread(self.fd, 4096, 0)
        return self.path


switched = functools.cache(Switched)
