#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run bench cases on the stock and the patched kernel; write results.json; print the table.

    bench.py run [--passes N] [CASE]...    the cases, both kernels: bench.sh's (default: all; short:
                                           some; readahead) or arrays: sas, fc, many,
                                           fc-short, many-short
    bench.py report                        print the table of the last runs again
    bench.py add FILE                      take over what tools/testing/dio/field/report.py wrote
    bench.py profile CASE [KERNEL]...      the instructions by symbol of a counted case

$O/results.json is a list of objects with report, case, metric, unit, stock, patched, ratio
(patched/stock, null where one of them has none), reported (the field report's own figure or null)
and command. A run replaces the figures that it measured and keeps the others. Time is measured in a
plain guest, instructions, readahead and arrays in one whose clock counts instructions; bench.sh has
the cases. profile boots each kernel twice, with few and many passes, has every instruction counted
(insn_count.c), and gives the difference to profile.py; it fails if the sum is off the guest's own
clock by more than half a percent. What add takes over has "before", and is not in the table:
report.py has one of its own. Exit: 0 done, 1 a guest failed, 2 usage.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time

from field import reported

LAB = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.environ.get("O", os.path.join(LAB, "..", "..", "out")))
RESULTS = os.path.join(OUT, "results.json")
KERNELS = ("stock", "patched")
TIMED = ("disks",)
# Field reports on an array, in a guest of its own whose clock counts instructions
ARRAYS = ("sas", "fc", "many", "fc-short", "many-short")
KEY = ("report", "case", "metric")
# Per counted case: its metric, what a pass of it is (MiB or I/Os, see bench.sh), and the passes
# that come to 3,000 million instructions or more, which profile.py needs.
UNIT = {"direct": ("insn_per_mib", 2048, 15), "raw": ("insn_per_mib", 2048, 15),
        "buffered": ("insn_per_mib", 512, 5), "nocopy": ("insn_per_mib", 512, 8)}
SIZES = {"4k": 20000, "64k": 4000, "1m": 500, "1m-huge": 500}
PLACES = ("bdev", "raw", "ext2", "jfs", "vfat", "ext4", "xfs")
UNIT.update({f"{what}-{size}-{place}": ("insn", SIZES[size], 100) for place in PLACES
             for what, size in (("read", "4k"), ("overwrite", "4k"), ("aio", "4k"),
                                ("uring", "4k"), ("read", "64k"), ("read", "1m"),
                                ("read", "1m-huge"))})
READERS = tuple(f"readers-{n}-{place}" for place in ("ext2", "jfs", "vfat") for n in (2, 4, 8))
# Readahead, see bench_readahead.sh: each of these with three sizes of window
RUNS = ("run-16k-by-4k", "run-16k-by-16k", "run-64k-by-4k", "run-64k-by-16k", "run-128k-by-4k",
        "run-256k-by-4k", "run-geometric-64k", "random-4k", "random-then-seq", "seq-4k", "seq-16k",
        "seq-128k", "seq-1m", "streams-2", "streams-8", "streams-64", "reverse", "stride", "mmap-seq",
        "mmap-random", "mix", "mix-shared", "lowmem-64", "fio-run-64k-by-4k")
# The tests of the report of 2004, each in these places
TESTS = (*(f"iozone-{test}" for test in ("sequential", "reread", "pread", "reverse", "stride",
                                         "random", "mix")), "sysbench", "dss", "fio-random")
READAHEAD = (tuple(case + kb for kb in ("", "-kb512", "-kb4096") for case in RUNS) +
             tuple(f"{case}-{place}" for place in ("bdev", "ext4", "xfs", "ext2") for case in TESTS))
# What `make run` measures of them
SHORT = ("direct", "raw", "buffered", "nocopy", "read-4k-bdev", "read-4k-raw", "read-4k-ext2",
         "read-4k-ext4", "run-64k-by-4k", "random-4k", "seq-4k", "iozone-random-bdev",
         "dss-bdev", "fc-short", "many-short")
COUNTED = tuple(UNIT) + READERS
CLOCK_ERROR = 0.005


def parse_lines(text):
    """The figures that bench.sh printed: {(report, case, metric): object}."""
    figures = {}
    for line in text.splitlines():
        if line.startswith('{"report": '):      # not what a program says
            figure = json.loads(line)
            figures[tuple(figure[k] for k in KEY)] = figure
    return figures


