#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The overlay on a list of kernel trees: does it apply, build and boot, and what do its tests say?

    trees.py LIST [WORD]...         WORDs are for make guest-tests: TESTS=, LEAVE_OUT=, OPS=

A line of LIST is NAME WHERE: WHERE is a kernel tree (KSRC=) if there is a / in it, else a base
(BASE=). Of each, one after the other: the source is found, the overlay applied to it, the patched
kernel and the selftests built, booted, and the tests run, as make does it, in $O/trees/NAME. A step
that fails ends its tree, not the list.

Each tree has its results in $O/trees/NAME.tap, a line for each step and for each selftest, and in
$O/trees/NAME.json, with what the overlay's rules said, or the last lines of what failed. All are one
table on stdout. Output of the steps is in $O/trees/NAME/log.

Exit: 0 all trees are whole, 1 one is not, 2 usage, 130 interrupted.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

LAB = Path(__file__).resolve().parent
TOP = LAB.parent.parent
STEPS = ("source", "overlay", "build", "boot", "tests")
CASE = re.compile(r"(ok|not ok)\b[^#]*(# SKIP)?", re.IGNORECASE)
HEAD = ("tree", "kernel", *STEPS, "pass", "fail", "skip", "min", "why")


class Tree(NamedTuple):
    name: str
    variable: str       # KSRC or BASE
    where: str


class Failed(Exception):
    """A step: str() says why."""


def read_list(text):
    """The trees of a list; ValueError says which line is wrong."""
    trees = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not re.fullmatch(r"\w[-.\w]*", words[0]) or words[0] in trees:
            raise ValueError(f"line {number}: not NAME KSRC-OR-BASE, or a name twice: {line}")
        variable = "KSRC" if "/" in words[1] else "BASE"
        trees[words[0]] = Tree(words[0], variable, words[1])
    if not trees:
        raise ValueError("no trees in it")
    return list(trees.values())


def count(tap):
    """{"pass", "fail", "skip"} of the results in a text of TAP"""
    found = {"pass": 0, "fail": 0, "skip": 0}
    for line in tap.splitlines():
        case = CASE.match(line)
        if case:
            found["fail" if case[1] == "not ok" else "skip" if case[2] else "pass"] += 1
        elif re.match(r"1\.\.0\b.*# SKIP", line):
            found["skip"] += 1
    return found


class Run:
    """One tree's steps, and what they gave"""
    def __init__(self, tree, out, words):
        self.tree, self.words = tree, words
        self.out = out / tree.name
        self.log = self.out / "log"
        self.log.mkdir(parents=True, exist_ok=True)
        self.env = {k: v for k, v in os.environ.items() if k not in ("KSRC", "BASE", "MAKEFLAGS")}
        self.env |= {"O": str(self.out), tree.variable: tree.where}
        self.result = {"name": tree.name, "tree": f"{tree.variable}={tree.where}", "kernel": None,
                       "steps": dict.fromkeys(STEPS), "tests": {}, "why": None}

    def command(self, step, *words):
        """Its stdout; both outputs are in a log, whose last lines say why it failed."""
        log = self.log / f"trees-{step}.log"
        done = subprocess.run([str(word) for word in words], cwd=TOP, env=self.env, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace")
        log.write_text(done.stdout + done.stderr)
        if done.returncode:
            said = [line for line in (done.stdout + done.stderr).splitlines()
                    if line.strip() and not line.startswith("make")]
            raise Failed("\n".join(said[-15:]) or f"exit {done.returncode}: {log}")
        return done.stdout

    def source(self):
        self.path = self.command("source", LAB / "kernel.sh", "source").splitlines()[-1]
        self.result["kernel"] = self.command("version", LAB / "overlay.py", "--version-of",
                                             self.path).strip()

    def overlay(self):
        self.command("overlay", LAB / "overlay.py", "--try", self.path)

    def build(self):
        self.command("build", "make", "--no-print-directory", "patched-modules", "selftests")

    def boot(self):
        self.command("boot", LAB / "guest.sh", "-k", "patched", "uname", "-r")

    def tests(self):
        """A test that fails is its own line; none at all is a failure of this step."""
        for old in self.log.glob("test_*.tap"):
            old.unlink()
        why = None
        try:
            self.command("tests", "make", "--no-print-directory", "guest-tests", *self.words)
        except Failed as e:
            why = e
        for tap in sorted(self.log.glob("test_*.tap")):
            self.result["tests"][tap.stem] = count(tap.read_text(errors="replace"))
        if why and not any(test["fail"] for test in self.result["tests"].values()):
            raise why
        if not self.result["tests"]:
            raise Failed("no test said anything")
        if why:
            raise Failed("failed: " + " ".join(
                name for name, test in self.result["tests"].items() if test["fail"]))

    def all(self):
        start = time.monotonic()
        for step in STEPS:
            print(f"lab: {self.tree.name}: {step}", file=sys.stderr)
            try:
                getattr(self, step)()
            except Failed as e:
                self.result["steps"][step] = False
                self.result["why"] = f"{step}: {e}"
                break
            self.result["steps"][step] = True
        self.result["seconds"] = round(time.monotonic() - start)
        return self.result


def whole(result):
    return all(result["steps"].values())


def tap_of(result):
    """A line for each step and each selftest; those that were not reached are skipped."""
    lines = []
    for step, good in result["steps"].items():
        lines.append("ok {} " + f"{step} # SKIP not reached" if good is None else
                     ("ok" if good else "not ok") + " {} " + step)
    for name, test in result["tests"].items():
        bad = test["fail"] or not test["pass"] and not test["skip"]
        skip = " # SKIP all of it" if not bad and not test["pass"] else ""
        lines.append(("not ok" if bad else "ok") + " {} " + name + skip)
        lines.append(f"# {test['pass']} passed, {test['fail']} failed, {test['skip']} skipped")
    text, number = ["TAP version 13", f"1..{sum(line[0] != '#' for line in lines)}"], 0
    for line in lines:
        number += line[0] != "#"
        text.append(line if line[0] == "#" else line.replace("{}", str(number), 1))
    text += [f"# {line}" for line in (result["why"] or "").splitlines()]
    return "\n".join(text) + "\n"


def table(results):
    rows = [HEAD]
    for result in results:
        steps = ["-" if good is None else "ok" if good else "FAIL"
                 for good in result["steps"].values()]
        counts = [str(sum(test[word] for test in result["tests"].values()))
                  for word in ("pass", "fail", "skip")]
        rows.append((result["name"], result["kernel"] or "-", *steps, *counts,
                     str((result["seconds"] + 59) // 60),
                     (result["why"] or "").splitlines()[-1] if result["why"] else ""))
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD) - 1)]
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]])
                     .rstrip() for row in rows)


def main(argv):
    if len(argv) < 2 or argv[1].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        trees = read_list(Path(argv[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as e:
        print(f"trees: {argv[1]}: {e}", file=sys.stderr)
        return 2
    out = Path(os.environ.get("O") or TOP / "out").resolve() / "trees"
    results = []
    for tree in trees:
        result = Run(tree, out, argv[2:]).all()
        (out / f"{tree.name}.json").write_text(json.dumps(result, indent=1) + "\n")
        (out / f"{tree.name}.tap").write_text(tap_of(result))
        results.append(result)
    print(table(results))
    return 0 if all(whole(result) for result in results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv))
    except KeyboardInterrupt:
        sys.exit(130)
