# SPDX-License-Identifier: GPL-2.0
"""What insn_count.so counted, by kernel symbol and by layer.

Of one iteration: two boots that differ only in how often they ran a loop, subtracted; the total is
held against the guest's clock. Or of what lies between two marks of dio_load, on disks that
complete later: the guest's clock leaps while its CPU idles. The kernel must have been booted with
nokaslr. Code that System.map does not know (modules, generated code) is "[module or unknown]".

A layer is the object file that a function is of, in the order in which an I/O passes them. A
function whose name several layers have (static ones) is of the rest, and so are interrupts, timers
and locks.
"""

import bisect
import os
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

UNKNOWN = "[module or unknown]"
USER = "[user space]"
CODE = "tTwW"
LAYERS = ("program", "syscall", "file_system", "direct_io", "memory", "block", "driver", "rest")
# The first that fits
PATHS = (
    ("syscall", ("arch/x86/entry/", "fs/read_write.", "fs/aio.", "fs/open.", "fs/file.",
                 "io_uring/")),
    ("direct_io", ("fs/direct-io.", "fs/iomap/", "block/fops.", "drivers/char/raw.")),
    ("file_system", ("fs/",)), ("memory", ("mm/", "lib/iov_iter.")),
    ("block", ("block/", "lib/sbitmap.")), ("driver", ("drivers/",)),
)
LEAST = 0.02    # of the I/Os; a line that fewer move is not told
MARK_ERROR = 0.01
ENOUGH = 3e9    # instructions of loops: booting itself varies
SETUP = 2       # marks of a run that end what is none of it: what was before, and its start
# Functions that only an idle CPU is in
IDLE = re.compile(r"do_idle|cpu_startup_entry|default_idle(_call)?|arch_cpu_idle\w*|\w*safe_halt|"
                  r"schedule_idle|cpuidle_\w+|(menu|haltpoll)_(select|reflect|enable\w*)|"
                  r"cpu_idle_poll\w*|tick_nohz_idle_\w+|tick_nohz_(get_)?sleep\w*|ct_idle_\w+|"
                  r"tick_nohz_(start|stop)_idle|can_stop_idle_tick|sched_idle_set_state")


def function(name):
    """Drop what the compiler appended (.isra.0, .cold): it need not be alike in two builds."""
    return name.split(".")[0] or name


class SystemMap:
    """Says which function an address belongs to."""

    def __init__(self, path):
        # Of several names for one address take code before data, and no leading underscores: the
        # name a reader would look for, and the same one in both kernels.
        best = {}
        with open(path, encoding="ascii") as f:
            for address, kind, name in map(str.split, f):
                address, rank = int(address, 16), (kind in CODE, name)
                best[address] = max(rank, best.get(address, rank))
        self.starts = sorted(best)
        self.names = [function(best[start][1]) if best[start][0] else UNKNOWN
                      for start in self.starts]

    def lookup(self, address):
        """Return the function's name; after data, in front of or behind the kernel: UNKNOWN."""
        index = bisect.bisect_right(self.starts, address)
        return self.names[index - 1] if index else UNKNOWN


def read_blocks(path, system_map):
    """{symbol: instructions} of each block that insn_count.so wrote: one ends in a total."""
    counts, blocks = Counter(), []
    with open(path, encoding="ascii") as f:
        for key, insns in map(str.split, f):
            if key != "total":
                name = USER if key == "user" else system_map.lookup(int(key, 16))
                counts[name] += int(insns)
            elif int(insns) == counts.total():
                blocks.append(counts)
                counts = Counter()
            else:
                break
    if counts or not blocks:
        sys.exit(f"bench: {path}: cut short: QEMU did not end in good order")
    return blocks


def one_iteration(map_path, count_paths, loops):
    """{symbol: instructions of one iteration}, from a boot with few and one with many"""
    system_map = SystemMap(map_path)
    low, high = (read_blocks(path, system_map)[-1] for path in count_paths)
    return {name: (high[name] - low[name]) / (loops[1] - loops[0])
            for name in low.keys() | high.keys()}


