#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write what was measured as one HTML page that needs nothing else: no network, no script.

    bench_report.py [RESULTS [PAGE]]     $O/results.json and $O/report.html, unless they are named

RESULTS is a list of rows as bench.py or the kit's field writes them; trace.json beside it (bench.py
trace) has I/Os in time. BASE=6.1 shows only that base. Curves are gnuplot's; a figure without data says what measures
it. Exit: 0 written, 1 nothing to show, 2 usage.
"""

import json
import os
import sys

import bench
from bench_cases import PROGRAM_PLACES, PROGRAMS
import bench_page as page
import bench_plot as plot
import bench_real
from bench_words import GAINS, NEITHER, METRICS, judge, meaning
from layers import LAYERS

FIELD = (
    ("field-1", "2002", "Four ways to read eight FC disks",
     "Raw and direct reads were cut into pieces of 512 bytes."),
    ("field-2", "2004", "Random reads and the readahead average",
     "By rounding, the average length of runs never got there: too little was read, or too much."),
    ("field-3", "2004", "Direct writes to a new file",
     "O_DIRECT was slower than buffered writes, on XFS half as fast."),
    ("field-4", "2009", "Clearing struct dio",
     "Each direct I/O cleared an array of pages first; a database lost half a percent."),
    ("field-5", "2006", "Too many boundaries",
     "Files with indirect blocks were written in a bio for each block, not for each mapping."),
)
# Of the field reports' rows these are shown, besides those with a figure of theirs.
HEADLINES = ("cleared", "insn", "insn_per_mib", "time")
BOX = "\u25a0"
LAYER_NAMES = {"program": "program", "syscall": "system call", "file_system": "file system",
               "direct_io": "direct I/O", "memory": "memory", "block": "block layer",
               "driver": "driver", "rest": "rest of the kernel"}
# What such a figure counts is said beside it.
UNITLESS = ("ratio", "insn", "insn/MiB", "bios/MiB", "reads", "reads/MiB", "I/Os/MiB", "bytes/I/O",
            "I/O/s")
DISK_NAMES = {"array": "an array: 150 us, 200 MB/s", "nvme": "NVMe: 20 us, 2 GB/s",
              "hdd": "a hard disk of 2004"}
SIZES = ("64k", "1m", "16m", "512m")
SIZE_NAMES = ("64 KiB", "1 MiB", "16 MiB", "512 MiB")
RUN_KIB = (16, 64, 128, 256)
WINDOWS = (128, 512, 4096)


def find(rows, report, case, metric):
    """That row, or None"""
    return next((r for r in rows if tuple(r[k] for k in bench.KEY) == (report, case, metric)), None)


def value(rows, key, column):
    row = find(rows, *key)
    return row and row.get(column)


def unit(row):
    return "" if row["unit"] in UNITLESS else row["unit"]


def gains(results):
    """The table for who does not know the project"""
    rows, missing = [], 0
    for base, of_base in results.items():
        for report, case, metric, program in GAINS:
            row = find(of_base, report, case, metric)
            if not row:
                missing += 1
                continue
            what = page.tag("small", page.text(meaning(row)))
            rows.append((page.text(program) + what, page.text(row["base"] or base),
                         page.number(row["stock"], unit(row)),
                         page.number(row["patched"], unit(row)),
                         page.word(judge(row)) + page.share(row["ratio"])))
    if not rows:
        return page.missing("No kernel has been measured.", "make run")
    inner = page.table(("What a program does", "Kernel", "stock", "patched", "patched is"), rows,
                       ("stock", "patched"))
    if missing:
        more = (page.tag("code", f"make {what}") for what in
                ("bench", "bench ARRAY=fc", "bench ARRAY=many", "programs"))
        inner += page.tag("p", f"{missing} more rows come with {', '.join(more)}.", cls="soft")
    marks = page.legend([(BOX, f"--{kernel}", kernel) for kernel in bench.KERNELS])
    return tally(results) + marks + inner


def tally(results):
    """How many figures of those above got better, worse, or neither"""
    words = [judge(row)[0] for of_base in results.values()
             for row in (find(of_base, *gain[:3]) for gain in GAINS) if row]
    names = (("better", "better"), ("worse", "worse"), ("same", "no difference"),
             ("new", "only on patched"))
    cells = [page.tag("li", page.tag("b", words.count(name)) +
                      page.tag("span", shown, cls=f"word {name}"))
             for name, shown in names if words.count(name)]
    return page.tag("ul", "".join(cells), cls="tally")


def maybe(row, column):
    """A figure, or nothing where there is none"""
    return "" if row.get(column) is None else page.number(row[column], unit(row))


def field_cells(row):
    """A row of a field report's table"""
    case = row["case"].removesuffix("-harness")
    where = "" if case == row["case"] else " on a model"
    return (page.tag("code", page.text(case)) + where + page.tag("small", page.text(meaning(row))),
            *(maybe(row, column) for column in ("reported", "before", "stock", "patched")),
            page.word(judge(row)) if row["stock"] is not None else "")


