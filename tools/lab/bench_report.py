#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write what was measured as one HTML page that needs nothing else: no network, no script.

    bench_report.py [RESULTS]       report.html beside RESULTS ($O/results.json)
    bench_report.py verdict LEFT_OUT [STEP]...      what make run has done, in five lines

RESULTS is a list of rows as bench.py or the kit's field writes them; steps.json beside it has those
of make series-steps. BASE=6.1 shows only that base. A section without data says what measures it.

LEFT_OUT names the tests that were not to run; STEPs failed: field, tests, kernel, bench, report. Tests are
those whose TAP in $O/log is no older than $O/log/run.start, figures are rows measured since then:
what an earlier run left says nothing.

Exit: 0 written, all is well, 1 nothing to show, something failed.
"""

import html
import math
import os
import re
import sys
import time
from collections import Counter, defaultdict, namedtuple
from functools import partial
from pathlib import Path

import bench
from bench_disks import METRICS
from xfail import RESULT

SAME = 0.005    # a change of half a percent or less is nobody's gain
MORE = ("mb_per_s", "per_s", "gain", "io_kib", "bio_kib")       # is better; of NEITHER nobody knows
NEITHER = ("ios_per_s",)

# The rows that a newcomer is shown first, each with the program that it stands for
GAINS = tuple((tuple(row.split()), program) for row, program in (
    ("readahead run-64k-by-4k-hdd time", "Reads 64 KiB at random places of a hard disk by 4 KiB"),
    ("readahead run-64k-by-4k time", "Reads such runs from a disk that answers in 200 us"),
    ("readahead run-64k-by-4k bytes_read_per_used", "Reads such runs: how much the disk reads"),
    ("field-2 dss-bdev time", "Decision support: looks up an index beside a table scan"),
    ("field-2 iozone-random-bdev time", "Reads records of 128 KiB at random places (iozone)"),
    ("readahead random-4k time", "Reads single pages at random places"),
    ("readahead seq-4k time", "Reads a file from end to end"),
    ("programs lmdb-scan-ext4-array-m50 seconds", "Reads a mapped LMDB twice as large as memory"),
    ("programs sqlite-range-ext4-array-m50 seconds", "Reads ranges of sqlite, twice memory's size"),
    ("programs tar-ext4-array-m110 seconds", "Packs a source tree from an array"),
    ("engine read-4k-ext2 insn", "Reads 4 KiB at random places of a file on ext2, O_DIRECT"),
    ("engine overwrite-4k-ext2 insn", "Overwrites 4 KiB at random places on ext2, O_DIRECT"),
    ("engine aio-4k-ext2 insn", "Reads 4 KiB on ext2 by AIO, O_DIRECT"),
    ("engine read-64k-ext2 insn", "Reads 64 KiB at random places on ext2, O_DIRECT"),
    ("engine read-1m-ext2 insn", "Reads 1 MiB at random places on ext2, O_DIRECT"),
    ("engine read-4k-ext4 insn", "Reads 4 KiB at random places on ext4, O_DIRECT"),
    ("engine overwrite-4k-ext4 insn", "Overwrites 4 KiB at random places on ext4, O_DIRECT"),
    ("engine read-4k-bdev insn", "Reads 4 KiB of a bare disk, O_DIRECT"),
    ("engine read-4k-raw insn", "Reads 4 KiB of a raw device, /dev/raw/rawN"),
    ("field-1 direct insn_per_mib", "Reads eight disks at once, 1 MiB each, O_DIRECT"),
    ("field-1 buffered insn_per_mib", "Reads eight disks through the page cache"),
    ("field-1 model-direct mb_per_s", "Reads eight disks of 2002 at once, O_DIRECT"),
    ("field-1 qla-direct mb_per_s", "Reads eight disks behind qla2xxx at once, O_DIRECT"),
    ("field-1 qla-one-piece insn_per_mib", "Reads 1 MiB behind qla2xxx into memory in one piece"),
    ("field-3 fc-raid0-ext2-direct mb_per_s", "Writes new files on ext2 on RAID0, O_DIRECT"),
    *((f"field-4 fc-oltp-{size}k insn",
       f"OLTP on ext2 on a stripe: AIO, 7 reads to 5 writes of {size} KiB") for size in (4, 8)),
    ("field-5 many-ext2-create insn_per_mib", "Writes a large file on ext2 at once, over 64 disks"),
))


def meaning(row):
    """What a row's figure counts"""
    if row["metric"] == "time" and "run-" in row["case"]:
        return "time a run"
    return METRICS.get(row["metric"], ("", row["metric"].replace("_", " ")))[1]


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
UNITLESS = ("ratio", "insn", "insn/MiB", "bios/MiB", "reads", "bytes/I/O", "I/O/s")
LIMIT = 1.01            # what is above it is named
# Reports whose rows' "CASE METRIC" tells where a figure stands: the table, the line and the column.
# The first metric of a cell is what it is of; others are shown if they changed.
GRIDS = {
    "real": (r"(.+)-(\w+)-(100us|sdebug|atonce)(-distro)? insn", r"\3\4", r"\2", r"\1"),
    "stacks": (r"(\w+)-(sync|\w+-q\d+)-(ext4|jfs)-(\S+) .*", r"\3", r"\4 \1", r"\2"),
    "shared": (r"(\w+)-(one|own)-(\w+) (.+)", r"\3", r"\4", r"\1, \2 file"),
    "programs": (r"(.+)-(\w+)-(\w+)-m(\d+) (seconds|device_reads)", r"\2 on \3", r"\1",
                 r"cache for \4 %"),
    "layers": (r"(\S+) (\S+)", "instructions of one direct I/O", r"\2", r"\1"),
}
STYLE = Path(__file__).with_name("report.css")
LOG = os.path.join(bench.OUT, "log")
MOST = 3        # so many examples are named


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


