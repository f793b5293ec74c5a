#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the harness is worth: faults are put into the sources that it tests, and must be found.

    mutants.py OUTPUT known [NAME...]   faults that once were made: mutants/known, each of them
    mutants.py OUTPUT rules             whether all of those still can be made; none is tried
    mutants.py OUTPUT make NAME         print the source with this fault in it
    mutants.py OUTPUT sample            COUNT= faults that a machine makes, drawn by SEED=
    mutants.py OUTPUT both              known, then sample

OUTPUT is where the Makefile builds; sample wants a python3 that has universalmutator (see there).

A fault is killed by what a test says: a mismatch, a finding of a sanitizer, a deadlock or livelock
by its name; or by a trap, which is an oops in a kernel. A test that ends in any other way, or does
not end, is broken, and that is a failure of the harness. First of all the tests must pass on the
sources as they are.

universalmutator edits single lines. An edit that does not compile (stillborn) or makes the same
object code is not counted. Some that survive change nothing that could be seen: the rate that is
asked for leaves room for them.

From the environment: CASES= random cases a fault (150000), COUNT= (100), SEED= (default: made of
the sources, so that each state of them has a sample of its own), KNOWN= how many of the known faults
that seed draws (default: all). Exit: 0 those known faults were killed, or made, or enough of the
sample killed; 1 not, or a test is broken; 2 usage.
"""

import contextlib
import functools
import hashlib
import io
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[2]
KNOWN = HERE / "mutants" / "known"
ENOUGH = 0.80       # of all edits should be killed; of a sample, two standard deviations less
LIMIT = 600         # seconds for a test
# A fault may deserve warnings; these are errors in the kernel, too.
WARN = ("-Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
        "-Werror=return-type")
RULES = ("universal.rules", "c_like.rules", "c.rules")
FINDING = re.compile(r"^(?:dio_test: |not ok \d* ?)(.*)|^==\d+==(ERROR: \w+Sanitizer: .*)|"
                     r"(runtime error: .*)", re.M)

# A source that is tested: its path, the first part of its known faults' names, what must lie beside
# it, and the tests: a program that the Makefile builds, what make is told, the program's words. Where
# there are none a kernel is tested: tools/lab/raw_mutants.sh.
Subject = namedtuple("Subject", "path prefix beside tests")
EXTRACT = "base/6.1/lib/iov_iter.c.add"
SUBJECTS = (
    Subject("fs/direct-io.c", "", (EXTRACT,),
            (("dio_test", "EXTRACT_O={out}/extract.o", "cases={cases}"),)),
    Subject(EXTRACT, "iov-", ("fs/direct-io.c",), (("dio_test", "", "cases={cases}"),)),
    Subject("mm/readahead_runs.c", "ra-", ("mm/readahead_runs.h", "mm/readahead_test.c"),
            (("ra_test", "", ""),
             ("ra_replay", "SANE= CFLAGS=-O2", f"check {TREE}/Documentation/dio/readahead.rst"))),
    Subject("drivers/char/raw.c", "raw-", (), ()),
)
TESTED = [subject for subject in SUBJECTS if subject.tests]
TRAPS = (signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)

# A source with a fault in it
Fault = namedtuple("Fault", "name subject text")


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


def source(subject):
    return (TREE / subject.path).read_text(encoding="utf-8")


def seed():
    text = "".join(map(source, TESTED))
    return number("SEED", int(hashlib.sha256(text.encode()).hexdigest()[:8], 16))


#
# One fault
#

def run(argv, **kwargs):
    """(exit status, what it said); status None: it did not end."""
    try:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=LIMIT, text=True, errors="replace", **kwargs)
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
    if -status in TRAPS:
        return "killed", signal.Signals(-status).name
    return "broken", f"exit {status}: {one_line(said)[-200:] or 'without a word'}"


def make(*words):
    """Without what the caller's make was told."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS")}
    return run(["make", "-s", "-C", HERE, f"WARN={WARN}", *words], env=env)


class Trial(tempfile.TemporaryDirectory):
    """A fault in a tree of its own, and the programs made of it."""

    def __init__(self, out, fault):
        super().__init__(dir=out / "mutants")
        self.out, self.subject, self.work = out, fault.subject, Path(self.name)
        for path in (self.subject.path, *self.subject.beside):
            (self.work / path).parent.mkdir(parents=True, exist_ok=True)
            (self.work / path).symlink_to(TREE / path)
        (self.work / self.subject.path).unlink()
        (self.work / self.subject.path).write_text(fault.text, encoding="utf-8")

    def build(self, target, *words):
        return make(f"TREE={self.work}", f"OUTPUT={self.work}", f"STANDINS={self.out}", *words,
                    self.work / target)

    def compile(self):
        """The object code, or None."""
        plain = Path("plain", self.subject.path).with_suffix(".o")
        status, _ = self.build(plain)
        return (self.work / plain).read_bytes() if status == 0 else None

    def test(self):
        """The verdict of the first test that finds something, or is broken."""
        for program, told, words in self.subject.tests:
            status, said = self.build(program, "CFLAGS=-O0",
                                      *told.format(out=self.out).split())
            if status != 0 and "undefined reference" in said:
                return "stillborn", f"{program} does not link"
            if status != 0:
                return "broken", f"{program} is not built: {one_line(said)[-200:]}"
            words = words.format(cases=number("CASES", 150000)).split()
            what, why = verdict(*run([self.work / program, *words]))
            if what != "survived":
                return what, why
        return "survived", ""


