#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run bench cases on the stock and the patched kernel; write results.json; print the table.

    bench.py run [--passes N] [CASE]...    cases of bench_cases.py, or several: all (the default),
                                           engine, real, shared, stacks, readahead, programs, short
    bench.py report [PATTERN]...           the table of the last runs, or its rows of a report or
                                           case: report field-3 'run-64k*'. BASE=7.3 leaves out
                                           others. FILE.json or, of the kit, FILE.figures among
                                           them: not of $O/results.json
    bench.py profile CASE                  the instructions by symbol and by layer of a counted
                                           case, or of each of "layers"

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

from bench_cases import CASES, GROUPS, GUESTS
import bench_programs
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
CLOCK_ERROR = 0.005
# In the guest: for a seed of its own the kernel would first have to gather randomness, where there
# is none; and it reads no more of the host's files than it must.
PYTHON = ("env", "PYTHONHASHSEED=0", sys.executable, "-BS")


def parse_lines(text):
    """The figures that bench_guest.py or the harness printed: {(report, case, metric): object}."""
    figures = {}
    for line in text.splitlines():
        if line.startswith('{"report": '):      # not what a program says
            figure = json.loads(line)
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
    stock, patched = (f and statistics.median_low(f["values"]) for f in figures)
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


def of_base(results):
    """Those of BASE (6.1), or all"""
    base = os.environ.get("BASE")
    return [r for r in results if not base or series_of(r.get("base")) == base]


def update(old, new):
    """The old results with the new ones in their places, or at the end."""
    return list(({place(r): r for r in old} | {place(r): r for r in new}).values())


def of_kit(text):
    """What the kit's field measured (field.figures), as rows of results.json.

    A line is KEY, tab, values, of which the last for a KEY counts: kernel.TURN, machine.TURN NAME
    VALUE, told TEXT, row.TURN REPORT CASE METRIC UNIT VALUES COMMAND. patched is the kernel with
    vm.readahead_runs, or the second one.
    """
    kernels, machines, told, lines = {}, {}, {}, {}
    for key, *words in (line.split("\t") for line in text.splitlines()):
        what, _, turn = key.partition(".")
        if what == "kernel":
            kernels[turn] = words[0]
        elif what == "machine":
            machines.setdefault(kernels[turn], {})[words[0]] = words[1]
        elif what == "told":
            told[f"data {len(told) + 1}"] = words[0]
        elif what == "row":
            lines[(turn, *words[:3])] = words[3:]
    both = [*dict.fromkeys(kernels.values())][:2]
    has = [bool(machines.get(kernel, {}).get("vm.readahead_runs")) for kernel in both]
    roles = reversed(KERNELS) if has in ([True], [True, False]) else KERNELS
    both = sorted(zip(roles, both), reverse=True)
    base = re.match(r"[\d.]*\d|", both[0][1] if both else "")[0]
    figures = {"stock": {}, "patched": {}}
    for role, kernel in both:
        for (turn, *key), (unit, values, command) in lines.items():
            if kernels[turn] == kernel:
                figure = figures[role].setdefault(tuple(key), {
                    "base": base, **dict(zip(KEY, key)), "unit": unit,
                    "values": [], "time": "machine", "command": command})
                figure["values"] += map(float, values.split())
    return merge(figures) + [
        {"base": base, "report": "machine", "case": role, "metric": "record",
         "machine": {**machines.get(kernel, {}), **told}} for role, kernel in both]


def load(path=None):
    path = pathlib.Path(path or RESULTS)
    text = path.read_text("utf-8") if path.exists() else "[]"
    return json.loads(text) if text.startswith("[") else of_kit(text)


def write(text, path):
    """All or nothing."""
    part = pathlib.Path(f"{path}.part")
    part.write_text(text, "utf-8")
    part.replace(path)


def keep(rows, path=RESULTS):
    """Rows that were measured now take their places in the file; they, with the date"""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    os.makedirs(OUT, exist_ok=True)
    rows = [{**r, "when": when} for r in rows]
    write(json.dumps(update(load(path), rows), indent=1) + "\n", path)
    return rows


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


def table(results, names=COLUMNS):
    """The results as lines of text: by base, report, then case, in the order of their last
    figures."""
    order = {r["case"]: n for n, r in enumerate(results)}
    results = sorted(results, key=lambda r: (version(r.get("base")), r["report"],
                                             order[r["case"]]))
    return columns([names, *([value if isinstance(value, str) else show(value)
                              for value in map(r.get, names)] for r in results)],
                   names.index("unit") + 1)


def matching(results, patterns):
    """The results of which a pattern is the report or fits the case; the harness and the kit print
    others."""
    return [r for r in results if "before" not in r and "machine" not in r and (
        not patterns or
        any(fnmatch.fnmatch(r[k], p) for p in patterns for k in ("report", "case")))]


def tree_of(kernel):
    """Where a kernel was built"""
    return subprocess.run([os.path.join(LAB, "kernel.sh"), "dir", kernel], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def base_version():
    """The version of the base's source"""
    return overlay.kernel_version(pathlib.Path(tree_of("source")))


def guest(kernel, flags, passes, cases, env=None, quiet=False):
    """The figures of bench_guest.py. What it says besides goes to stderr, if quiet only when it has
    failed."""
    start = time.monotonic()
    command = [os.path.join(LAB, "guest.sh"), "-k", kernel, "-t", "3600", *flags, "--",
               *PYTHON, os.path.join(LAB, "bench_guest.py"), str(passes), *cases]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                          stderr=subprocess.PIPE if quiet else None,
                          env={**os.environ, **(env or {})})
    if done.returncode:
        sys.stderr.write(done.stdout + (done.stderr or ""))
        sys.exit(f"bench: {kernel}: {' '.join(cases)}: exit {done.returncode}")
    print(f"lab: bench {kernel:8} done in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return parse_lines(done.stdout)


def plugin():
    """Build the counting plugin; its path."""
    path = os.path.join(OUT, "build", "insn_count.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path,
                    os.path.join(LAB, "insn_count.c")], check=True)
    return path