def chip(row):
    """better, worse or what else, by word and by colour; and how much"""
    word, how = judge(row)
    inner = tag("span", "no difference" if word == "same" else word, cls=f"word {word}")
    return inner if how == "no difference" else f"{inner} {text(how)}"


def case_of(row):
    case = row["case"].removesuffix("-harness")
    return tag("code", text(case)) + " in the harness" * (case != row["case"]) + \
        tag("small", text(meaning(row)))


# Columns of figures, which stand to the right, and columns of words
FIGURES = {"theirs": "reported", "with the fault": "before", "stock": "stock", "patched": "patched"}
WORDS = {
    "What a program does": lambda r: text(r["program"]) + tag("small", text(meaning(r))),
    "Case": case_of,
    "patched is": lambda r: "" if r["stock"] is None and "before" in r else chip(r),
    "Measured": lambda r: text((r.get("when") or "")[:10]),
}


def column(head, row):
    """What stands there of a row, if anything"""
    if head in FIGURES:
        value, shown = row.get(FIGURES[head]), "" if row["unit"] in UNITLESS else row["unit"]
        return "" if value is None else number(value, shown)
    return WORDS[head](row) if head in WORDS else text(row.get(head.lower()) or "")


def table(heads, rows, numbers=()):
    """Rows are of HTML; columns whose heads are in numbers stand to the right."""
    def line(name, cells):
        return tag("tr", "".join(tag(name, cell, cls="n" if head in numbers else "")
                                 for head, cell in zip(heads, cells)))
    return tag("table", tag("thead", line("th", map(text, heads))) +
               tag("tbody", "".join(line("td", row) for row in rows)))


def listing(rows, *heads):
    """A line for each row; a column that is empty is left out."""
    cells = {head: [column(head, row) for row in rows] for head in heads}
    cells = {head: column for head, column in cells.items() if any(column)}
    return table(cells, zip(*cells.values()), FIGURES) if rows else ""


def folded(title, inner):
    return tag("details", tag("summary", text(title)) + inner)


def soft(words):
    return tag("p", words, cls="soft")


