#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write what was measured as one HTML page that needs nothing else: no network, no script.

    bench_report.py [RESULTS]       report.html beside RESULTS ($O/results.json)

RESULTS is a list of rows as bench.py or the kit's field writes them; steps.json beside it has those
of make series-steps. BASE=6.1 shows only that base. A section without data says what measures it.
Exit: 0 written, 1 nothing to show, 2 usage.
"""

import html
import os
import sys
from pathlib import Path

import bench
from bench_cases import (MARKED, PROGRAM_PLACES, REAL_DISKS, REAL_PLACES, REAL_WAYS, STACK_FS,
                         STACK_IOS, STACK_WAYS, STACKS, real_name)
from bench_programs import PROGRAMS
from profile import LAYERS

SAME = 0.005    # a change of half a percent or less is nobody's gain
MORE = ("mb_per_s", "per_s", "gain", "io_kib", "bio_kib")       # is better; of NEITHER nobody knows
NEITHER = ("ios_per_s",)
# What a metric counts, where its name does not say so
WORDS = {
    "insn": "instructions an I/O", "insn_per_mib": "instructions a MiB",
    "bios": "bios an I/O", "switches": "context switches an I/O",
    "late_us": "time of an I/O on disks of 100 us", "elapsed": "time", "time": "time a MiB",
    "seconds": "time", "latency_us": "mean latency", "mb_per_s": "throughput",
    "per_s": "I/Os a second", "ios_per_s": "I/Os a second",
    "gain": "speed of direct to buffered", "io_kib": "length of an I/O",
    "bio_kib": "length of a bio", "device_reads_per_run": "disk reads a run",
    "device_reads_per_mib": "disk reads a MiB", "reads_per_mib": "disk reads a MiB",
    "bytes_read_per_used": "bytes read for one used", "read_per_used": "bytes read for one used",
    "pages_unread": "pages read in vain", "bios_per_mib": "bios a MiB",
    "ios_per_mib": "I/Os a MiB", "cleared": "bytes cleared an I/O",
    "entries": "ring entries a MiB", "descriptors": "descriptors a MiB",
}

# The rows that a newcomer is shown first, each with the program that it stands for
OLTP = "OLTP on ext2 on a stripe: AIO, 7 reads to 5 writes"
GAINS = (
    ("readahead", "run-64k-by-4k-hdd", "time",
     "Reads runs of 64 KiB at random places, 4 KiB at a time, from a hard disk"),
    ("readahead", "run-64k-by-4k", "time",
     "Reads such runs from a disk that answers in 200 us"),
    ("readahead", "run-64k-by-4k", "bytes_read_per_used",
     "Reads such runs: how much comes from the disk"),
    ("field-2", "dss-bdev", "time", "Decision support: looks up an index beside a table scan"),
    ("field-2", "iozone-random-bdev", "time",
     "Reads records of 128 KiB at random places, file larger than memory (iozone)"),
    ("readahead", "random-4k", "time", "Reads single pages at random places"),
    ("readahead", "seq-4k", "time", "Reads a file from end to end"),
    ("programs", "lmdb-scan-ext4-array-m50", "seconds",
     "Reads all of a mapped LMDB database in key order, twice as large as memory, from an array"),
    ("programs", "sqlite-range-ext4-array-m50", "seconds",
     "Reads ranges of an sqlite table, twice as large as memory, from an array"),
    ("programs", "tar-ext4-array-m110", "seconds", "Packs a source tree from an array"),
    ("engine", "read-4k-ext2", "insn", "Reads 4 KiB at random places of a file on ext2, O_DIRECT"),
    ("engine", "overwrite-4k-ext2", "insn", "Overwrites 4 KiB at random places on ext2, O_DIRECT"),
    ("engine", "aio-4k-ext2", "insn", "Reads 4 KiB on ext2 by AIO, O_DIRECT"),
    ("engine", "read-64k-ext2", "insn", "Reads 64 KiB at random places on ext2, O_DIRECT"),
    ("engine", "read-1m-ext2", "insn", "Reads 1 MiB at random places on ext2, O_DIRECT"),
    ("engine", "read-4k-ext4", "insn", "Reads 4 KiB at random places on ext4, O_DIRECT"),
    ("engine", "overwrite-4k-ext4", "insn", "Overwrites 4 KiB at random places on ext4, O_DIRECT"),
    ("engine", "read-4k-bdev", "insn", "Reads 4 KiB of a bare disk, O_DIRECT"),
    ("engine", "read-4k-raw", "insn", "Reads 4 KiB of a raw device, /dev/raw/rawN"),
    ("field-1", "direct", "insn_per_mib", "Reads eight disks at once, 1 MiB each, O_DIRECT"),
    ("field-1", "buffered", "insn_per_mib", "Reads eight disks through the page cache"),
    ("field-1", "model-direct", "mb_per_s", "Reads eight disks of 2002 at once, O_DIRECT"),
    ("field-1", "qla-direct", "mb_per_s", "Reads eight disks behind qla2xxx at once, O_DIRECT"),
    ("field-1", "qla-one-piece", "insn_per_mib",
     "Reads 1 MiB behind qla2xxx into memory that is in one piece"),
    ("field-3", "fc-raid0-ext2-direct", "mb_per_s",
     "Writes new files of 32 MiB on ext2 on RAID0, O_DIRECT"),
    ("field-4", "fc-oltp-4k", "insn", f"{OLTP} of 4 KiB"),
    ("field-4", "fc-oltp-8k", "insn", f"{OLTP} of 8 KiB"),
    ("field-5", "many-ext2-create", "insn_per_mib",
     "Writes a file of 512 MiB on ext2 at once, striped over 64 disks"),
)


def meaning(row):
    """What a row's figure counts"""
    if row["metric"] == "time" and "run-" in row["case"]:
        return "time a run"
    return WORDS.get(row["metric"], row["metric"].replace("_", " "))