def field_table(rows):
    """Theirs, what was wrong put back, ours; a column that is empty is left out"""
    heads = ("Case", "theirs", "with the fault", "stock", "patched", "patched is")
    columns = [*zip(*(field_cells(r) for r in rows))]
    kept = [i for i, cells in enumerate(columns) if any(cells)]
    return page.table([heads[i] for i in kept], [*zip(*(columns[i] for i in kept))], heads[1:5])


def made_by(rows):
    """Which command makes these rows anew, and the programs' own commands"""
    harness = any(r["case"].endswith("-harness") for r in rows)
    field = any(r["time"] == "machine" for r in rows)
    kernels = any(not r["case"].endswith("-harness") and r["time"] != "machine" for r in rows)
    makes = ", ".join(page.tag("code", command) for command, there in (
        ("make field", harness), ("make run", kernels), ("make bench", kernels),
        ("./field", field)) if there)
    cells = [(page.tag("code", page.text(command)), page.text(", ".join(sorted(
        {r["case"] for r in rows if r["command"] == command}))))
        for command in dict.fromkeys(r["command"] for r in rows)]
    return page.tag("p", f"Made by {makes}.", cls="command") + page.folded(
        "What ran", page.table(("Command", "Cases"), cells))


def fields(results):
    """The five reports from the field, theirs and ours"""
    inner = ""
    for name, year, title, wrong in FIELD:
        inner += page.tag("h3", page.text(f"{title} ({year}, {name})"))
        inner += page.tag("p", page.text(wrong))
        rows = [r for of_base in results.values() for r in of_base if r["report"] == name]
        first = [r for r in rows if r.get("reported") is not None or r["metric"] in HEADLINES]
        more = [r for r in rows if r not in first]
        if not rows:
            inner += page.missing("Nothing of this report.", "make field")
        if first:
            inner += field_table(first)
        if more:
            inner += page.folded(f"{len(more)} more figures", field_table(more))
        if rows:
            inner += made_by(rows)
    return inner


def bar(rows, case, kernel, most):
    """One kernel's I/O as boxes, one for each layer"""
    values = [(layer, value(rows, ("layers", case, layer), kernel) or 0) for layer in LAYERS]
    boxes = ""
    for layer, insn in values:
        share = 100 * insn / most
        if insn > 0:
            shown = page.number(round(insn)) if share >= 8 else ""
            boxes += page.tag("i", shown, cls=layer, style=f"width:{share:.2f}%;"
                              f"background:var(--{layer})",
                              title=f"{LAYER_NAMES[layer]}: {page.number(round(insn))}")
    total = page.tag("b", page.number(round(sum(v for _, v in values))))
    return (page.tag("span", kernel) + page.tag("div", boxes + total, cls="bar"))