def made_by(command, inner):
    """The tables and what made them, or what would"""
    command = tag("code", text(command))
    if inner:
        return inner + soft(f"Made by {command}.")
    return tag("p", f"Not measured yet: {command} does it, then {tag('code', 'make report')}.",
               cls="missing")


def key_of(row):
    return tuple(row[k] for k in bench.KEY)


def gains(rows):
    """The table for who does not know the project"""
    found = {(bench.series_of(r["base"]), key_of(r)): r for r in rows}
    wanted = [(found.get((base, key)), program)
              for base in dict.fromkeys(base for base, _ in found) for key, program in GAINS]
    shown = [{**row, "program": program} for row, program in wanted if row]
    absent = len(wanted) - len(shown)
    more = f"{absent} more rows come with make bench, bench ARRAY=fc, bench ARRAY=many, programs."
    return listing(shown, "What a program does", "Base", "stock", "patched", "patched is") + \
        soft(more) * bool(shown and absent)


def fields(rows):
    """The five reports from the field, theirs and ours"""
    heads = ("Case", *FIGURES, "patched is")
    inner = ""
    for name, year, title, wrong in FIELD:
        of = [r for r in rows if r["report"] == name]
        first = [r for r in of if r.get("reported") is not None or r["metric"] in HEADLINES]
        more = [r for r in of if r not in first]
        inner += tag("h3", text(f"{title} ({year}, {name})")) + tag("p", text(wrong))
        inner += listing(first, *heads) if of else made_by("make run", "")
        if more:
            inner += folded(f"{len(more)} more figures", listing(more, *heads))
    return inner


def cell(rows):
    """How much the first of them changed, by colour; below, both kernels' figures of that, and of
    what else changed"""
    first, *more = rows
    more = [row for row in more if judge(row)[0] != "same"]
    word, how = judge(first)
    change = "none" if word == "same" else \
        f"{100 * (first['ratio'] - 1):+.1f} %" if first["ratio"] else how
    return tag("span", change, cls=f"word {word}") + "".join(
        tag("small", text(f"{number(row['stock'])}, {number(row['patched'])} "
                          f"{row['unit'] or row['metric']}")) for row in (first, *more))


def grids(report, rows):
    """The tables of a report of GRIDS, and what is above the limit there"""
    pattern, *where = GRIDS[report]
    tables, above, inner = {}, [], ""
    for row in rows:
        match = row["report"] == report and \
            re.fullmatch(pattern, f"{row['case']} {row['metric']}")
        if match:
            title, line, head = map(match.expand, where)
            cells = tables.setdefault(f"{title}, Linux {bench.series_of(row['base'])}", {})
            cells.setdefault(line, {}).setdefault(head, []).append(row)
            if row["stock"] and (row["patched"] or 0) > LIMIT * row["stock"]:
                above.append(row)
    for title, lines in tables.items():
        heads = dict.fromkeys(head for cells in lines.values() for head in cells)
        inner += tag("h3", text(title)) + table(("", *heads), [
            (text(line), *(cell(cells[head]) if head in cells else "" for head in heads))
            for line, cells in lines.items()], heads)
    title = f"More than one percent above stock: {len(above) or 'none'}"
    return inner and inner + folded(title, listing(above, "Base", "Case", "stock", "patched"))


def machines(rows):
    """What the kit tells of the machine under each kernel"""
    keys = dict.fromkeys(key for r in rows for key in r["machine"])
    return table(("", *(r["case"] for r in rows)), [
        (text(key), *(text(r["machine"].get(key, "")) for r in rows)) for key in keys])