def counting_guest(so, count, kernel, *words, **more):
    """Those of a guest that sets marks: instructions between them in the place of time; or of one
    with two CPUs: the lines that they share."""
    file = os.path.join(OUT, "log", f"{count}-{kernel}")
    env, counted = {"QEMU_PLUGIN": f"{so},out={file}"}, profile.per_io
    if count == "lines":
        env = {"QEMU_PLUGIN": f"{so},out={file},lines=on", "QEMU_WORDS": "-smp 2"}
        counted = profile.shared_lines
    figures = counted(guest(kernel, *words, env=env, **more), file,
                      f"{tree_of(kernel)}/System.map")
    os.remove(file)
    return figures


def guest_of(name):
    """What boots the guest of that name, and gives its figures"""
    count = GUESTS[name].count
    return functools.partial(counting_guest, plugin(), count) if count else guest


def run(cases, passes):
    """Measure, keep the results, return them. Both kernels' guests run at once: where the clock
    counts instructions, neither sees the other. One of them shows how far it is."""
    measured = []
    for name, of in GUESTS.items():
        those = [case for case in cases if CASES[case].guest == name]
        if those and name == "programs":
            bench_programs.make(OUT, {CASES[case].args["name"] for case in those},
                                tree_of("source"))
        boot = those and guest_of(name)
        for part in (those[i:i + of.most] for i in range(0, len(those), of.most)):
            with concurrent.futures.ThreadPoolExecutor() as threads:
                done = {role: threads.submit(boot, kernel, of.flags, passes, part,
                                             quiet=role == KERNELS[0])
                        for role, kernel in zip(KERNELS, of.kernels)}
                measured += keep(merge({role: one.result() for role, one in done.items()}))
    return measured


def profile_on(case, kernel):
    """Boot twice with the plugin: {symbol: instructions}, held against the guest's clock; None if
    this kernel cannot run the case."""
    files, clocks, loops, passes, so = [], [], [], 1, plugin()
    while len(files) < 2:
        files.append(os.path.join(OUT, "log", f"{case.name}-{kernel}-{passes}.counts"))
        figures = guest(kernel, ["-c"], passes, [case.name],
                        {"QEMU_PLUGIN": f"{so},out={files[-1]}"})
        if not figures:
            print(f"bench: the {kernel} kernel cannot run {case.name}", file=sys.stderr)
            return None
        insns, = (figure["values"][0] for figure in figures.values())
        loops.append(passes * case.args["n"])
        clocks.append(insns * loops[-1])
        passes = 2 + int(profile.ENOUGH / clocks[0])
    clock = (clocks[1] - clocks[0]) / (loops[1] - loops[0])
    symbols = profile.one_iteration(f"{tree_of(kernel)}/System.map", files, loops)
    error = sum(symbols.values()) / clock - 1
    print(f"{kernel}: {clock:.1f} by the guest's clock, the profile differs by {error:.2%}")
    if abs(error) > CLOCK_ERROR:
        sys.exit("bench: the profile does not agree with the clock (is the host busy?)")
    return symbols


def profile_case(case):
    done = {kernel: symbols for kernel in KERNELS if (symbols := profile_on(case, kernel))}
    print(columns([*profile.table(done)], 1))
    same = {"base": base_version(), "report": "layers", "case": case.name, "unit": "insn",
            "time": "cpu", "command": f"bench.py profile {case.name}"}
    figures = {kernel: {("layers", case.name, layer): {
        **same, "metric": layer, "values": [round(insns, 1)]}
        for layer, insns in profile.layers(symbols, tree_of(kernel)).items()}
        for kernel, symbols in done.items()}
    if len(figures) == len(KERNELS):
        keep(merge(figures))


def named(words, parser):
    """The cases that the words name, each once"""
    names = [name for word in words for name in GROUPS.get(word, [word])]
    for name in names:
        if name not in CASES:
            parser.error(f"no such case: {name} (bench_cases.py has them)")
    return list(dict.fromkeys(names))


def main():
    parser = argparse.ArgumentParser(description="Run the bench, print its table.")
    parser.add_argument("action", choices=("run", "report", "profile"))
    parser.add_argument("--passes", type=int, default=1, help="of each counted case (1)")
    parser.add_argument("word", nargs="*", help="cases, all, engine, ...; patterns")
    args = parser.parse_intermixed_args()
    if args.action == "profile":
        for case in named(args.word or ["layers"], parser):
            if (CASES[case].guest, CASES[case].time) != ("engine", "cpu"):
                sys.exit(f"bench: no such case to profile: {case}")
            profile_case(CASES[case])
    elif args.action == "report":
        files = [word for word in args.word if word.endswith((".json", ".figures"))] or [RESULTS]
        if not all(map(os.path.exists, files)):
            sys.exit(f"bench: no {' or '.join(files)}: make bench")
        results = of_base([r for f in files for r in load(f)])
        print(table(matching(results, [w for w in args.word if w not in files])))
    else:
        print(table(run(named(args.word or ["all"], parser), args.passes)))


if __name__ == "__main__":
    main()
