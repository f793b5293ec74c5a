#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is each step of a series whole, and what does it give?

    series_steps.py TREE --topic NAME       those that a topic builds on go first

The patches that series.py writes below $O are applied one after the other to the tree of the stock
kernel, as git am would; what each changes is compiled with W=1, no warning is passed, and the
kernel boots. Results as TAP.

The rows that a patch names below "Rows:" are measured by the bench on the kernels before and behind
it, and kept in $O/steps.json, from where the next series.py puts them into the patch's message.
There stock is before, patched behind; patch is its name in series/.

FROM=NAME of the environment, a patch's name in series/: those before it are applied and built at once.

Exit: 0 all are whole, 1 one is not (those behind it are not tried), 2 usage.
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import bench
import overlay
import series
from bench_cases import CASES, GUESTS

LAB = Path(__file__).resolve().parent


def measure(rows, known):
    """Add to known, {(report, case, metric): figure} of the kernel as it is, what rows ask for."""
    have = {(case, metric) for _, case, metric in known}
    cases = dict.fromkeys(case for case, metric in rows if (case, metric) not in have)
    for name, of in GUESTS.items():
        those = [case for case in cases if CASES[case].guest == name]
        if those:
            known |= bench.guest_of(name)("step", ("-n", "step", *of.flags), 1, those,
                                                 quiet=True)


def keep(letter, before, after):
    """Put the figures of a patch's rows into the file; all others stay."""
    rows = series.rows_of(letter)
    new = [{**r, "patch": letter.name} for r in bench.merge({"stock": before, "patched": after})
           if (r["case"], r["metric"]) in rows]
    bench.keep(new, Path(bench.OUT, bench.STEPS))


def run(*command):
    """Its output is what the lab says of its steps, on stderr."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def step(letter, patch, known):
    """Build, boot and measure the next one: (is it whole, what is known of its kernel)"""
    rows = series.rows_of(letter)
    measure(rows, known)
    if not run(LAB / "kernel.sh", "build", "step", patch) or \
       not run(LAB / "guest.sh", "-k", "step", "-n", "step", "true"):
        return False, {}
    after = {}
    measure(rows, after)
    if rows:
        keep(letter, known, after)
    return True, after


def do_it(argv):
    args = series.arguments(argv)
    short = overlay.kernel_version(args.tree).rpartition(".")[0]
    carried = series.modern(args.overlay, short)[0]
    letters, folders = [letter for letter, _ in carried], [args.topic]
    if args.topic != series.WHOLE:
        topics = series.topics_of(args.overlay, carried)
        folders = [*series.those_before(topics, args.topic), args.topic]
        by_name = {series.name_of(letter): letter for letter in letters}
        letters = [by_name[name] for one in folders for name in topics[one].patches]
    with contextlib.redirect_stdout(sys.stderr):
        if any(series.do_series(args.overlay, args.tree, args.out, one) for one in folders):
            return 1
    patches = [patch for one in folders
               for patch in sorted((args.out / f"series-{short}-{one}").glob("0*.patch"))]
    names = [series.name_of(letter) for letter in letters]
    begin = os.environ.get("FROM") or names[0]
    if begin not in names:
        print(f"series_steps: no such patch: FROM={begin}", file=sys.stderr)
        return 2
    first = names.index(begin)
    print("TAP version 13", flush=True)
    before = args.out / "steps.before"
    before.write_bytes(b"".join(patch.read_bytes() for patch in patches[:first]))
    if not run(LAB / "kernel.sh", "build", "step") or \
       first and not run(LAB / "kernel.sh", "build", "step", before):
        return 1
    known = {}
    for n, (letter, patch) in enumerate(zip(letters[first:], patches[first:]), 1):
        whole, known = step(letter, patch, known)
        print(f"{'' if whole else 'not '}ok {n} {patch.name} builds and boots", flush=True)
        if not whole:
            return 1
    print(f"1..{len(patches) - first}")
    return 0


if __name__ == "__main__":
    sys.exit(overlay.main(sys.argv[1:], do_it, "series_steps"))