def amount(ratio):
    """A ratio as people say it"""
    if ratio == 0:
        return "none any more"
    if ratio >= 2:
        return f"{ratio:.1f} times as much"
    percent = f"{abs(ratio - 1):.0%}" if abs(ratio - 1) >= 0.1 else f"{abs(ratio - 1):.1%}"
    return f"{percent.replace('%', ' %')} {'less' if ratio < 1 else 'more'}"


def judge(row):
    """(better, worse, same, changed or new; the same in words) of a row's two kernels"""
    stock, patched, ratio = (row.get(k) for k in ("stock", "patched", "ratio"))
    if stock is None or patched is None:
        return "new" if stock is None else "gone", "only one kernel has it"
    if ratio is None and (stock or not patched):
        return "same", "no difference"
    change, how = (1, f"{patched:g}, was 0") if ratio is None else (ratio - 1, amount(ratio))
    if abs(change) <= SAME:
        return "same", "no difference" if how.startswith("0.0") else how
    if row["metric"] in NEITHER:
        return "changed", how
    return "better" if (change > 0) == (row["metric"] in MORE) else "worse", how


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
# What such a figure counts is said beside it.
UNITLESS = ("ratio", "insn", "insn/MiB", "bios/MiB", "reads", "reads/MiB", "I/Os/MiB", "bytes/I/O",
            "I/O/s")
DISK_NAMES = {"array": "an array: 150 us, 200 MB/s", "nvme": "NVMe: 20 us, 2 GB/s",
              "hdd": "a hard disk of 2004"}
CONFIGURATIONS = {"real": "the lab's configuration", "distro": "a distribution's options"}
LIMIT = 1.01            # of a stack's figures
STYLE = Path(__file__).with_name("report.css")


def text(words):
    return html.escape(str(words))


def tag(name, inner, **attributes):
    """An element; its inside is HTML already. cls stands for class."""
    given = "".join(f' {k.replace("cls", "class")}="{text(v)}"' for k, v in attributes.items() if v)
    return f"<{name}{given}>{inner}</{name}>"


def number(value, unit=""):
    """A figure as people write it, its thousands apart"""
    if value is None:
        return "none"
    shown = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{shown.replace(',', chr(0x202f))} {unit}".rstrip()


def chip(judged):
    """better, worse or what else, by word and by colour; and how much"""
    verdict, how = judged
    word = tag("span", "no difference" if verdict == "same" else verdict, cls=f"word {verdict}")
    return word if how == "no difference" else f"{word} {text(how)}"