def layer_table(rows, case):
    cells = []
    for layer in LAYERS:
        row = find(rows, "layers", case, layer)
        if row:
            cells.append((LAYER_NAMES[layer], page.number(row["stock"]),
                          page.number(row["patched"]), page.word(judge(row))))
    return page.folded("The same in figures",
                       page.table(("Layer", "stock", "patched", "patched is"), cells,
                                  ("stock", "patched")))


def cost(results):
    """An I/O by size, stacked by layer"""
    inner = ""
    for base, rows in results.items():
        for case in dict.fromkeys(r["case"] for r in rows if r["report"] == "layers"):
            most = max(sum(value(rows, ("layers", case, layer), kernel) or 0 for layer in LAYERS)
                       for kernel in bench.KERNELS)
            bars = "".join(bar(rows, case, kernel, most * 1.17) for kernel in bench.KERNELS)
            what, size, place = case.rsplit("-", 2)
            size = size.replace("k", " KiB").replace("m", " MiB")
            inner += page.figure(
                page.tag("h4", page.text(f"{what} of {size} on {place}, Linux {base}")) +
                page.tag("div", bars, cls="bars panel") + layer_table(rows, case),
                "Instructions of one direct I/O.", row_command(rows, "layers", case))
    if not inner:
        return page.missing("Where the instructions of an I/O go.", "make profile CASE=layers")
    return page.legend([(BOX, f"--{layer}", name) for layer, name in LAYER_NAMES.items()]) + inner


def row_command(rows, report, case):
    return next(r["command"] for r in rows if (r["report"], r["case"]) == (report, case))


def curve(title, series, labels, axes, prefix, log=False):
    """A small figure with its heading, and the figures themselves"""
    cells = [(page.text(label), *("" if v[i] is None else page.number(v[i])
                                  for v in series.values())) for i, label in enumerate(labels)]
    drawn = plot.lines(series, labels, axes, prefix, log) if plot.there_is() else page.tag(
        "p", f"No curve: gnuplot is missing ({page.tag('code', 'apt install gnuplot-nox')}).")
    numbers = page.folded("The same in figures", page.table((axes[0], *series), cells, [*series]))
    marks = page.legend([(*plot.GLYPHS[name], name) for name in series])
    return page.tag("div", page.tag("h4", page.text(title)) + marks + drawn + numbers, cls="panel")


def grid(panels):
    return page.tag("div", "".join(panels), cls="grid")


def bios(results):
    """Bios a MiB of direct writes, by size of the I/O and of the file system's blocks"""
    inner = ""
    for base, rows in results.items():
        panels = []
        for block in ("1k", "2k", "4k"):
            keys = [("field-5", f"ext2-{block}-{size}-create-harness", "bios_per_mib")
                    for size in SIZES]
            series = {name: [value(rows, key, column) for key in keys] for name, column in (
                ("fault", "before"), ("stock", "stock"), ("patched", "patched"))}
            series = {name: v for name, v in series.items() if any(x is not None for x in v)}
            if "patched" in series:
                panels.append(curve(f"blocks of {block[0]} KiB, Linux {base}", series, SIZE_NAMES,
                                    ("size of the write", "bios a MiB"), f"b{base}{block}", True))
        if panels:
            inner += page.figure(grid(panels), "Bios for a MiB of a new file on ext2, on a scale "
                                 "of powers of ten. Fault: with what the report of 2006 found put "
                                 "back into the engine. make field fails if patched takes one more "
                                 "than the least that there can be.", "make field")
    return inner or page.missing("Bios a MiB.", "make field")


