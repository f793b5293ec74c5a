#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run bench cases on the stock and the patched kernel; write results.json; print the table.

    bench.py run [--passes N] [CASE]...    cases of bench_cases.py, or all, engine, real, shared,
                                           stacks, readahead, programs, short for several (default:
                                           all)
    bench.py report [PATTERN]...           print the table of the last runs again, or its rows of a
                                           report or case: report field-3 'run-64k*'. BASE=7.3
                                           leaves out other bases. FILE.json or, of the kit,
                                           FILE.figures among them: not of $O/results.json
    bench.py add FILE                      take over what tools/testing/dio/field/report.py wrote
    bench.py profile CASE                  the instructions by symbol and by layer of a counted case,
                                           or of each of "layers"

What a row has, and what its figures are of: Documentation/dio/lab.rst, bench_cases.py. A run
replaces the figures that it measured, of the same base, and shows these. Both kernels run at once:
the guest's clock counts instructions. profile fails if its sum is off that clock by more than half
a percent, real if both differ on a disk that completes at once. Exit: 0 done, 1 a guest failed,
2 usage.
"""

import argparse
import concurrent.futures
import fnmatch
import functools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from bench_cases import CASES, GROUPS, GUESTS, KERNELS_OF, MARKED, PARTS
import bench_data
import bench_kit
from bench_programs import PROGRAMS
from field import reported
import overlay
import profile

LAB = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.abspath(os.environ.get("O", os.path.join(LAB, "..", "..", "out")))
RESULTS = os.path.join(OUT, "results.json")
STEPS = "steps.json"            # beside it: what series_steps.py measured
KERNELS = ("stock", "patched")
KEY = ("report", "case", "metric")
COLUMNS = ("base", *KEY, "unit", "stock", "patched", "ratio", "spread", "reported")
WORDS = 5       # so many of them are words, the others numbers
CLOCK_ERROR = 0.005
MOST_CASES = {"readahead": 40, "programs": 20, "stacks": 10}     # of a boot
MARK_ERROR = 0.01
# In the guest: for a seed of its own the kernel would first have to gather randomness, where there
# is none; and it reads no more of the host's files than it must.
PYTHON = ("env", "PYTHONHASHSEED=0", sys.executable, "-BS")


def parse_lines(text):
    """The figures that bench_guest.py or the harness printed: {(report, case, metric): object}."""
    figures = {}
    for line in text.splitlines():
        if line.startswith('{"report": '):      # not what a program says
            figure = json.loads(line)
            if "value" not in figure:
                figure["value"] = statistics.median_low(figure["values"])
            figures[tuple(figure[k] for k in KEY)] = figure
    return figures


def series_of(base):
    """The base that a kernel of this version is of: 6.1 of 6.1.192"""
    return ".".join((base or "").split(".")[:2])


def spread(figures):
    """Of the figures of both kernels the wider one's; None if they were taken once."""
    values = [f["values"] for f in figures if f and len(f["values"]) > 1]
    return round(max(max(v) - min(v) for v in values), 4) if values else None


def ratio(stock, patched, noise=None):
    """patched/stock to four digits, None if that has no meaning."""
    if not stock or patched is None or (noise and abs(patched - stock) <= noise):
        return None
    return round(patched / stock, 4)


def row(key, figures):
    """One of results.json from both kernels' figures"""
    bases = {f["base"] for f in figures if f}
    if len(bases) > 1:
        sys.exit(f"bench: {'-'.join(key)}: two kernels of different versions: {sorted(bases)}")
    one = figures[1] or figures[0]
    stock, patched = (f and f["value"] for f in figures)
    noise = spread(figures)
    of_same_kind = one["time"] in ("disk", "machine") or one["metric"] == "io_kib"
    return {"base": one["base"], **{k: one[k] for k in KEY}, "unit": one["unit"], "stock": stock,
            "patched": patched, "ratio": ratio(stock, patched, noise), "spread": noise,
            "reported": reported(*key) if of_same_kind else None, "time": one["time"],
            "command": one["command"]}


def merge(by_kernel):
    """One object a figure from {kernel: figures}, in the order in which they were measured."""
    order = dict.fromkeys(key for kernel in KERNELS for key in by_kernel[kernel])
    return [row(key, [by_kernel[kernel].get(key) for kernel in KERNELS]) for key in order]


def place(r):
    """What a row replaces: the same figure of that base, and of that step of a series."""
    return (series_of(r.get("base")), *(r[k] for k in KEY), r.get("patch"))


def of_base(results, base):
    """Those of one base (6.1), or all"""
    return [r for r in results if not base or series_of(r.get("base")) == base]


def update(old, new):
    """The old results with the new ones in their places, or at the end."""
    return list(({place(r): r for r in old} | {place(r): r for r in new}).values())


def dated(rows):
    """New rows, with when they were measured"""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return [{**r, "when": when} for r in rows]


