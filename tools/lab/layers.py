# SPDX-License-Identifier: GPL-2.0
"""Which layer of the kernel a function is of: by the object file that defines it.

The layers are those that an I/O passes, in this order. A function whose name several layers have
(static ones) is of the rest, and so are interrupts, timers, locks and what is not known.
"""

import os
import subprocess

from profile import SystemMap, USER  # ours: this directory stands first in sys.path

LAYERS = ("program", "syscall", "file_system", "direct_io", "memory", "block", "driver", "rest")
# The first that fits
PATHS = (
    ("syscall", ("arch/x86/entry/", "fs/read_write.", "fs/aio.", "fs/open.", "fs/file.",
                 "io_uring/")),
    ("direct_io", ("fs/direct-io.", "fs/iomap/", "block/fops.", "drivers/char/raw.")),
    ("file_system", ("fs/",)),
    ("memory", ("mm/", "lib/iov_iter.")),
    ("block", ("block/", "lib/sbitmap.")),
    ("driver", ("drivers/",)),
)
CODE = "tTwW"


def layer_of(path):
    """The layer of an object file of the kernel tree"""
    for layer, starts in PATHS:
        if path.startswith(starts):
            return layer
    return "rest"


def objects(tree):
    """The object files that a kernel is linked from"""
    for top in ("arch/x86", "block", "drivers", "fs", "init", "io_uring", "ipc", "kernel", "lib",
                "mm", "net", "security", "virt"):
        for directory, _, names in os.walk(os.path.join(tree, top)):
            for name in names:
                if name.endswith(".o") and not name.endswith((".mod.o", "vmlinux.o")):
                    yield os.path.relpath(os.path.join(directory, name), tree)


def read_nm(text):
    """{function: layer} of what nm -A prints"""
    found = {}
    for line in text.splitlines():
        path, _, rest = line.partition(":")
        words = rest.split()
        if len(words) >= 2 and words[-2] in CODE:
            found.setdefault(SystemMap.function(words[-1]), set()).add(layer_of(path))
    return {name: min(layers) if len(layers) == 1 else "rest" for name, layers in found.items()}


def functions(tree):
    """{function: layer} of a kernel that was built here"""
    done = subprocess.run(["xargs", "nm", "-A", "--defined-only"], cwd=tree, check=True,
                          input="\n".join(objects(tree)), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return read_nm(done.stdout)


def sums(symbols, of):
    """{layer: instructions} of a kernel's {symbol: instructions}"""
    total = dict.fromkeys(LAYERS, 0.0)
    for name, insns in symbols.items():
        total["program" if name == USER else of.get(name, "rest")] += insns
    return total


def rows(base, case, symbols, trees, command):
    """Rows of results.json, but for what two kernels give"""
    both = {kernel: sums(symbols[kernel], functions(tree)) for kernel, tree in trees.items()}
    return [{"base": base, "report": "layers", "case": case, "metric": layer, "unit": "insn",
             **{kernel: round(both[kernel][layer], 1) for kernel in both},
             "spread": None, "reported": None, "time": "cpu", "command": command}
            for layer in LAYERS]
