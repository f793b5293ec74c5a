#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print what make run has done, in five lines.

    bench_verdict.py LEFT_OUT [STEP]...

LEFT_OUT names the tests that were not to run; STEPs failed: field, tests, bench, report. Tests are those whose TAP in $O/log is no older than $O/log/run.start, figures are rows of
$O/results.json measured since then: what an earlier run left says nothing. Exit: 0 all is well, 1
something failed.
"""

import math
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import bench
from bench_report import GAINS, judge
from xfail import RESULT

LOG = os.path.join(bench.OUT, "log")
MOST = 3        # so many examples are named
# Not faster: what a disk reads in vain
NOT_SPEED = ("bytes_read_per_used",)


class Tests(NamedTuple):
    """Cases of all tests"""
    files: int
    passed: int
    failed: list    # TEST: CASE
    skipped: Counter


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
    found = {tuple(r[k] for k in bench.KEY): r for r in rows}
    told = []       # (the verdict's word, how large it is, the program, in words)
    for key, program in GAINS:
        row = found.get(key)
        if row and row["metric"] not in NOT_SPEED:
            word, how = judge(row)
            size = abs(math.log(row["ratio"])) if row["ratio"] else 0
            told.append((word, -size, f"{program} ({how})"))
    if not told:
        return "Faster: nothing was measured.", "Slower: nothing was measured."
    words = Counter(word for word, _, _ in told)
    named = {word: f": {some([text for other, _, text in sorted(told) if other == word])}"
             for word in words}
    return (f"Faster: {words['better']} of {len(told)} loads{named.get('better', '')}.",
            f"Slower: {words['worse'] or 'none'}{named.get('worse', '')}; no difference: "
            f"{words['same']}; only on patched: {words['new']}.")


def built(rows, tests, steps):
    """The first line: of which kernels the others speak"""
    versions = ", ".join(sorted({r["base"] for r in rows if r["base"]}, key=bench.version))
    both = any(r.get("time") for r in rows)     # the harness' rows have none
    kernels = f"Linux {versions}, " + ("stock and patched" if both else "patched")
    if not both and not tests.files:
        kernels = "no kernel"
    parts = [f"{tests.files} selftests on the patched kernel"] if tests.files else []
    parts += [] if "field" in steps else ["field reports 4 and 5 on a model"]
    return f"Built:  {kernels}; tested: {', '.join(parts) or 'nothing'}."


def verdict(rows, tests, left_out, steps):
    """The lines"""
    page = "none was written" if "report" in steps else os.path.join(bench.OUT, "report.html")
    return [built(rows, tests, steps), tested(tests, left_out, steps), *faster(rows),
            f"Report: {page} (the table: make report, or make run V=1)"]


def main():
    left_out, *steps = sys.argv[1:]
    start = os.path.getmtime(os.path.join(LOG, "run.start"))
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start))
    rows = [r for r in bench.load() if r.get("when", "") >= since]
    tests = tests_since(start)
    print("\n".join(verdict(rows, tests, left_out.split(), steps)))
    return int(bool(steps or tests.failed or not tests.files))


if __name__ == "__main__":
    sys.exit(main())
