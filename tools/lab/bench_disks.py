# SPDX-License-Identifier: GPL-2.0
"""In the guest: figures, programs, and the disks that bench cases share."""

import atexit
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
DISK_MIB = 384          # of the disk under the files
DRIVER = "/sys/bus/pseudo/drivers/scsi_debug"
LATE_NS = 100000        # of a disk that completes later


class Failed(Exception):
    """A step failed: which, and how."""


def emit(case, report, metric, unit, values, command, name=None, **more):
    """A figure: its values, or the one that was taken."""
    values = [values] if isinstance(values, (int, float)) else values
    print(json.dumps({
        "report": report, "case": name or case.name, "metric": metric, "unit": unit,
        "values": values, "time": case.time, "base": os.uname().release, "command": command,
        **more}),
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


def disk_stat(disk):
    """Reads, those merged, sectors, time; the same of writes; and more, so far"""
    return [int(word) for word in get(f"/sys/class/block/{os.path.basename(disk)}/stat").split()]


def until(condition, what):
    """Wait ten seconds at most, but try once more when they are over."""
    for _ in range(100):
        if condition():
            return
        time.sleep(0.1)
    if not condition():
        raise Failed(f"waited for {what}")


def flush(disks):
    """Forget what is cached of block devices."""
    for disk in disks:
        fd = os.open(disk, os.O_RDONLY)
        fcntl.ioctl(fd, BLKFLSBUF)
        os.close(fd)


def configfs():
    if not os.path.ismount("/sys/kernel/config"):
        run("mount", "-t", "configfs", "none", "/sys/kernel/config")


@functools.cache
def null_disk(name, **settings):
    """A null_blk disk; its node. It is made once."""
    configfs()
    os.mkdir(f"{NULLB}/{name}")
    for key, value in {**settings, "power": 1}.items():
        put(value, f"{NULLB}/{name}/{key}")
    node = f"/dev/{name}"
    return node if os.path.exists(node) else f"/dev/nullb{get(f'{NULLB}/{name}/index')}"


@functools.cache
def scsi_debug_disks(count=8, **settings):
    """Disks that copy nothing, and end a request within its submission. They are made once."""
    for key, value in {"fake_rw": 1, "num_tgts": count, "delay": 0, **settings,
                       "add_host": 1}.items():
        put(value, f"{DRIVER}/{key}")

    def found():
        return sorted(f"/dev/{os.path.basename(disk)}" for disk in
                      glob.glob(f"{DRIVER}/adapter*/host*/target*/*/block/*"))

    until(lambda: len(found()) == count, f"{count} scsi_debug disks")
    return found()


def late_disk(name):
    """A disk of DISK_MIB that neither keeps nor copies data, and completes in its own time; its
    node."""
    if name == "sdebug":
        return scsi_debug_disks(1, virtual_gb=1, ndelay=LATE_NS)[0]
    if name == "atonce":
        return switched().empty
    return null_disk(name, size=DISK_MIB, queue_mode=2, irqmode=2, completion_nsec=LATE_NS)


@functools.cache
def model_disk(words):
    """A disk that takes a disk's time; its node. It goes when this program does."""
    put(1, "/proc/sys/vm/overcommit_memory")    # it is larger than memory, and hardly written
    model = subprocess.Popen([os.path.join(BIN, "model_disk"), *words.split(), "n=1"],
                             stdout=subprocess.PIPE, text=True)
    atexit.register(lambda: (model.send_signal(signal.SIGTERM), model.wait()))
    node = model.stdout.readline().strip()
    if not node:
        raise Failed(f"model_disk {words}: exit {model.wait()}")
    return node


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


MKFS = {"ext2": "mke2fs -q -F -t ext2 -b 4096", "ext3": "mke2fs -q -F -t ext3 -b 4096",
        "ext4": "mke2fs -q -F -t ext4 -b 4096", "jfs": "mkfs.jfs -q",
        "vfat": "mkfs.vfat -F 16 -s 64", "xfs": "mkfs.xfs -q -f",
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


kept_open = []


def keep_open(path):
    """Until unmount(): what is cached of a disk goes with the last who closes it. No readahead."""
    kept_open.append(os.open(path, os.O_RDONLY))
    os.posix_fadvise(kept_open[0], 0, 0, os.POSIX_FADV_RANDOM)


def unmount(at=MOUNTED):
    """Who used the file system may hold it for a while."""
    while kept_open:
        os.close(kept_open.pop())
    if os.path.ismount(at):
        until(lambda: subprocess.run(["umount", at], stderr=subprocess.DEVNULL,
                                     check=False).returncode == 0, f"umount {at}")


def new_file(mib, at=MOUNTED, name="file"):
    """A file of MIB, whose mapping is cached"""
    path = f"{at}/{name}"
    run("dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct", "status=none")
    os.sync()
    run("dd", f"if={path}", "of=/dev/null", "bs=4k", "iflag=direct", "status=none")
    return path


def dm(*words):
    return run("dmsetup", *words, "--noudevrules", "--noudevsync").strip()


def dm_node(name):
    return "/dev/" + dm("info", "-c", "--noheadings", "-o", "blkdevname", name)


class Switch:
    """A linear device-mapper disk; what is below it can be replaced while it is in use."""

    def __init__(self, name, below, mib=DISK_MIB):
        self.name, self.mib = name, mib
        dm("create", name, "--table", self.table(f"linear {below} 0"))
        self.disk = dm_node(name)

    def table(self, target):
        return f"0 {self.mib * 2048} {target}"

    def to(self, target):
        dm("suspend", "--nolockfs", self.name)
        dm("reload", self.name, "--table", self.table(target))
        dm("resume", self.name)


class Switched(Switch):
    """It keeps data while a file is made on it. When all that maps the file's blocks is cached, a
    null_blk that neither keeps nor copies data is put in its place."""

    def __init__(self):
        self.empty = null_disk("empty", size=DISK_MIB, irqmode=0, queue_mode=2,
                               submit_queues=os.cpu_count())
        self.memory = null_disk("memory", size=DISK_MIB, irqmode=0, queue_mode=2, memory_backed=1)
        super().__init__("bench", self.empty)
        self.holds = self.path = None

    def at_once(self):
        self.to(f"linear {self.empty} 0")

    def path_at(self, place, mib=32, anew=False, own=False):
        """What is to be read: the disk, a raw device (None if there is none), or a file of MIB on a
        file system, own: with one more for each CPU (file0, file1). Of each the first page alone is
        in the page cache, whatever ran before."""
        # Somebody else may have unmounted it.
        if anew or own or self.holds != (place, mib) or not kept_open:
            unmount()
            self.holds = (place, mib)
            if place in ("bdev", "raw"):
                flush([self.disk])
                self.path = self.disk if place == "bdev" else (raws_of([self.disk]) or [None])[0]
            else:
                self.to(f"linear {self.memory} 0")
                make_fs(place, self.disk)
                self.path = new_file(mib)
                for cpu in range(os.cpu_count() if own else 0):
                    new_file(mib, name=f"file{cpu}")
                self.at_once()
            keep_open(self.disk if place == "raw" else self.path)
        os.pread(kept_open[0], 4096, 0)
        return self.path


switched = functools.cache(Switched)


def on_short(devices):
    """The devices as one word, the way a shell would match them, or how many they are."""
    first, last = devices[0], devices[-1]
    if len(devices) > 1 and first[:-1] == last[:-1]:
        return f"{first[:-1]}[{first[-1]}-{last[-1]}]"
    return first if len(devices) == 1 else f"{len(devices)} disks"
