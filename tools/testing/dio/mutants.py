#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the harness is worth: faults are put into the sources that it tests, and must be found.

    mutants.py OUTPUT known [NAME...]   faults that once were made: mutants/known, each of them
    mutants.py OUTPUT rules             whether all of those still can be made; none is tried
    mutants.py OUTPUT make NAME...      print the source with these faults in it
    mutants.py OUTPUT sample [PATH...]  COUNT= faults that a machine makes, drawn by SEED=; in all
                                        sources that are tested, or in these

OUTPUT is where the Makefile builds; sample wants a python3 that has universalmutator (see there).

A fault is killed by what a test says: a mismatch, a finding of a sanitizer, a deadlock or livelock
by its name. A test that ends in any other way, or does not end, is broken, and that is a failure of
the harness. First of all the tests must pass on the sources as they are.

universalmutator edits single lines. An edit that does not compile (stillborn) or makes the same
object code is not counted. One that changes nothing that could be seen is in mutants/equivalent,
with the reason; it is tried all the same, lest the list be wrong.

From the environment: CASES= random cases a fault (150000), COUNT= (100), SEED= (default: made of
the sources, so that each state of them has a sample of its own), KNOWN= how many of the known faults
that seed draws (default: all). Exit: 0 those known faults were killed, or made, or enough of the
sample killed; 1 not, or a test is broken; 2 usage.
"""

import contextlib
import hashlib
import io
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[2]
MUTANTS = HERE / "mutants"
ENOUGH = 0.80       # of all edits should be killed; of a sample, two standard deviations less
LIMIT = 600         # seconds for a test
# A fault may deserve warnings; these are errors in the kernel, too.
WARN = ("-Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
        "-Werror=return-type")
RULES = ("universal.rules", "c_like.rules", "c.rules")
FINDING = re.compile(r"^(?:dio_test: |raw_test: |not ok \d* ?)(.*)|^==\d+==(ERROR: \w+Sanitizer: .*)|"
                     r"(runtime error: .*)", re.M)

# A source that is tested: its path, the first part of its known faults' names, what must lie beside
# it, and the tests: programs that the Makefile builds, and their words
Subject = namedtuple("Subject", "path prefix beside tests")
EXTRACT = "base/6.1/lib/iov_iter.c.add"
SUBJECTS = (
    Subject("fs/direct-io.c", "", (EXTRACT,), (("dio_test", "cases={cases}"),)),
    Subject(EXTRACT, "iov-", ("fs/direct-io.c",), (("dio_test", "cases={cases}"),)),
    Subject("mm/readahead_runs.c", "ra-", ("mm/readahead_runs.h", "mm/readahead_test.c"),
            (("ra_test",), ("ra_replay", "check", str(TREE / "Documentation/dio/readahead.rst")))),
    Subject("drivers/char/raw.c", "raw-", (), (("raw_test", "cases={cases}"),)),
)
OTHER_USE = "field-"    # right, but slow: for field/report.py

# One edited line: where it is, how it was, how it is
Edit = namedtuple("Edit", "path function old new line text")


class Usage(Exception):
    """The caller asked for what there is not."""


def number(name, default):
    """A count from the environment."""
    value = os.environ.get(name) or default
    if not re.fullmatch(r"[1-9]\d{0,17}", str(value)):
        raise Usage(f"{name}={value} is not a number from 1 on")
    return int(value)


def one_line(text):
    return " ".join(text.split())


def run(argv, seconds, **kwargs):
    """(exit status, what it said); status None: it did not end."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=seconds, text=True, errors="replace", **kwargs)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout


def verdict(status, said):
    """("survived" | "killed" | "broken", why) of a test that ended so."""
    found = FINDING.search(said)
    if status == 0:
        return "survived", ""
    if status is None:
        return "broken", f"not done after {LIMIT} s, and does not say why"
    if found:
        return "killed", next(filter(None, found.groups()), "")[:110]
    return "broken", f"exit {status}: {one_line(said)[-200:] or 'without a word'}"


class Candidate:
    """The sources with one fault in them, in a tree of their own, and the programs made of it."""

    def __init__(self, out, name, subject, text):
        self.out = Path(out).resolve()
        self.subject = subject
        self.work = self.out / "mutants" / name
        shutil.rmtree(self.work, ignore_errors=True)
        for path in (subject.path, *subject.beside):
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / path, self.work / path)
        (self.work / subject.path).write_text(text, encoding="utf-8")

    def make(self, target, *words):
        """Without what the caller's make was told."""
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
        return run(["make", "-s", "-C", HERE, f"TREE={self.work}", f"OUTPUT={self.work}",
                    f"STANDINS={self.out}", f"WARN={WARN}", *words, self.work / target],
                   LIMIT, env=env)

    def compile(self):
        """The object code, or None."""
        plain = Path("plain", self.subject.path).with_suffix(".o")
        status, _ = self.make(plain)
        return (self.work / plain).read_bytes() if status == 0 else None

    def test(self, cases):
        """The verdict of the first test that finds something, or is broken."""
        for program, *words in self.subject.tests:
            status, said = self.make(program, "CFLAGS=-O1 -g")
            if status != 0 and "undefined reference" in said:
                return "stillborn", f"{program} does not link"
            if status != 0:
                return "broken", f"{program} is not built: {one_line(said)[-200:]}"
            what, why = verdict(*run([self.work / program, *(w.format(cases=cases) for w in words)],
                                     LIMIT))
            if what != "survived":
                return what, why
        return "survived", ""

    def remove(self):
        shutil.rmtree(self.work)