def windows(results):
    """Readahead by the length of runs and by read_ahead_kb"""
    inner = ""
    for base, rows in results.items():
        for metric, axis, caption in (
                ("time", "us a run", "Time of a run, in microseconds, of a disk that takes 200 us "
                 "for a request."),
                ("bytes_read_per_used", "read for one used", "Bytes that the disk reads for one "
                 "that the program uses.")):
            panels = []
            for kb in WINDOWS:
                suffix = "" if kb == 128 else f"-kb{kb}"
                keys = [("readahead", f"run-{kib}k-by-4k{suffix}", metric) for kib in RUN_KIB]
                series = {k: [value(rows, key, k) for key in keys] for k in bench.KERNELS}
                if sum(v is not None for v in series["patched"]) > 1:
                    panels.append(curve(f"read_ahead_kb {kb}, Linux {base}", series, RUN_KIB,
                                        ("KiB a run", axis), f"w{base}{kb}{metric}"))
            if panels:
                inner += page.figure(grid(panels), f"{caption} Runs at random places, in reads of "
                                     "4 KiB.", "tools/lab/bench.py run windows")
    return inner or page.missing("Readahead by length of run and window.",
                                 "tools/lab/bench.py run windows")


def bars_of(events):
    """The rows of a timeline: (what, from, to) of the call, then of each bio up to its end"""
    last = events[-1]["at"] if events else 0
    rows = [("call", 0, next((e["at"] for e in events if e["what"] == "return"), 0))]
    ends = [e for e in events if e["what"] == "complete"]
    for bio in (e for e in events if e["what"] == "bio" and e["sectors"]):
        done = next((e["at"] for e in ends if e["at"] >= bio["at"] and
                     e["sector"] <= bio["sector"] < e["sector"] + e["sectors"]), None)
        label = f"{way(bio)} {page.number(bio['sectors'] // 2)} KiB"
        rows.append((label, bio["at"], done) if done else (f"{label} ...", bio["at"], last))
    return rows


def way(event):
    return "write" if "W" in event["rw"] else "read"


def traced(traces, kind):
    """{(base, label): {kernel: the trace}}"""
    found = {}
    for one in traces:
        if one["kind"] == kind:
            found.setdefault((one["base"], one["label"]), {})[one["kernel"]] = one
    return found


def timeline(traces):
    """One I/O of each kind in time"""
    panels = []
    for (base, label), kernels in traced(traces, "timeline").items():
        bars = {kernel: bars_of(one["events"]) for kernel, one in kernels.items()}
        most = max(end for rows in bars.values() for _, _, end in rows) or 1
        inner = page.tag("h4", page.text(f"{label}, Linux {bench.series_of(base)}"))
        inner += page.tag("p", page.text(next(iter(kernels.values()))["command"]), cls="soft")
        for kernel, rows in bars.items():
            inner += page.tag("h5", f"{kernel}: {page.number(round(rows[0][2]))} us") + page.tracks(
                [(what, "none" if what == "call" else kernel, start / most, end / most, "")
                 for what, start, end in rows])
        panels.append(page.tag("div", inner, cls="panel"))
    if not panels:
        return page.missing("One I/O of each kind, from tracepoints.", "make trace")
    return page.figure(grid(panels), "Microseconds, left is the call; grey is the call, a bar goes "
                       "from a bio's submission to its completion; ... is not complete when the "
                       "call returns. The disk takes 200 us for a "
                       "request. The program that marks the call takes some microseconds of it.",
                       "make trace")


def is_data(event, pieces):
    return any(start <= event["sector"] < start + length for start, length in pieces)


def order_rows(one):
    """(order and what, data or metadata, from, to, how far) of a trace's bios, in parts of the
    stretch of disk that has the data; of what is elsewhere, how far from its start"""
    start = one["data"][0][0]
    length = sum(one["data"][-1]) - start
    for n, e in enumerate((e for e in one["events"] if e["what"] == "bio" and e["sectors"]), 1):
        what = "data" if is_data(e, one["data"]) else "metadata"
        at = e["sector"] - start
        label = f"{n}. {way(e)} {what}, {e['sectors'] // 2} KiB"
        if 0 <= at < length:
            yield label, what, at / length, (at + e["sectors"]) / length, ""
        else:
            side = "before" if at < 0 else "behind"
            yield label, what, 0, 0, f"{page.number(abs(at) // 2)} KiB {side}"