def load(path=None):
    path = pathlib.Path(path or RESULTS)
    text = path.read_text("utf-8") if path.exists() else "[]"
    return json.loads(text) if text.startswith("[") else bench_kit.rows(text, merge)


def write(text, path):
    """All or nothing."""
    part = pathlib.Path(f"{path}.part")
    part.write_text(text, "utf-8")
    part.replace(path)


def save(results, path=None):
    write(json.dumps(results, indent=1) + "\n", path or RESULTS)


def show(value):
    if value is None:
        return "-"
    if value >= 1000:
        return f"{value:.0f}"
    return f"{value:.2f}" if value >= 10 else f"{value:.3f}"


def version(base):
    """What a base is sorted by"""
    return [int(number) for number in re.findall(r"\d+", base or "")]


def columns(rows, words):
    """Rows of cells as lines of text; the first columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(w) if i < words else cell.rjust(w)
                               for i, (cell, w) in enumerate(zip(cells, widths))).rstrip()
                     for cells in rows)


def table(results):
    """The results as lines of text: by base, report, then case, in the order of their last
    figures."""
    results = [r for r in results if "before" not in r and "machine" not in r]
    order = {r["case"]: n for n, r in enumerate(results)}
    results.sort(key=lambda r: (version(r.get("base")), r["report"], order[r["case"]]))
    rows = [(r.get("base") or "-", *(r[k] for k in COLUMNS[1:WORDS]),
             *(show(r.get(k)) for k in COLUMNS[WORDS:])) for r in results]
    return columns([COLUMNS, *rows], WORDS)


def matching(results, patterns):
    """The results of which a pattern is the report or fits the case."""
    return [r for r in results if not patterns or
            any(fnmatch.fnmatch(r[k], p) for p in patterns for k in ("report", "case"))]


def guest(kernel, flags, args, env=None, quiet=False):
    """The figures of bench_guest.py. What it says besides goes to stderr, if quiet only then when it
    has failed."""
    start = time.monotonic()
    command = [os.path.join(LAB, "guest.sh"), "-k", kernel, "-t", "3600", *flags, "--",
               *PYTHON, os.path.join(LAB, "bench_guest.py"), *args]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.PIPE if quiet else None,
                          env={**os.environ, **(env or {})})
    if done.returncode:
        sys.stderr.write(done.stdout + (done.stderr or ""))
        sys.exit(f"bench: {kernel}: {' '.join(args)}: exit {done.returncode}")
    print(f"lab: bench {kernel:8} done in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return parse_lines(done.stdout)


def marked_guest(so, kernel, flags, args, quiet=False):
    """Those of a guest that sets marks: instructions between them in the place of time."""
    file = os.path.join(OUT, "log", f"real-{kernel}.marks")
    figures = guest(kernel, flags, args, {"QEMU_PLUGIN": f"{so},out={file},marks=on"}, quiet)
    clock = {key: figure["value"] for key, figure in figures.items()}
    profile.per_io(figures, file, os.path.join(tree_of(kernel), "System.map"), PARTS)
    os.remove(file)
    for key, figure in figures.items():
        if CASES[key[1]].args["disk"] == "atonce" and \
                abs(figure["value"] / clock[key] - 1) > MARK_ERROR:
            sys.exit(f"bench: {kernel}: {key[1]}: {figure['value']} instructions, but "
                     f"{clock[key]} by the guest's clock")
    return figures


def sharing_guest(so, kernel, flags, args, quiet=False):
    """Those of a guest with two CPUs: what they share"""
    file = os.path.join(OUT, "log", f"shared-{kernel}.lines")
    figures = guest(kernel, flags, args, {"QEMU_PLUGIN": f"{so},out={file},lines=on",
                                          "QEMU_WORDS": "-smp 2"}, quiet)
    return profile.shared_lines(figures, file, os.path.join(tree_of(kernel), "System.map"))


def guest_of(name):
    """What boots the guest of that name, and gives its figures"""
    if name == "shared":
        return functools.partial(sharing_guest, plugin())
    return functools.partial(marked_guest, plugin()) if name in MARKED else guest


def counted(flags, args, kernels=KERNELS, run_one=None):
    """The figures of both kernels, or of those in their places, from two guests at once: where the
    clock counts instructions, neither sees the other. One of them shows how far it is."""
    with concurrent.futures.ThreadPoolExecutor() as threads:
        done = {place: threads.submit(run_one or guest, kernel, flags, args,
                                      quiet=place == KERNELS[0])
                for place, kernel in zip(KERNELS, kernels)}
        return {place: one.result() for place, one in done.items()}


def make_data(cases):
    """What the programs of these cases are and work on"""
    data = {PROGRAMS[CASES[case].args["name"]][0] for case in cases}
    try:
        bench_data.make(OUT, ["root", *sorted(data)], tree_of("source"))
    except (FileNotFoundError, subprocess.CalledProcessError) as e:
        sys.exit(f"bench: {e}")


def run(cases, passes):
    """Measure, keep the results, return them."""
    measured = []
    programs = [case for case in cases if CASES[case].guest == "programs"]
    if programs:
        make_data(programs)
    for name, flags in GUESTS.items():
        those = [case for case in cases if CASES[case].guest == name]
        most = MOST_CASES.get(name, len(CASES))
        for part in (those[i:i + most] for i in range(0, len(those), most)):
            by_kernel = counted([*flags], ["-n", str(passes), *part],
                                KERNELS_OF.get(name, KERNELS), guest_of(name))
            new = dated(merge(by_kernel))
            save(update(load(), new))
            measured += new
    return measured


def tree_of(kernel):
    """Where a kernel was built"""
    return subprocess.run([os.path.join(LAB, "kernel.sh"), "dir", kernel], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def base_version():
    """The version of the base's source"""
    return overlay.kernel_version(pathlib.Path(tree_of("source")))