def above_floor(figures):
    """Add, for each I/O on a file, what it costs more than on the bare block device.

    Writes are held against reads of the device: 6.1 sends what is written to a block device by way
    of a kernel thread, at twice the cost of a file's.
    """
    for (report, case, metric), figure in list(figures.items()):
        what, _, place = case.rpartition("-")
        what = what.replace("overwrite", "read")
        floor = figures.get((report, f"{what}-bdev", metric))
        if metric == "insn" and place not in ("bdev", "raw") and floor:
            figures[(report, case, "insn_above_floor")] = {
                **figure, "metric": "insn_above_floor",
                "value": round(figure["value"] - floor["value"], 1)}
    return figures


def ratio(stock, patched):
    """patched/stock to four digits, None if that has no meaning."""
    if not stock or patched is None:
        return None
    return round(patched / stock, 4)


def merge(by_kernel):
    """One object a figure from {kernel: figures}, in the order in which they were measured."""
    merged = []
    order = {}
    for kernel in KERNELS:
        order.update(dict.fromkeys(by_kernel[kernel]))
    for key in order:
        figures = [by_kernel[kernel].get(key) for kernel in KERNELS]
        one = figures[1] or figures[0]
        stock, patched = (f["value"] if f else None for f in figures)
        merged.append({**{k: one[k] for k in KEY}, "unit": one["unit"], "stock": stock,
                       "patched": patched, "ratio": ratio(stock, patched),
                       "reported": reported(*key), "command": one["command"]})
    return merged


def update(old, new):
    """The old results with the new ones in their places, or at the end."""
    fresh = {tuple(r[k] for k in KEY): r for r in new}
    kept = [fresh.pop(tuple(r[k] for k in KEY), r) for r in old]
    return kept + list(fresh.values())