def order(traces):
    """What the disk is asked for round a boundary, in that order"""
    panels = []
    for (base, _), kernels in traced(traces, "order").items():
        inner = page.tag("h4", page.text(f"{next(iter(kernels.values()))['command']}, "
                                         f"Linux {bench.series_of(base)}"))
        for kernel, one in kernels.items():
            if one["data"]:
                inner += page.tag("h5", kernel) + page.tracks(order_rows(one))
        panels.append(page.tag("div", inner, cls="panel"))
    if not panels:
        return page.missing("Data and metadata round a boundary.", "make trace")
    marks = page.legend([(BOX, "--patched", "data"), (BOX, "--worse", "metadata")])
    return marks + page.figure(page.tag("div", "".join(panels), cls="grid two"),
                               "Bios in the order in which the disk got them. From left to right: "
                               "where they lie in the stretch of the disk that has the file's "
                               "first 128 KiB; what is elsewhere says how far. A bio that goes "
                               "on where the last one ended becomes one request with it.",
                               "make trace")


def saved_cell(row):
    """What is saved of an I/O, by word and colour, and both figures"""
    if not row:
        return ""
    return (page.tag("span", bench_real.saved(row), cls=f"word {judge(row)[0]}") +
            page.tag("small", page.text(bench_real.pair(row))))


def later(results):
    """CPU per I/O on disks that complete later"""
    inner = ""
    for base, rows in results.items():
        for what, ways, lines in bench_real.grids(rows):
            cells = [(place, *(saved_cell(of[way]) for way in ways)) for place, of in lines]
            inner += page.tag("h3", page.text(f"{what}, Linux {base}"))
            inner += page.figure(page.table(("on", *ways), cells, ways),
                                 "CPU per I/O, percent saved; below: instructions of stock and "
                                 "patched. q: so many I/Os in flight.", "make real")
    return inner or page.missing("CPU per I/O on disks that complete later.", "make real")


def program_cell(row, reads):
    """What became of a program's time, by word and colour; times, and how often the disk read"""
    if not row:
        return ""
    word = judge(row)[0]
    change = "none" if word == "same" else f"{100 * (row['ratio'] - 1):+.1f} %"
    pairs = [f"{row['stock']:.3g} s, {row['patched']:.3g} s"]
    if reads:
        pairs.append(f"{reads['stock']}, {reads['patched']} reads")
    return (page.tag("span", change, cls=f"word {word}") +
            "".join(page.tag("small", page.text(pair)) for pair in pairs))


def programs(results):
    """Programs as people run them, a table for each disk"""
    inner = ""
    for base, rows in results.items():
        for disk, fs, percents in PROGRAM_PLACES:
            cells = []
            for name in PROGRAMS:
                cases = [f"{name}-{fs}-{disk}-m{percent}" for percent in percents]
                of = [(find(rows, "programs", case, "seconds"),
                       find(rows, "programs", case, "device_reads")) for case in cases]
                if any(row for row, _ in of):
                    cells.append((name, *(program_cell(*pair) for pair in of)))
            if cells:
                heads = [f"cache for {percent} %" for percent in percents]
                inner += page.tag("h3", page.text(f"{fs} on {DISK_NAMES[disk]}, Linux {base}"))
                inner += page.figure(page.table(("program", *heads), cells, heads),
                                     "Change of a program's time; below: seconds of stock and "
                                     "patched, and reads of the disk. Cache: what memory has for "
                                     "the program's data.", "make programs")
    return inner or page.missing("Programs on both kernels.", "make programs")


def machines(rows):
    """What the kit tells of the machine under each kernel"""
    keys = dict.fromkeys(key for r in rows for key in r["machine"])
    return page.table(("", *(r["case"] for r in rows)), [
        (page.text(key), *(page.text(r["machine"].get(key, "")) for r in rows)) for key in keys])


def everything(results):
    """All rows, as make report prints them"""
    rows = [r for of_base in results.values() for r in of_base]
    cells = [(page.text(r["report"]), page.text(r["case"]), page.text(r["metric"]),
              page.number(r["stock"], unit(r)), page.number(r["patched"], unit(r)),
              page.text(r["command"]), page.text((r.get("when") or "")[:10])) for r in rows]
    return page.folded(f"{len(rows)} rows of results.json", page.table(
        ("Report", "Case", "Metric", "stock", "patched", "Command", "Measured"), cells,
        ("stock", "patched")))


