#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write what was measured as one HTML page that needs nothing else: no network, no script.

    bench_report.py [RESULTS [PAGE]]     $O/results.json and $O/report.html, unless they are named

RESULTS is a list of rows as bench.py or the kit's field writes them. BASE=6.1 shows only that base. A
figure without data says what measures it. Exit: 0 written, 1 nothing to show, 2 usage.
"""

import os
import sys

import bench
from bench_cases import PROGRAM_PLACES, PROGRAMS
import bench_page as page
import bench_real
from bench_words import GAINS, judge, meaning
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
    return marks + inner


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
    """Which command makes these rows anew"""
    harness = any(r["case"].endswith("-harness") for r in rows)
    field = any(r["time"] == "machine" for r in rows)
    kernels = any(not r["case"].endswith("-harness") and r["time"] != "machine" for r in rows)
    makes = ", ".join(page.tag("code", command) for command, there in (
        ("make field", harness), ("make run", kernels), ("make bench", kernels),
        ("./field", field)) if there)
    return page.tag("p", f"Made by {makes}.", cls="command")


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


def numbers(caption, heads, lines, command):
    """A table of figures; "" where all of it is empty"""
    cells = [(page.text(name), *("" if v is None else page.number(v) for v in values))
             for name, values in lines if any(v is not None for v in values)]
    return page.figure(page.table(heads, cells, heads[1:]), caption, command) if cells else ""


def bios(results):
    """Bios a MiB of direct writes, by size of the I/O and of the file system's blocks"""
    inner = ""
    for base, rows in results.items():
        lines = [(f"blocks of {block[0]} KiB, {name}",
                  [value(rows, ("field-5", f"ext2-{block}-{size}-create-harness", "bios_per_mib"),
                         column) for size in SIZES])
                 for block in ("1k", "2k", "4k") for name, column in (
                     ("with the fault", "before"), ("stock", "stock"), ("patched", "patched"))]
        inner += numbers(
            f"Linux {base}: bios for a MiB of a new file on ext2. The fault is what the report of 2006 "
            "found, put back into the engine. make field fails if patched takes one more than the "
            "least that there can be.", ("size of the write", *SIZE_NAMES), lines, "make field")
    return inner or page.missing("Bios a MiB.", "make field")


def windows(results):
    """Readahead by the length of runs and by read_ahead_kb"""
    inner = ""
    for base, rows in results.items():
        for metric, what in (("time", "us a run, of a disk that takes 200 us for a request"),
                             ("bytes_read_per_used", "bytes that the disk reads for one that the "
                              "program uses")):
            lines = [(f"read_ahead_kb {kb}, {kernel}",
                      [value(rows, ("readahead", f"run-{kib}k-by-4k" +
                                    ("" if kb == 128 else f"-kb{kb}"), metric), kernel)
                       for kib in RUN_KIB]) for kb in WINDOWS for kernel in bench.KERNELS]
            inner += numbers(f"Linux {base}: {what}. Runs at random places, in reads of 4 KiB.",
                             ("length of a run", *(f"{kib} KiB" for kib in RUN_KIB)), lines,
                             "tools/lab/bench.py run windows")
    return inner or page.missing("Readahead by length of run and window.",
                                 "tools/lab/bench.py run windows")


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
)


def by_base(rows):
    """{6.1: its rows}, older bases first"""
    found = {}
    for r in sorted(rows, key=lambda r: bench.version(r.get("base"))):
        found.setdefault(bench.series_of(r.get("base")), []).append(r)
    return found


def write(rows):
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
                                make(results)) for anchor, name, make, words in sections)
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
    with open(out + ".part", "w", encoding="utf-8") as f:
        f.write(write(rows))
    os.replace(out + ".part", out)
    print(out)


if __name__ == "__main__":
    main()