def source(path):
    return (TREE / path).read_text(encoding="utf-8")


def baseline(out, cases, subjects):
    """Without a fault all tests pass; returns each subject's object code."""
    plain = {}
    for subject in subjects:
        candidate = Candidate(out, f"none-{Path(subject.path).name}", subject, source(subject.path))
        plain[subject.path] = candidate.compile()
        what, why = candidate.test(cases)
        if what != "survived" or not plain[subject.path]:
            sys.exit(f"mutants: the tests of {subject.path} fail without a fault: {why}")
        candidate.remove()
    return plain


def each(work, items):
    """Results of work(item) for each of them, in order, as they come."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, items)


#
# Known faults
#

def subject_of(name):
    """The longest prefix counts; the engine's is empty."""
    return max((s for s in SUBJECTS if name.startswith(s.prefix)), key=lambda s: len(s.prefix))


def read_known(text):
    """{name: [(old lines, new lines)...]}: blocks of NAME: WHY, lines as in a diff, @@ between places"""
    found = {}
    for block in re.split(r"^(?=[a-z0-9][\w-]*: )", text, flags=re.M)[1:]:
        head, *lines = block.rstrip("\n").split("\n")
        places = [([], [])]
        for line in lines:
            if line == "@@":
                places.append(([], []))
            elif not line.startswith("#"):
                for side, other in enumerate("+-"):
                    if not line.startswith(other):
                        places[-1][side].append(line[1:])
        found[head.partition(":")[0]] = places
    return found


def put_in(text, places):
    """The source with a fault in it, or None: what it takes out must be there just once."""
    lines, at = text.split("\n"), []
    for old, new in places:
        found = [n for n in range(len(lines)) if lines[n:n + len(old)] == old]
        if len(found) != 1:
            return None
        at.append((found[0], old, new))
    for n, old, new in sorted(at, reverse=True):
        lines[n:n + len(old)] = new
    return "\n".join(lines)


def known_faults():
    return read_known((MUTANTS / "known").read_text(encoding="utf-8"))


def not_made(name):
    """The verdict of one that cannot be tried."""
    return name, "not made", "what it takes out is not there, or more than once"


def try_known(out, cases, name, places):
    subject = subject_of(name)
    text = put_in(source(subject.path), places)
    if text is None:
        return not_made(name)
    return name, *Candidate(out, name, subject, text).test(cases)


def tell(name, what, why):
    """A line; whether it is one of a failure."""
    print(what if what == "killed" else what.upper(), name + (f": {why}" if why else ""),
          flush=True)
    return what != "killed"


def known_names(names, faults):
    """These, or all."""
    for name in names:
        if name not in faults:
            raise Usage(f"mutants/known has no {name}")
    return names or [name for name in faults if not name.startswith(OTHER_USE)]


def rules():
    """Each known fault must be made; one that is not is named."""
    lost = [name for name, places in known_faults().items()
            if put_in(source(subject_of(name).path), places) is None]
    return any([tell(*not_made(name)) for name in lost])


def make(names):
    """Print the source with these faults."""
    faults = known_faults()
    text = source(subject_of(known_names(names, faults)[0]).path)
    for name in names:
        text = put_in(text, faults[name])
        if text is None:
            return tell(*not_made(name))
    sys.stdout.write(text)
    return 0


def known(out, cases, names):
    """Each known fault must be killed."""
    faults = known_faults()
    names = known_names(names, faults)
    if "KNOWN" in os.environ:
        seed = number("SEED", seed_of_sources())
        names = random.Random(seed).sample(names, min(number("KNOWN", 0), len(names)))
    baseline(out, cases, [s for s in SUBJECTS if s in map(subject_of, names)])
    failed = 0
    for verdict_of_one in each(lambda name: try_known(out, cases, name, faults[name]), names):
        failed |= tell(*verdict_of_one)
    return failed


#
# Faults by a machine
#

def functions(lines):
    """The name of the function that each line is in, or of the one before."""
    name = "-"
    for line in lines:
        head = re.match(r"[a-z][^;=]*?(\w+)\(", line)
        if head:
            name = head[1]
        yield name


def edits(path):
    """All edits of a file by universalmutator, in its order."""
    from universalmutator import mutator    # only this needs it

    lines = source(path).splitlines(keepends=True)
    inside = list(functions(lines))
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutator.mutants_regexp(lines, RULES, ignorePatterns=[])
    for line, new, *_ in made:
        text = "".join(lines[:line - 1]) + new + "".join(lines[line:])
        yield Edit(path, inside[line - 1], one_line(lines[line - 1]), one_line(new), line, text)