def table(heads, rows, numbers=()):
    """Rows are of HTML; columns whose heads are in numbers stand to the right."""
    def line(name, cells):
        return tag("tr", "".join(tag(name, cell, cls="n" if head in numbers else "")
                                 for head, cell in zip(heads, cells)))
    return tag("table", tag("thead", line("th", map(text, heads))) +
               tag("tbody", "".join(line("td", row) for row in rows)))


def folded(title, inner):
    return tag("details", tag("summary", text(title)) + inner)


def made_by(*commands):
    return tag("p", f"Made by {', '.join(tag('code', text(c)) for c in commands)}.", cls="soft")


def missing(what, command):
    """In the place of a figure that has no data"""
    return tag("p", f"{text(what)} Not measured yet: {tag('code', text(command))} does it, then "
                    f"{tag('code', 'make report')}.", cls="missing")


def unit(row):
    return "" if row["unit"] in UNITLESS else row["unit"]


def maybe(row, column):
    """A figure, or nothing where there is none"""
    return "" if row.get(column) is None else number(row[column], unit(row))


def gains(results):
    """The table for who does not know the project"""
    rows, absent = [], 0
    for base, found in results.items():
        for *key, program in GAINS:
            row = found.get(tuple(key))
            if row:
                rows.append((text(program) + tag("small", text(meaning(row))),
                             text(row["base"] or base), maybe(row, "stock"), maybe(row, "patched"),
                             chip(judge(row))))
            absent += not row
    if not rows:
        return missing("No kernel has been measured.", "make run")
    more = f"{absent} more rows come with make bench, bench ARRAY=fc, bench ARRAY=many, programs."
    return table(("What a program does", "Kernel", "stock", "patched", "patched is"), rows,
                 ("stock", "patched")) + tag("p", more, cls="soft") * bool(absent)


def field_table(rows):
    """Theirs, what was wrong put back, ours; a column that is empty is left out"""
    heads = ("Case", "theirs", "with the fault", "stock", "patched", "patched is")
    cells = []
    for row in rows:
        case = row["case"].removesuffix("-harness")
        cells.append((tag("code", text(case)) + " in the harness" * (case != row["case"]) +
                      tag("small", text(meaning(row))),
                      *(maybe(row, column) for column in ("reported", "before", "stock", "patched")),
                      chip(judge(row)) if row["stock"] is not None else ""))
    kept = [i for i, column in enumerate(zip(*cells)) if any(column)]
    return table([heads[i] for i in kept], [[row[i] for i in kept] for row in cells], heads[1:5])


def fields(results):
    """The five reports from the field, theirs and ours"""
    inner = ""
    for name, year, title, wrong in FIELD:
        inner += tag("h3", text(f"{title} ({year}, {name})")) + tag("p", text(wrong))
        rows = [r for found in results.values() for r in found.values() if r["report"] == name]
        first = [r for r in rows if r.get("reported") is not None or r["metric"] in HEADLINES]
        more = [r for r in rows if r not in first]
        if first:
            inner += field_table(first)
        if more:
            inner += folded(f"{len(more)} more figures", field_table(more))
        machine = any(r.get("time") == "machine" for r in rows)
        ours = ("make field",) * (name in ("field-4", "field-5")) + ("make run", "make bench")
        inner += made_by(*["./field"] if machine else ours) \
            if rows else missing("Nothing of this report.", "make run")
    return inner


def cell(rows):
    """How much the first of them changed, by colour; below, both kernels' figures of that, and of
    what else changed"""
    rows = [row for row in rows if row]
    if not rows:
        return ""
    rows[1:] = [row for row in rows[1:] if judge(row)[0] != "same"]
    verdict, how = judge(rows[0])
    change = f"{100 * (rows[0]['ratio'] - 1):+.1f} %" if verdict != "same" and rows[0]["ratio"] \
        else "none" if verdict == "same" else how
    return tag("span", change, cls=f"word {verdict}") + "".join(
        tag("small", text(f"{number(row['stock'])}, {number(row['patched'])} "
                          f"{row['unit'] or row['metric']}")) for row in rows)