def per_io(figures, path, map_path):
    """Each figure, in the order in which they were printed, as the instructions of one of its I/Os,
    part by part (of so many I/Os), but for those of an idle CPU. The least and the largest are left
    out: what the kernel does now and then is in some. An exact one was the clock's, too."""
    segments = [sum(insns for name, insns in block.items() if not IDLE.fullmatch(name))
                for block in read_blocks(path, SystemMap(map_path))[:-1]]
    if len(segments) != sum(SETUP + figure["parts"] for figure in figures.values()):
        sys.exit(f"bench: {path}: {len(segments)} marks of {len(figures)} figures")
    for key, figure in figures.items():
        parts = segments[SETUP:SETUP + figure["parts"]]
        del segments[:SETUP + figure["parts"]]
        clock = figure["values"][0]
        figure["values"] = [round(insns / figure["part"], 1) for insns in sorted(parts)[1:-1]]
        insns = statistics.median_low(figure["values"])
        if figure["exact"] and abs(insns / clock - 1) > MARK_ERROR:
            sys.exit(f"bench: {key[1]}: {insns} instructions, but {clock} by the guest's clock")
    return figures


def shared_lines(figures, path, map_path):
    """What insn_count.so wrote with lines=on, of figures in the order in which they were printed:
    in place of each one for each function that writes to what both CPUs want, and one for all.

    QEMU runs one CPU for many I/Os before the next, real ones run side by side: a line is taken to
    move once for each I/O that touches it, but no more often than the other CPU's I/Os wrote it.
    What fewer than one of ten I/Os of a CPU touch is left out."""
    system_map, found = SystemMap(map_path), {}
    # Behind each second border; dio_load sets up its marks, and itself, before the first.
    runs = Path(path).read_text("ascii").split("run\n")[1::2]
    if len(runs) != len(figures):
        sys.exit(f"bench: {path}: {len(runs)} runs of {len(figures)} figures")
    for (key, figure), run in zip(figures.items(), runs):
        ios, touched, wrote, writers = Counter(), defaultdict(set), defaultdict(set), {}
        for line, cpu, *words in map(str.split, run.splitlines()):
            if line == "io":
                ios[cpu] += 1
                continue
            touched[line, cpu].add(ios[cpu])
            if words[0] == "1":
                wrote[line, cpu].add(ios[cpu])
                writers.setdefault(line, system_map.lookup(int(words[1], 16)))
        moved = Counter()
        for (line, writer), (cpu, other) in product(writers.items(), ("01", "10")):
            if len(touched[line, cpu]) >= ios[cpu] // 10:
                moved[writer] += min(len(touched[line, cpu]), len(wrote[line, other]))
        told = {name: n for name, n in moved.most_common() if n > LEAST * ios.total()}
        for name, n in (told | {"all": moved.total()}).items():
            found[*key[:2], name] = {**figure, "metric": name, "unit": "lines",
                                     "values": [round(n / ios.total(), 2)]}
    return found


def table(done, top=40):
    """The largest symbols of {kernel: {symbol: instructions}}, what was left out, and the total, as
    rows of words; of two kernels their difference, too"""
    kernels = list(done.values())
    names = {name for kernel in kernels for name in kernel if name != USER}
    names = sorted(names, key=lambda name: (-max(k.get(name, 0) for k in kernels), name))
    shown = {name: [name] for name in names[:top]}
    shown |= {f"[{len(names[top:])} more symbols]": names[top:], USER: [USER],
              "total": [USER, *names]}
    yield "symbol", *done, *["difference"] * (len(done) == 2)
    for name, of in shown.items():
        sums = [sum(kernel.get(one, 0) for one in of) for kernel in kernels]
        sums += [sums[1] - sums[0]] * (len(sums) == 2)
        # Adding 0.0 after rounding turns "-0.0" into "0.0".
        yield name, *(f"{round(one, 1) + 0.0:.1f}" for one in sums)


def layers(symbols, tree):
    """{layer: instructions} of {symbol: instructions} of a kernel that was built here"""
    objects = [os.path.relpath(os.path.join(at, name), tree) for at, _, names in os.walk(tree)
               for name in names
               if name.endswith(".o") and not name.endswith((".mod.o", "vmlinux.o"))]
    said = subprocess.run(["xargs", "nm", "-A", "--defined-only"], cwd=tree, check=False,
                          input="\n".join(objects), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    found = {USER: {"program"}}
    for path, name in re.findall(rf"^([^:]+):\S+ [{CODE}] (\S+)$", said, re.MULTILINE):
        layer = next((layer for layer, starts in PATHS if path.startswith(starts)), "rest")
        found.setdefault(function(name), set()).add(layer)
    total = dict.fromkeys(LAYERS, 0.0)
    for name, insns in symbols.items():
        of = found.get(name, ())
        total[min(of) if len(of) == 1 else "rest"] += insns
    return total
