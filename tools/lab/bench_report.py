#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write what was measured as one HTML page that needs nothing else: no network, no script.

    bench_report.py [RESULTS [PAGE]]     $O/results.json and $O/report.html, unless they are named

RESULTS is a list of rows as bench.py or the kit's field writes them. BASE=6.1 shows only that base. A
figure without data says what measures it. Exit: 0 written, 1 nothing to show, 2 usage.
"""

import html
import os
import sys

import bench
from bench_cases import PROGRAM_PLACES, PROGRAMS
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
RUN_KIB = (16, 64, 128, 256)
WINDOWS = (128, 512, 4096)
STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.css")


def text(words):
    return html.escape(str(words))


def tag(name, inner, **attributes):
    """An element; its inside is HTML already. is_ stands for data-is, and cls for class."""
    names = {"cls": "class", "is_": "data-is"}
    given = "".join(f' {names.get(k, k)}="{text(v)}"' for k, v in attributes.items() if v)
    return f"<{name}{given}>{inner}</{name}>"


def number(value, unit=""):
    """A figure as people write it, its thousands apart"""
    if value is None:
        return "none"
    shown = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{shown.replace(',', chr(0x202f))} {unit}".rstrip()


def word(judged):
    """better, worse or what else, by word and by colour; and how much"""
    verdict, how = judged
    chip = tag("span", "no difference" if verdict == "same" else verdict, cls=f"word {verdict}")
    return chip if how == "no difference" else f"{chip} {text(how)}"


def share(ratio):
    """Patched beside stock, as two bars of one length at most"""
    if not ratio or ratio < 0:
        return ""
    widths = 100 / max(ratio, 1), 100 * min(ratio, 1)
    return tag("span", "".join(f'<i class="{name}" style="width:{width:.1f}%"></i>'
                               for name, width in zip(("stock", "patched"), widths)), cls="share")


def table(heads, rows, numbers=()):
    """Rows are of HTML; columns whose heads are in numbers stand to the right."""
    head = "".join(tag("th", text(h), cls="n" if h in numbers else "") for h in heads)
    body = "".join(tag("tr", "".join(
        tag("td", cell, cls="n" if h in numbers else "", is_=h if i else "")
        for i, (h, cell) in enumerate(zip(heads, row)))) for row in rows)
    return tag("table", tag("thead", tag("tr", head)) + tag("tbody", body), cls="cards")


def folded(title, inner):
    return tag("details", tag("summary", text(title)) + inner)


def figure(inner, caption, command):
    """What is seen, with its unit, and what makes it anew"""
    made = f"{text(caption)} Made by {tag('code', text(command))}."
    return tag("figure", inner + tag("figcaption", made))


def legend(series):
    """What the marks of a figure stand for: [(a mark, its colour's name, what it is)]"""
    shown = "".join(tag("span", tag("b", mark, style=f"color:var({colour})") + " " + text(name))
                    for mark, colour, name in series)
    return tag("div", shown, cls="legend")


def missing(what, command):
    """In the place of a figure that has no data"""
    return tag("p", f"{text(what)} Not measured yet: {tag('code', text(command))} does it, then "
                    f"{tag('code', 'make report')}.", cls="missing")


def section(name, title, inner):
    return tag("section", tag("h2", text(title)) + inner, id=name)


def page(title, inner):
    with open(STYLE, encoding="utf-8") as f:
        style = f.read()
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<title>{text(title)}</title><style>\n{style}</style></head>\n"
            f"<body>{inner}</body></html>\n")


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
    rows, absent = [], 0
    for base, of_base in results.items():
        for report, case, metric, program in GAINS:
            row = find(of_base, report, case, metric)
            if not row:
                absent += 1
                continue
            what = tag("small", text(meaning(row)))
            rows.append((text(program) + what, text(row["base"] or base),
                         number(row["stock"], unit(row)),
                         number(row["patched"], unit(row)),
                         word(judge(row)) + share(row["ratio"])))
    if not rows:
        return missing("No kernel has been measured.", "make run")
    inner = table(("What a program does", "Kernel", "stock", "patched", "patched is"), rows,
                       ("stock", "patched"))
    if absent:
        more = (tag("code", f"make {what}") for what in
                ("bench", "bench ARRAY=fc", "bench ARRAY=many", "programs"))
        inner += tag("p", f"{absent} more rows come with {', '.join(more)}.", cls="soft")
    marks = legend([(BOX, f"--{kernel}", kernel) for kernel in bench.KERNELS])
    return marks + inner


def maybe(row, column):
    """A figure, or nothing where there is none"""
    return "" if row.get(column) is None else number(row[column], unit(row))


def field_cells(row):
    """A row of a field report's table"""
    case = row["case"].removesuffix("-harness")
    where = "" if case == row["case"] else " on a model"
    return (tag("code", text(case)) + where + tag("small", text(meaning(row))),
            *(maybe(row, column) for column in ("reported", "before", "stock", "patched")),
            word(judge(row)) if row["stock"] is not None else "")


def field_table(rows):
    """Theirs, what was wrong put back, ours; a column that is empty is left out"""
    heads = ("Case", "theirs", "with the fault", "stock", "patched", "patched is")
    columns = [*zip(*(field_cells(r) for r in rows))]
    kept = [i for i, cells in enumerate(columns) if any(cells)]
    return table([heads[i] for i in kept], [*zip(*(columns[i] for i in kept))], heads[1:5])


def made_by(rows):
    """Which command makes these rows anew"""
    harness = any(r["case"].endswith("-harness") for r in rows)
    field = any(r["time"] == "machine" for r in rows)
    kernels = any(not r["case"].endswith("-harness") and r["time"] != "machine" for r in rows)
    makes = ", ".join(tag("code", command) for command, there in (
        ("make field", harness), ("make run", kernels), ("make bench", kernels),
        ("./field", field)) if there)
    return tag("p", f"Made by {makes}.", cls="command")


def fields(results):
    """The five reports from the field, theirs and ours"""
    inner = ""
    for name, year, title, wrong in FIELD:
        inner += tag("h3", text(f"{title} ({year}, {name})"))
        inner += tag("p", text(wrong))
        rows = [r for of_base in results.values() for r in of_base if r["report"] == name]
        first = [r for r in rows if r.get("reported") is not None or r["metric"] in HEADLINES]
        more = [r for r in rows if r not in first]
        if not rows:
            inner += missing("Nothing of this report.", "make field")
        if first:
            inner += field_table(first)
        if more:
            inner += folded(f"{len(more)} more figures", field_table(more))
        if rows:
            inner += made_by(rows)
    return inner


def bar(rows, case, kernel, most):
    """One kernel's I/O as boxes, one for each layer"""
    values = [(layer, value(rows, ("layers", case, layer), kernel) or 0) for layer in LAYERS]
    boxes = ""
    for layer, insn in values:
        part = 100 * insn / most
        if insn > 0:
            shown = number(round(insn)) if part >= 8 else ""
            boxes += tag("i", shown, cls=layer, style=f"width:{part:.2f}%;"
                              f"background:var(--{layer})",
                              title=f"{LAYER_NAMES[layer]}: {number(round(insn))}")
    total = tag("b", number(round(sum(v for _, v in values))))
    return (tag("span", kernel) + tag("div", boxes + total, cls="bar"))


def layer_table(rows, case):
    cells = []
    for layer in LAYERS:
        row = find(rows, "layers", case, layer)
        if row:
            cells.append((LAYER_NAMES[layer], number(row["stock"]),
                          number(row["patched"]), word(judge(row))))
    return folded("The same in figures",
                       table(("Layer", "stock", "patched", "patched is"), cells,
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
            inner += figure(
                tag("h4", text(f"{what} of {size} on {place}, Linux {base}")) +
                tag("div", bars, cls="bars panel") + layer_table(rows, case),
                "Instructions of one direct I/O.", row_command(rows, "layers", case))
    if not inner:
        return missing("Where the instructions of an I/O go.", "make profile CASE=layers")
    return legend([(BOX, f"--{layer}", name) for layer, name in LAYER_NAMES.items()]) + inner


def row_command(rows, report, case):
    return next(r["command"] for r in rows if (r["report"], r["case"]) == (report, case))


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
            cells = [(name, *("" if v is None else number(v) for v in values))
                     for name, values in lines if any(v is not None for v in values)]
            heads = ("length of a run", *(f"{kib} KiB" for kib in RUN_KIB))
            inner += figure(table(heads, cells, heads[1:]), f"Linux {base}: {what}. Runs at random "
                            "places, in reads of 4 KiB.", "tools/lab/bench.py run windows") * bool(cells)
    return inner or missing("Readahead by length of run and window.",
                            "tools/lab/bench.py run windows")


def saved_cell(row):
    """What is saved of an I/O, by word and colour, and both figures"""
    if not row:
        return ""
    return (tag("span", bench_real.saved(row), cls=f"word {judge(row)[0]}") +
            tag("small", text(bench_real.pair(row))))


def later(results):
    """CPU per I/O on disks that complete later"""
    inner = ""
    for base, rows in results.items():
        for what, ways, lines in bench_real.grids(rows):
            cells = [(place, *(saved_cell(of[way]) for way in ways)) for place, of in lines]
            inner += tag("h3", text(f"{what}, Linux {base}"))
            inner += figure(table(("on", *ways), cells, ways),
                                 "CPU per I/O, percent saved; below: instructions of stock and "
                                 "patched. q: so many I/Os in flight.", "make real")
    return inner or missing("CPU per I/O on disks that complete later.", "make real")


def program_cell(row, reads):
    """What became of a program's time, by word and colour; times, and how often the disk read"""
    if not row:
        return ""
    verdict = judge(row)[0]
    change = "none" if verdict == "same" else f"{100 * (row['ratio'] - 1):+.1f} %"
    pairs = [f"{row['stock']:.3g} s, {row['patched']:.3g} s"]
    if reads:
        pairs.append(f"{reads['stock']}, {reads['patched']} reads")
    return (tag("span", change, cls=f"word {verdict}") +
            "".join(tag("small", text(pair)) for pair in pairs))


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
                inner += tag("h3", text(f"{fs} on {DISK_NAMES[disk]}, Linux {base}"))
                inner += figure(table(("program", *heads), cells, heads),
                                     "Change of a program's time; below: seconds of stock and "
                                     "patched, and reads of the disk. Cache: what memory has for "
                                     "the program's data.", "make programs")
    return inner or missing("Programs on both kernels.", "make programs")


def machines(rows):
    """What the kit tells of the machine under each kernel"""
    keys = dict.fromkeys(key for r in rows for key in r["machine"])
    return table(("", *(r["case"] for r in rows)), [
        (text(key), *(text(r["machine"].get(key, "")) for r in rows)) for key in keys])


def everything(results):
    """All rows, as make report prints them"""
    rows = [r for of_base in results.values() for r in of_base]
    cells = [(text(r["report"]), text(r["case"]), text(r["metric"]),
              number(r["stock"], unit(r)), number(r["patched"], unit(r)),
              text(r["command"]), text((r.get("when") or "")[:10])) for r in rows]
    return folded(f"{len(rows)} rows of results.json", table(
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
    head = tag("h1", title) + tag("p", text(
        f"Linux {kernels}" + (f", measured {dates[0]}" if dates else "") +
        (f" to {dates[-1]}" if dates and dates[0] != dates[-1] else "")), cls="soft")
    nav = tag("nav", "".join(tag("a", name, href=f"#{anchor}")
                                  for anchor, name, _, _ in sections))
    body = "".join(section(anchor, name, tag("p", text(words)) * bool(words) +
                                make(results)) for anchor, name, make, words in sections)
    if of_machine:
        body += section("machine", "On what", machines(of_machine))
    return page(title, head + nav + body + section("all", "All figures",
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