def grid(found, title, corner, lines, columns, keys):
    """A table of what keys(line, column) names, without lines and columns that are empty"""
    cells = {(line, column): cell([found.get(key) for key in keys(line, column)])
             for line in lines for column in columns}
    lines = [line for line in lines if any(cells[line, column] for column in columns)]
    columns = [column for column in columns if any(cells[line, column] for line in lines)]
    if not lines:
        return ""
    return tag("h3", text(title)) + table((corner, *columns), [
        (text(line), *(cells[line, column] for column in columns)) for line in lines], columns)


def of_real(base, found):
    for disk, what in REAL_DISKS.items():
        for guest in reversed(MARKED):
            yield grid(found, f"{what}; {CONFIGURATIONS[guest]}, Linux {base}", "on", REAL_PLACES,
                       REAL_WAYS, lambda place, way, disk=disk, guest=guest:
                       [("real", real_name(way, place, disk, guest), "insn")])


def of_programs(base, found):
    for disk, fs, percents in PROGRAM_PLACES:
        yield grid(found, f"{fs} on {DISK_NAMES[disk]}, Linux {base}", "program", PROGRAMS,
                   [f"cache for {percent} %" for percent in percents],
                   lambda name, cache, disk=disk, fs=fs:
                   [("programs", f"{name}-{fs}-{disk}-m{cache.split()[2]}", metric)
                    for metric in ("seconds", "device_reads")])


def of_layers(base, found):
    cases = dict.fromkeys(case for report, case, _ in found if report == "layers")
    yield grid(found, f"instructions of one direct I/O, Linux {base}", "layer", LAYERS, [*cases],
               lambda layer, case: [("layers", case, layer)])


def of_stacks(base, found):
    above = [(text(case), text(meaning(row)), maybe(row, "stock"), maybe(row, "patched"))
             for (report, case, _), row in found.items() if report == "stacks" and
             None not in (row["stock"], row["patched"]) and row["patched"] > LIMIT * row["stock"]]
    lines = [f"{stack} {io}" for stack in (*STACKS, "integrity") for io in STACK_IOS]
    grids = [grid(found, f"{fs}, Linux {base}", "stack", lines, STACK_WAYS, lambda line, way, fs=fs:
                  [("stacks", f"{line.split()[1]}-{way}-{fs}-{line.split()[0]}", metric)
                   for metric in ("insn", "bios", "switches", "late_us")]) for fs in STACK_FS]
    if any(grids):
        yield tag("h3", f"More than one percent above stock, Linux {base}: {len(above) or 'none'}")
        yield table(("Row", "", "stock", "patched"), above, ("stock", "patched")) * bool(above)
    yield from grids


def of_shared(base, found):
    rows = [(text(case), text(who), maybe(row, "stock"), maybe(row, "patched"))
            for (report, case, who), row in found.items() if report == "shared"]
    if rows:
        yield tag("h3", f"Linux {base}")
        yield table(("I/O", "Written by", "stock", "patched"), rows, ("stock", "patched"))


def section_of(make, command):
    """What makes a section of the grids that MAKE has for a base"""
    def of(results):
        inner = "".join(part for base, found in results.items() for part in make(base, found))
        return inner + made_by(command) if inner else missing("", command)
    return of


def machines(rows):
    """What the kit tells of the machine under each kernel"""
    keys = dict.fromkeys(key for r in rows for key in r["machine"])
    return table(("", *(r["case"] for r in rows)), [
        (text(key), *(text(r["machine"].get(key, "")) for r in rows)) for key in keys])


def worth(rows):
    """What each patch of the series gives: its own rows, on the kernels before and behind it"""
    cells = [(text(r["patch"]), text(r["case"]), text(meaning(r)), maybe(r, "stock"),
              maybe(r, "patched"), chip(judge(r))) for r in rows]
    return table(("Patch", "Row", "", "before", "behind", "behind is"), cells,
                 ("before", "behind"))


def everything(rows):
    """All rows, as make report prints them"""
    cells = [(*map(text, (r["report"], r["case"], r["metric"])), maybe(r, "stock"),
              maybe(r, "patched"), text(r["command"]), text((r.get("when") or "")[:10]))
             for r in rows]
    return folded(f"{len(rows)} rows of results.json", table(
        ("Report", "Case", "Metric", "stock", "patched", "Command", "Measured"), cells,
        ("stock", "patched")))