SECTIONS = (
    ("gain", "What you gain", gains, "stock is the kernel as it is, patched the same with this "
     "series. Instructions are counted, so that a figure is the same in each run; other times are "
     "of modelled disks. No figure is from hardware."),
    ("field", "The five reports from the field", fields, "What people measured between 2002 and "
     "2009, on their machines, beside what we measure: of the same kind, not of the same machine."),
    ("real", "On a disk of 100 us", later, "What the CPU does for an I/O on disks that complete by "
     "timer or interrupt: submitting, interrupts, waking who waits. An idle CPU is not counted."),
    ("programs", "Programs", programs, "sqlite, git, RocksDB, LMDB and others, run once from a cold "
     "cache, on modelled disks."),
    ("cost", "What an I/O costs", cost, "Every instruction is counted once, and belongs to the "
     "layer whose source file it is of."),
    ("bios", "Bios a MiB", bios, "A bio is one request of a file system to the block layer."),
    ("readahead", "Readahead by run and window", windows, "A run is a stretch that is read from "
     "its start to its end; read_ahead_kb is the largest window."),
    ("timeline", "One I/O in time", timeline, ""),
    ("order", "Data and metadata round a boundary", order, "A boundary is the place in a file "
     "where the next block's address stands in a block of metadata that lies there on the disk."),
)
OF_TRACES = {"timeline", "order"}


def by_base(rows):
    """{6.1: its rows}, older bases first"""
    found = {}
    for r in sorted(rows, key=lambda r: bench.version(r.get("base"))):
        found.setdefault(bench.series_of(r.get("base")), []).append(r)
    return found


def write(rows, traces):
    """The page"""
    title = "Direct I/O, readahead, raw devices: what was measured"
    of_machine = [r for r in rows if "machine" in r]
    rows = [r for r in rows if "machine" not in r]
    # Of the kit's figures the other sections have none.
    sections = [s for s in SECTIONS if not of_machine or s[0] == "field"]
    results = by_base(rows)
    dates = sorted(r["when"][:10] for r in rows if r.get("when"))
    kernels = ", ".join(sorted({r["base"] for r in rows if r.get("base")}, key=bench.version))
    head = page.tag("h1", title) + page.tag("p", page.text(
        f"Linux {kernels}" + (f", measured {dates[0]}" if dates else "") +
        (f" to {dates[-1]}" if dates and dates[0] != dates[-1] else "")), cls="soft")
    nav = page.tag("nav", "".join(page.tag("a", name, href=f"#{anchor}")
                                  for anchor, name, _, _ in sections))
    body = "".join(page.section(anchor, name, page.tag("p", page.text(words)) * bool(words) +
                                make(traces if anchor in OF_TRACES else results))
                   for anchor, name, make, words in sections)
    if of_machine:
        body += page.section("machine", "On what", machines(of_machine))
    return page.page(title, head + nav + body + page.section("all", "All figures",
                                                             everything(results)))


def main():
    if len(sys.argv) > 3:
        sys.exit("usage: bench_report.py [RESULTS [PAGE]]")
    source = sys.argv[1] if len(sys.argv) > 1 else bench.RESULTS
    out = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(source), "report.html")
    base = os.environ.get("BASE")
    if not os.path.exists(source):
        sys.exit(f"bench: no {source}: make run")
    rows = bench.of_base(bench.load(source), base)
    if not rows:
        sys.exit(f"bench: {source} has nothing of {base or 'any base'}: make run")
    traces = bench.load(os.path.join(os.path.dirname(source), "trace.json"))
    with open(out + ".part", "w", encoding="utf-8") as f:
        f.write(write(rows, bench.of_base(traces, base)))
    os.replace(out + ".part", out)
    print(out)


if __name__ == "__main__":
    main()