# Anchor, title, what makes the tables, the command that measures them, what a reader must know
SECTIONS = (
    ("gain", "What you gain", gains, "make run",
     "stock is the kernel as it is, patched the same with this series. Instructions are counted: "
     "a figure is alike in each run; other times are of modelled disks, none is of hardware."),
    ("field", "The five reports from the field", fields, "make run",
     "What people measured from 2002 to 2009, on their machines, beside what we measure: of one "
     "kind, not of one machine."),
    ("real", "On a disk of 100 us", partial(grids, "real"), "make real",
     "Change of the CPU's instructions for an I/O on disks that complete by timer or interrupt: to "
     "submit it, interrupts, to wake who waits. An idle CPU is not counted. q: so many in flight. "
     "100us: null_blk and a timer; sdebug: scsi_debug; atonce: null_blk without; distro: a "
     "distribution's options."),
    ("stacks", "Stacked disks", partial(grids, "stacks"), "make bench",
     "Direct I/Os of 4 KiB of a file. Change of the instructions of all tasks; below, those "
     "of both kernels and, if they differ, bios below the stack, context switches of all tasks, us "
     "on disks of 100 us."),
    ("shared", "What CPUs share", partial(grids, "shared"), "tools/lab/bench.py run shared",
     "Cache lines that two CPUs take from each other for a direct I/O of 4 KiB, by the function "
     "that writes there first: on one open file, or each on its own."),
    ("programs", "Programs", partial(grids, "programs"), "make programs",
     "Change of a program's time, run once from a cold cache, on modelled disks; below: seconds "
     "and, if they differ, reads of the disk. Cache: what memory has for the program's data. "
     "array: 150 us, 200 MB/s; nvme: 20 us, 2 GB/s; hdd: a hard disk of 2004."),
    ("cost", "What an I/O costs", partial(grids, "layers"), "make profile CASE=layers",
     "Every instruction is counted once, and belongs to the layer whose source file it is of."),
)


def section(anchor, title, inner):
    return anchor, title, tag("section", tag("h2", text(title)) + inner, id=anchor)


def write(rows):
    """The page"""
    title = "Direct I/O, readahead, raw devices: what was measured"
    of_machine = [r for r in rows if "machine" in r]
    of_patches = [r for r in rows if r.get("patch")]
    rows = sorted((r for r in rows if "machine" not in r and not r.get("patch")),
                  key=lambda r: bench.version(r.get("base")))
    dates = sorted(r["when"][:10] for r in rows if r.get("when"))
    kernels = ", ".join(dict.fromkeys(r["base"] for r in rows if r.get("base")))
    measured = f", measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
    # Of the kit's figures the other sections have none.
    sections = [section(anchor, name, tag("p", text(words)) + made_by(
        "./field" if of_machine else command, make(rows)))
        for anchor, name, make, command, words in SECTIONS if not of_machine or anchor == "field"]
    if of_machine:
        sections.append(section("machine", "On what", machines(of_machine)))
    if of_patches:
        sections.append(section("worth", "What each patch is worth (stock: without it)", made_by(
            "make series-steps", listing(of_patches, "Patch", "Case", "stock", "patched",
                                         "patched is"))))
    sections.append(section("all", "All figures", folded(
        f"{len(rows)} rows of results.json",
        listing(rows, "Report", "Case", "Metric", "stock", "patched", "Command", "Measured"))))
    nav = " ".join(tag("a", name, href=f"#{anchor}") for anchor, name, _ in sections)
    body = tag("h1", title) + soft(text(f"Linux {kernels}{measured}")) + tag("nav", nav) + \
        "".join(inner for _, _, inner in sections)
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
            f"<title>{title}</title><style>\n{STYLE.read_text()}</style></head>\n"
            f"<body>{body}</body></html>\n")


# Files, cases that passed, [TEST: CASE] of those that failed, Counter of why others were skipped
Tests = namedtuple("Tests", "files passed failed skipped")


def tests_since(start):
    passed, failed, skipped = 0, [], Counter()
    paths = [p for p in sorted(Path(LOG).glob("test_*.tap")) if p.stat().st_mtime >= start]
    for path in paths:
        for line in path.read_text("utf-8", "replace").splitlines():
            found = RESULT.match(line)
            if found and found["not"]:
                failed.append(f"{path.stem}: {found['name']}")
            elif found and found["skip"] or line.startswith("1..0 # SKIP"):
                skipped[line.partition("SKIP")[2].strip(" :-") or "no reason given"] += 1
            elif found:
                passed += 1
    return Tests(len(paths), passed, failed, skipped)