def read_equivalent(text):
    """{(path, function, old, new): reason}: blocks of PATH FUNCTION, "- old", "+ new"..., reason."""
    shown = {}
    for block in re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", text, flags=re.M).strip()):
        if not block:
            continue
        match = re.fullmatch(r"(\S+) (\S+)\n- (.*)\n((?:\+.*\n)+)(\S(?:.|\n)*)", block)
        if not match:
            raise Usage(f"mutants/equivalent: no PATH FUNCTION, -, +, reason: {block!r}")
        for new in match[4].splitlines():
            shown[match[1], match[2], match[3], new[1:].strip()] = one_line(match[5])
    return shown


def seed_of_sources():
    text = "".join(source(s.path) for s in SUBJECTS)
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


class Sample:
    """COUNT edits that compile to something else, in the order that the seed gives them."""

    def __init__(self, out, cases, count, seed, paths):
        self.out, self.cases, self.count, self.seed = out, cases, count, seed
        self.subjects = {s.path: s for s in SUBJECTS if s.path in paths or not paths}
        for path in paths:
            if path not in self.subjects:
                raise Usage(f"{path} is none of {', '.join(s.path for s in SUBJECTS)}")
        self.counts = Counter()

    def compiled(self, numbered):
        """(edit, candidate that differs, or None)"""
        n, edit = numbered
        candidate = Candidate(self.out, f"sample-{n}", self.subjects[edit.path], edit.text)
        code = candidate.compile()
        if code and code != self.plain[edit.path]:
            return edit, candidate
        candidate.remove()
        return ("same" if code else "stillborn"), None

    def draw(self, pool):
        """The sample: edits are compiled, a few at a time, until there are enough."""
        order = list(range(len(pool)))
        random.Random(self.seed).shuffle(order)
        drawn = []
        while order and len(drawn) < self.count:
            batch, order = order[:16], order[16:]
            for edit, candidate in each(self.compiled, [(n, pool[n]) for n in batch]):
                if candidate is None:
                    self.counts[edit] += 1
                elif len(drawn) < self.count:
                    drawn.append((edit, candidate))
                else:
                    candidate.remove()
        return drawn

    def try_one(self, drawn):
        edit, candidate = drawn
        what, why = candidate.test(self.cases)
        candidate.remove()
        return edit, what, why

    def run(self):
        """Prints each, and the rate; the exit status."""
        shown = read_equivalent((MUTANTS / "equivalent").read_text(encoding="utf-8"))
        pool = [edit for path in self.subjects for edit in edits(path)]
        stale = {key for key in shown if key[0] in self.subjects} - {edit[:4] for edit in pool}
        for path, function, old, new in sorted(stale):
            print(f"stale in mutants/equivalent: {path} {function}: {old} => {new}")
        self.plain = baseline(self.out, self.cases, self.subjects.values())
        print(f"sample: SEED={self.seed} of {len(pool)} edits", flush=True)
        failed = bool(stale)
        for edit, what, why in each(self.try_one, self.draw(pool)):
            if edit[:4] in shown:
                failed |= what != "survived"
                what, why = ("equivalent", shown[edit[:4]]) if what == "survived" else \
                    ("broken", f"mutants/equivalent is wrong, a test says: {why}")
            failed |= what == "broken"
            self.counts[what] += 1
            print(what.upper() if what in ("survived", "broken") else what,
                  f"{edit.path}:{edit.line} {edit.function}: {edit.old} => {edit.new}" +
                  (f": {why}" if why else ""), flush=True)
        return failed | self.report()

    def report(self):
        c = self.counts
        tried = c["killed"] + c["survived"] + c["broken"]
        rate = c["killed"] / tried if tried else 0
        print(f"rate: {rate:.2f} SEED={self.seed} killed={c['killed']} survived={c['survived']} "
              f"broken={c['broken']} equivalent={c['equivalent']}; not counted: "
              f"{c['stillborn']} do not compile, {c['same']} are the same program")
        return rate < ENOUGH - 2 * (ENOUGH * (1 - ENOUGH) / max(tried, 1)) ** 0.5


def main(argv):
    if len(argv) < 2 or argv[1] not in ("known", "rules", "make", "sample") or \
            (argv[1] == "rules") != (not argv[2:]) and argv[1] in ("rules", "make"):
        raise Usage("mutants.py OUTPUT known [NAME...] | mutants.py OUTPUT rules | "
                    "mutants.py OUTPUT make NAME... | mutants.py OUTPUT sample [PATH...]")
    out = Path(argv[0]).resolve()
    cases = number("CASES", 150000)
    (out / "mutants").mkdir(parents=True, exist_ok=True)
    if argv[1] == "rules":
        return rules()
    if argv[1] == "make":
        return make(argv[2:])
    if argv[1] == "known":
        return known(out, cases, argv[2:])
    return Sample(out, cases, number("COUNT", 100), number("SEED", seed_of_sources()),
                  argv[2:]).run()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Usage as usage:
        print(f"mutants: {usage}", file=sys.stderr)
        sys.exit(2)