def each(work, items):
    """Results of work(item) for each of them, in order, as they come."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, items)


def try_fault(out, fault, plain=None):
    """A fault's name, and its verdict; "same" if its object code is @plain's of its subject."""
    trial = Trial(out, fault)
    code = trial.compile() if plain else True
    if not code:
        return fault.name, "stillborn", ""
    if plain and code == plain[fault.subject]:
        return fault.name, "same", ""
    return fault.name, *trial.test()


@functools.cache
def as_it_is(out, subject):
    """A subject's object code; its tests must pass without a fault."""
    trial = Trial(out, Fault("none", subject, source(subject)))
    code, (what, why) = trial.compile(), trial.test()
    if what != "survived" or not code:
        sys.exit(f"mutants: the tests of {subject.path} fail without a fault: {why}")
    return code


def baseline(out, subjects):
    """{subject: its object code}; what all have in common is built first."""
    make(f"OUTPUT={out}", out / "dio_test")
    return dict(zip(subjects, each(lambda subject: as_it_is(out, subject), subjects)))


def tell(name, what, why):
    """A line of a verdict."""
    print(what if what == "killed" else what.upper(), name + (f": {why}" if why else ""), flush=True)


#
# Known faults
#

def subject_of(name):
    """The longest prefix counts; the engine's is empty."""
    return max((s for s in SUBJECTS if name.startswith(s.prefix)), key=lambda s: len(s.prefix))


def read_known(text):
    """{name: [(old, new)...]}: of blocks of NAME: WHY, and its edits; mutants/known says how."""
    found = {}
    for block in re.split(r"^(?=[a-z0-9][\w-]*: )", text, flags=re.M)[1:]:
        head, *places = re.split(r"^\t(?!\t)", block, flags=re.M)
        found[head.partition(":")[0]] = [place.partition("=>")[::2] for place in places]
    return found


def put_in(text, places):
    """The source with a fault in it, or None: what it takes out must be there just once."""
    for old, new in places:
        old = r"\s+".join(map(re.escape, old.split()))
        if len(re.findall(old, text)) != 1:
            return None
        text = re.sub(old, new.strip().replace("\\", r"\\"), text)
    return text


def known_faults(names):
    """These, or all; the names of those that cannot be made are told, and None is among the faults."""
    faults = read_known(KNOWN.read_text(encoding="utf-8"))
    for name in names or faults:
        if name not in faults:
            raise Usage(f"mutants/known has no {name}")
        subject = subject_of(name)
        text = put_in(source(subject), faults[name])
        if text is None:
            tell(name, "not made", "what it takes out is not there, or more than once")
        yield text and Fault(name, subject, text)


def show(name):
    """Print the source with this fault."""
    for fault in known_faults([name]):
        if not fault:
            raise Usage(f"{name} cannot be made")
        sys.stdout.write(fault.text)


def known(out, names):
    """Each known fault must be killed."""
    made = list(known_faults(names))
    faults = [f for f in made if f and f.subject.tests]
    if "KNOWN" in os.environ:
        faults = random.Random(seed()).sample(faults, min(number("KNOWN", 0), len(faults)))
    baseline(out, [s for s in TESTED if any(fault.subject == s for fault in faults)])
    failed = None in made
    for name, what, why in each(lambda fault: try_fault(out, fault), faults):
        tell(name, what, why)
        failed |= what != "killed"
    return failed


#
# Faults by a machine
#

def edits(subject):
    """All edits of a source by universalmutator, in its order."""
    from universalmutator import mutator    # only this needs it

    lines = source(subject).splitlines(keepends=True)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutator.mutants_regexp(lines, RULES, ignorePatterns=[])
    for line, new, *_ in made:
        yield Fault(f"{subject.path}:{line}: {one_line(lines[line - 1])} => {one_line(new)}",
                    subject, "".join(lines[:line - 1]) + new + "".join(lines[line:]))


def sample(out):
    """Edits in the order that the seed gives them, until COUNT= are killed, survive or are broken."""
    count, drawn = number("COUNT", 100), seed()
    faults = [fault for subject in TESTED for fault in edits(subject)]
    print(f"sample: SEED={drawn} of {len(faults)} edits", flush=True)
    random.Random(drawn).shuffle(faults)
    plain = baseline(out, TESTED)
    got = Counter()
    tried = 0
    while faults and tried < count:
        # At least as many as are missing are tried at once: most edits count.
        now, faults = faults[:count - tried], faults[count - tried:]
        for name, what, why in each(lambda fault: try_fault(out, fault, plain), now):
            got[what] += 1
            if what in ("killed", "survived", "broken"):
                tell(name, what, why)
        tried = got["killed"] + got["survived"] + got["broken"]
    rate = got["killed"] / max(tried, 1)
    print(f"rate: {rate:.2f} SEED={drawn} killed={got['killed']} survived={got['survived']} "
          f"broken={got['broken']}; not counted: {got['stillborn']} do not compile, "
          f"{got['same']} are the same program")
    return got["broken"] or rate < ENOUGH - 2 * (ENOUGH * (1 - ENOUGH) / max(tried, 1)) ** 0.5


def main(argv):
    out, what, *names = argv if len(argv) > 1 else ("", "", "")
    out = Path(out).resolve()
    (out / "mutants").mkdir(parents=True, exist_ok=True)
    if what == "make" and len(names) == 1:
        return show(*names)
    if what == "rules" and not names:
        return None in list(known_faults(()))
    if what not in ("known", "sample", "both") or names and what != "known":
        raise Usage("mutants.py OUTPUT known [NAME...] | rules | make NAME | sample | both")
    failed = known(out, names) if what != "sample" else False
    return (sample(out) if what != "known" else False) or failed


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Usage as usage:
        print(f"mutants: {usage}", file=sys.stderr)
        sys.exit(2)