def add(path):
    """Take over the results of the harness, an object a line."""
    base = base_version()
    with open(path, encoding="utf-8") as f:
        new = dated([{"base": base, **json.loads(line)} for line in f])
    os.makedirs(OUT, exist_ok=True)
    save(update(load(), new))


def plugin():
    """Build the counting plugin; its path."""
    path = os.path.join(OUT, "build", "insn_count.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path,
                    os.path.join(LAB, "insn_count.c")], check=True)
    return path


def profile_on(case, kernel):
    """Boot twice with the plugin: {symbol: instructions}, held against the guest's clock; None if
    this kernel cannot run the case."""
    metric, units, most = case.profile
    so, files, clocks = plugin(), [], []
    for passes in (1, most):
        files.append(os.path.join(OUT, "log", f"{case.name}-{kernel}-{passes}.counts"))
        figures = guest(kernel, ["-c"], ["-n", str(passes), case.name],
                        {"QEMU_PLUGIN": f"{so},out={files[-1]}"})
        if not figures:
            print(f"bench: the {kernel} kernel cannot run {case.name}", file=sys.stderr)
            return None
        clocks += [f["value"] * passes * units for k, f in figures.items() if k[2] == metric]
    clock = (clocks[1] - clocks[0]) / ((most - 1) * units)
    symbols = profile.one_iteration(os.path.join(tree_of(kernel), "System.map"), files,
                                    (units, most * units))
    error = sum(symbols.values()) / clock - 1
    print(f"{kernel}: {clock:.1f} by the guest's clock, the profile differs by {error:.2%}")
    if abs(error) > CLOCK_ERROR:
        sys.exit("bench: the profile does not agree with the clock (is the host busy?)")
    return symbols


def profile_case(case):
    done = {kernel: symbols for kernel in KERNELS if (symbols := profile_on(case, kernel))}
    if done:
        print("\n".join(profile.table(done)))
    if len(done) < len(KERNELS):
        return
    both = [profile.layers(done[kernel], profile.functions(tree_of(kernel))) for kernel in KERNELS]
    new = [{"base": base_version(), "report": "layers", "case": case.name, "metric": layer,
            "unit": "insn", "stock": round(stock, 1), "patched": round(both[1][layer], 1),
            "ratio": ratio(stock, both[1][layer]), "spread": None, "reported": None, "time": "cpu",
            "command": f"bench.py profile {case.name}"} for layer, stock in both[0].items()]
    save(update(load(), dated(new)))


def named(words, parser):
    """The cases that the words name, each once"""
    names = [name for word in words for name in GROUPS.get(word, [word])]
    for name in names:
        if name not in CASES:
            parser.error(f"no such case: {name} (bench_cases.py has them)")
    return list(dict.fromkeys(names))


def main():
    parser = argparse.ArgumentParser(description="Run the bench, print its table.")
    parser.add_argument("action", choices=("run", "report", "add", "profile"))
    parser.add_argument("--passes", type=int, default=1, help="of each counted case (1)")
    parser.add_argument("word", nargs="*", help="cases, all, engine, ...; patterns")
    args = parser.parse_intermixed_args()
    if args.passes < 1:
        parser.error("--passes: at least 1")
    if args.action == "profile":
        if len(args.word) != 1:
            parser.error("profile: a case")
        for case in named(args.word, parser):
            if not CASES[case].profile:
                sys.exit(f"bench: no such case to profile: {case}")
            profile_case(CASES[case])
        return None
    if args.action == "add":
        if len(args.word) != 1 or not os.path.exists(args.word[0]):
            parser.error("add: a file of results")
        return add(args.word[0])
    if args.action == "report":
        files = [word for word in args.word if word.endswith((".json", ".figures"))] or [RESULTS]
        if not all(map(os.path.exists, files)):
            sys.exit(f"bench: no {' or '.join(files)}: make bench")
        results = of_base([r for f in files for r in load(f)], os.environ.get("BASE"))
        return print(table(matching(results, [w for w in args.word if w not in files])))
    return print(table(run(named(args.word or ["all"], parser), args.passes)))


if __name__ == "__main__":
    main()