SECTIONS = (
    ("gain", "What you gain", gains, "stock is the kernel as it is, patched the same with this "
     "series. Instructions are counted, so that a figure is the same in each run; other times are "
     "of modelled disks. No figure is from hardware."),
    ("field", "The five reports from the field", fields, "What people measured between 2002 and "
     "2009, on their machines, beside what we measure: of the same kind, not of the same machine."),
    ("real", "On a disk of 100 us", section_of(of_real, "make real"),
     "Change of the CPU's instructions for an I/O on disks that complete by timer or interrupt: "
     "submitting, interrupts, waking who waits. An idle CPU is not counted. q: so many in flight."),
    ("stacks", "Stacked disks", section_of(of_stacks, "make bench"),
     "Direct I/Os of 4 KiB of a file. Change of the instructions of all tasks; below, both kernels' "
     "figures: instructions and, if they differ, bios below the stack, context switches of all "
     "tasks, and us on disks of 100 us."),
    ("shared", "What CPUs share", section_of(of_shared, "tools/lab/bench.py run shared"),
     "Cache lines that two CPUs take from each other for a direct I/O of 4 KiB, by the function that "
     "writes there first: on one open file, or each on its own."),
    ("programs", "Programs", section_of(of_programs, "make programs"),
     "Change of a program's time, run once from a cold cache, on modelled disks; below: seconds "
     "and, if they differ, reads of the disk. Cache: what memory has for the program's data."),
    ("cost", "What an I/O costs", section_of(of_layers, "make profile CASE=layers"),
     "Every instruction is counted once, and belongs to the layer whose source file it is of."),
)


def write(rows):
    """The page"""
    title = "Direct I/O, readahead, raw devices: what was measured"
    of_machine = [r for r in rows if "machine" in r]
    of_patches = [r for r in rows if r.get("patch")]
    rows = sorted((r for r in rows if "machine" not in r and r not in of_patches),
                  key=lambda r: bench.version(r.get("base")))
    results = {}
    for r in rows:
        results.setdefault(bench.series_of(r.get("base")), {})[tuple(r[k] for k in bench.KEY)] = r
    dates = sorted(r["when"][:10] for r in rows if r.get("when"))
    kernels = ", ".join(dict.fromkeys(r["base"] for r in rows if r.get("base")))
    measured = f", measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
    # Of the kit's figures the other sections have none.
    sections = [(anchor, name, tag("p", text(words)) + make(results))
                for anchor, name, make, words in SECTIONS if not of_machine or anchor == "field"]
    if of_machine:
        sections.append(("machine", "On what", machines(of_machine)))
    if of_patches:
        sections.append(("worth", "What each patch is worth", tag("p", text(
            "Each patch of the series on top of those before it.")) + worth(of_patches) +
            made_by("make series-steps")))
    sections.append(("all", "All figures", everything(rows)))
    body = tag("h1", title) + tag("p", text(f"Linux {kernels}{measured}"), cls="soft")
    body += tag("nav", " ".join(tag("a", name, href=f"#{anchor}") for anchor, name, _ in sections))
    body += "".join(tag("section", tag("h2", text(name)) + inner, id=anchor)
                    for anchor, name, inner in sections)
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<title>{title}</title><style>\n{STYLE.read_text()}</style></head>\n"
            f"<body>{body}</body></html>\n")


def main():
    if len(sys.argv) > 2:
        sys.exit("usage: bench_report.py [RESULTS]")
    source = Path(sys.argv[1] if len(sys.argv) > 1 else bench.RESULTS)
    out, base = source.with_name("report.html"), os.environ.get("BASE")
    if not source.exists():
        sys.exit(f"bench: no {source}: make run")
    steps = bench.load(source.with_name(bench.STEPS))
    if not steps and len(sys.argv) < 2:
        steps = bench.load(Path(bench.LAB, "../../series", bench.STEPS))
    rows = bench.of_base(bench.load(source) + steps, base)
    if not rows:
        sys.exit(f"bench: {source} has nothing of {base or 'any base'}: make run")
    bench.write(write(rows), out)
    print(out)


if __name__ == "__main__":
    main()