def load():
    try:
        with open(RESULTS, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return []


def save(results):
    """Write all or nothing."""
    with open(RESULTS + ".part", "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1)
        f.write("\n")
    os.replace(RESULTS + ".part", RESULTS)


def show(value):
    if value is None:
        return "-"
    if value >= 1000:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 10 else f"{value:.3f}"


def table(results):
    """The results as lines of text: by report, then case, in the order of their first figures."""
    rows = [("report", "case", "metric", "unit", "stock", "patched", "ratio", "reported")]
    results = [r for r in results if "before" not in r]
    cases = [r["case"] for r in results]
    for r in sorted(results, key=lambda r: (r["report"], cases.index(r["case"]))):
        rows.append((r["report"], r["case"], r["metric"], r["unit"], show(r["stock"]),
                     show(r["patched"]), show(r["ratio"]), show(r.get("reported"))))
    widths = [max(len(row[i]) for row in rows) for i in range(8)]
    return "\n".join("  ".join(cell.ljust(w) if i < 4 else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


def guest(kernel, flags, args, env=None, quiet=False):
    """Run bench.sh in a guest; its figures. What it says besides goes to stderr, if quiet only then
    when it has failed."""
    start = time.monotonic()
    command = [os.path.join(LAB, "guest.sh"), "-k", kernel, "-t", "3600", *flags, "--", "bash",
               os.path.join(LAB, "bench.sh"), *args]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.PIPE if quiet else None,
                          env={**os.environ, **(env or {})})
    if done.returncode:
        sys.stderr.write(done.stdout + (done.stderr or ""))
        sys.exit(f"bench: {kernel}: {' '.join(args)}: exit {done.returncode}")
    print(f"lab: bench {kernel:8} done in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return parse_lines(done.stdout)


def both(flags, args):
    """Both kernels' figures, from two guests at once: where the clock counts instructions, neither
    sees the other. One of them shows how far it is."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = [pool.submit(guest, kernel, flags, args, quiet=kernel == KERNELS[0])
                for kernel in KERNELS]
        return [one.result() for one in done]


def run(cases, passes):
    timed = [c for c in cases if c in TIMED]
    counted = [c for c in cases if c in COUNTED]
    runs = [c for c in cases if c in READAHEAD]
    pairs = []
    for array in (c for c in cases if c in ARRAYS):
        pairs.append(both(["-c", "-a", array.partition("-")[0]], [array]))
    if timed:
        pairs.append([guest(kernel, ["-d"], ["-n", str(passes), *timed]) for kernel in KERNELS])
    if counted:
        pairs.append([above_floor(figures) for figures in
                      both(["-c"], ["-n", str(passes), *counted])])
    if runs:
        pairs.append(both(["-c"], runs))
    by_kernel = {kernel: {} for kernel in KERNELS}
    for pair in pairs:
        for kernel, figures in zip(KERNELS, pair):
            by_kernel[kernel].update(figures)
    save(update(load(), merge(by_kernel)))


def add(path):
    """Take over the results of the harness, an object a line."""
    with open(path, encoding="utf-8") as f:
        new = [json.loads(line) for line in f]
    os.makedirs(OUT, exist_ok=True)
    save(update(load(), new))


def plugin():
    """Build the counting plugin; its path."""
    path = os.path.join(OUT, "build", "insn_count.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path,
                    os.path.join(LAB, "insn_count.c")], check=True)
    return path


def count(case, kernel, so):
    """Boot twice with the plugin: (the counts' files, instructions a unit by the guest's clock)."""
    metric, size, most = UNIT[case]
    files, clocks = [], []
    for passes in (1, most):
        files.append(os.path.join(OUT, "log", f"{case}-{kernel}-{passes}.counts"))
        figures = guest(kernel, ["-c"], ["-n", str(passes), case],
                        {"QEMU_PLUGIN": f"{so},out={files[-1]}"})
        if not figures:
            return None, None
        clocks += [f["value"] * passes * size for k, f in figures.items() if k[2] == metric]
    return files, (clocks[1] - clocks[0]) / ((most - 1) * size)


def profile(case, kernels):
    if case not in UNIT:
        sys.exit(f"bench: no such case to profile: {case} (bench.sh lists them)")
    so = plugin()
    _, size, most = UNIT[case]
    args = ["--loops", str(size), str(most * size)]
    clocks, done = [], []
    for kernel in kernels:
        prefix = "patched-" if done else ""
        tree = subprocess.run([os.path.join(LAB, "kernel.sh"), "dir", kernel], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
        files, clock = count(case, kernel, so)
        if not files:
            print(f"bench: the {kernel} kernel cannot run {case}", file=sys.stderr)
            continue
        done.append(kernel)
        clocks.append(clock)
        args += [f"--{prefix or 'system-'}map", os.path.join(tree, "System.map"),
                 f"--{prefix}counts", *files]
    if not done:
        sys.exit(f"bench: no kernel can run {case}")
    script = os.path.join(LAB, "profile.py")
    listing = subprocess.run([script, *args, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    total = json.loads(listing.stdout)["total"]
    subprocess.run([script, *args], check=True)
    for kernel, clock in zip(done, clocks):
        column = "patched" if kernel == "patched" and len(done) == 2 else "stock"
        error = total[column] / clock - 1
        print(f"{kernel}: {clock:.1f} by the guest's clock, the profile differs by {error:.2%}")
        if abs(error) > CLOCK_ERROR:
            sys.exit("bench: the profile does not agree with the clock")


def main():
    parser = argparse.ArgumentParser(description="Run the bench, print its table.")
    parser.add_argument("action", choices=("run", "report", "add", "profile"))
    parser.add_argument("--passes", type=int, default=1,
                        help="of the disks and each counted case (1)")
    parser.add_argument("case", nargs="*", help="see bench.sh; or short, or readahead")
    args = parser.parse_intermixed_args()
    if args.action == "profile":
        if not args.case or not set(args.case[1:]) <= set(KERNELS):
            parser.error("profile: a case, then stock, patched or nothing")
        return profile(args.case[0], args.case[1:] or KERNELS)
    if args.action == "add":
        if len(args.case) != 1 or not os.path.exists(args.case[0]):
            parser.error("add: a file of results")
        return add(args.case[0])
    if args.case == ["short"]:
        args.case = TIMED + SHORT
    if args.case == ["readahead"]:
        args.case = READAHEAD
    for case in args.case:
        if case not in TIMED + COUNTED + READAHEAD + ARRAYS:
            parser.error(f"no such case: {case} (bench.sh lists them)")
    if args.passes < 1:
        parser.error("--passes: at least 1")
    if args.action == "run":
        run(args.case or list(TIMED + COUNTED + READAHEAD), args.passes)
    elif not os.path.exists(RESULTS):
        sys.exit(f"bench: no {RESULTS}: make bench")
    return print(table(load()))


if __name__ == "__main__":
    main()