def some(names):
    """A few of them, and how many more there are"""
    more = len(names) - MOST
    return "; ".join(names[:MOST]) + (f"; {more} more" if more > 0 else "")


def tested(tests, left_out, steps):
    bad = [f"make run's step {step} ended in an error" for step in steps] + tests.failed
    failed = f" ({some(bad)}; see {LOG})" if bad else ""
    why = [f"{count} ({reason})" for reason, count in tests.skipped.most_common()]
    skipped = f": {some(why)}" if why else ""
    long = f"; make test has {len(left_out)} more ({', '.join(left_out)})" if left_out else ""
    return (f"Tests:  {tests.passed} passed, {len(bad)} failed{failed}; "
            f"{tests.skipped.total()} skipped{skipped}{long}.")


def faster(rows):
    """Two lines: which loads of GAINS are faster, which are not"""
    found = {key_of(r): r for r in rows}
    told = defaultdict(list)
    for key, program in GAINS:
        row = found.get(key)
        if row and row["metric"] != "bytes_read_per_used":      # That is not speed.
            word, how = judge(row)
            size = abs(math.log(row["ratio"])) if row["ratio"] else 0
            told[word].append((-size, f"{program} ({how})"))
    if not any(told.values()):
        return "Faster: nothing was measured.", "Slower: nothing was measured."
    better, worse = (f": {some([words for _, words in sorted(told[word])])}" * bool(told[word])
                     for word in ("better", "worse"))
    return (f"Faster: {len(told['better'])} of {sum(map(len, told.values()))} loads{better}.",
            f"Slower: {len(told['worse']) or 'none'}{worse}; no difference: {len(told['same'])}; "
            f"only on patched: {len(told['new'])}.")


def built(rows, tests, steps):
    """The first line: of which kernels the others speak"""
    versions = ", ".join(sorted({r["base"] for r in rows if r["base"]}, key=bench.version))
    both = any(r.get("time") for r in rows)     # the harness' rows have none
    kernels = f"Linux {versions}, {'stock and ' * both}patched" if both or tests.files \
        else "no kernel"
    parts = [f"{tests.files} selftests on the patched kernel"] if tests.files else []
    parts += [] if "field" in steps else ["field reports 4 and 5 on a model"]
    return f"Built:  {kernels}; tested: {', '.join(parts) or 'nothing'}."


def verdict(rows, tests, left_out, steps):
    """The five lines"""
    page = "none was written" if "report" in steps else os.path.join(bench.OUT, "report.html")
    return [built(rows, tests, steps), tested(tests, left_out, steps), *faster(rows),
            f"Report: {page} (the table: make report, or make run V=1)"]


def print_verdict(left_out, *steps):
    start = os.path.getmtime(os.path.join(LOG, "run.start"))
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start))
    rows = [r for r in bench.load() if r.get("when", "") >= since]
    tests = tests_since(start)
    print("\n".join(verdict(rows, tests, left_out.split(), steps)))
    return int(bool(steps or tests.failed or not tests.files))


def main():
    if sys.argv[1:2] == ["verdict"]:
        return print_verdict(*sys.argv[2:])
    source = Path(sys.argv[1] if len(sys.argv) > 1 else bench.RESULTS)
    out = source.with_name("report.html")
    if not source.exists():
        sys.exit(f"bench: no {source}: make run")
    steps = bench.load(source.with_name(bench.STEPS))
    if not steps and len(sys.argv) < 2:
        steps = bench.load(Path(bench.LAB, "../../series", bench.STEPS))
    rows = bench.of_base(bench.load(source) + steps)
    if not rows:
        sys.exit(f"bench: {source} has nothing of this base: make run")
    bench.write(write(rows), out)
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
