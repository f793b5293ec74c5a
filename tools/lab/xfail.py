#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judge the TAP of a test on a kernel that is known to fail some of its cases.

    xfail.py LIST TEST TAP

A line of LIST is

    TEST: CASE # REASON

CASE is the name of a case of TEST, as a shell pattern. Such a case must fail; if it passes, that is
a failure (XPASS): it does not tell this kernel from another any more. "(all)" instead of a CASE:
the whole of TEST must be skipped. "maybe CASE": it fails now and then. All other cases must pass,
or be skipped. A line that belongs to no case is a failure as well, and so is a plan not kept.

TAP is changed in place: "not ok" becomes "ok ... # XFAIL REASON" and so on. Exit status: 0 as
expected, 1 not, 2 usage.
"""

import re
import sys
from fnmatch import fnmatchcase

ALL = "(all)"
RESULT = re.compile(r"(?P<not>not )?ok (?:\d+)? ?(?:- )?(?P<name>.*?)(?P<skip> # SKIP.*)?$")


class Expected:
    """A line of the list"""

    def __init__(self, line):
        what, _, self.reason = (part.strip() for part in line.partition(" # "))
        self.test, _, case = what.partition(": ")
        self.maybe = case.startswith("maybe ")
        self.case = case.removeprefix("maybe ")
        self.met = False
        if not (self.test and self.case and self.reason):
            raise ValueError(f"not TEST: CASE # REASON: {line}")


class Judge:
    """The cases of one test, a line of TAP after the other"""

    def __init__(self, expected):
        self.expected = expected
        self.planned = None
        self.seen = 0
        self.failed = False

    def wrong(self, text):
        self.failed = True
        return text

    def line(self, text):
        """The line as it should have been"""
        if plan := re.match(r"1\.\.(\d+)(?: # SKIP *(.*))?", text):
            self.planned = int(plan[1])
            return text if plan[2] is None else self.all_skipped(text, plan[2])
        found = RESULT.match(text)
        return self.case(found, text) if found else text

    def all_skipped(self, text, why):
        for each in self.expected:
            each.met = True
        if any(each.case == ALL for each in self.expected):
            return text
        return self.wrong(f"not ok 1 all of it is skipped: {why}")

    def case(self, found, text):
        self.seen += 1
        fits = [each for each in self.expected if fnmatchcase(found["name"], each.case)]
        for each in fits:
            each.met = True
        if found["skip"]:
            return text
        if not fits:
            return self.wrong(text) if found["not"] else text
        result = f"ok {self.seen} {found['name']}"
        if found["not"]:
            return f"{result} # XFAIL {fits[0].reason}"
        if fits[0].maybe:
            return text
        return self.wrong(f"not {result} # XPASS it was to fail: {fits[0].reason}")

    def end(self):
        """What is wrong with the whole, as lines of TAP"""
        for each in self.expected:
            if not each.met:
                yield self.wrong(f"not ok - the list has no such case: {each.case}")
        if self.planned is None or (self.planned and self.seen != self.planned):
            yield self.wrong(
                f"not ok - {self.seen} cases of {self.planned or 'an unknown number'}")


def main(argv):
    if len(argv) != 4:
        print("usage: xfail.py LIST TEST TAP", file=sys.stderr)
        return 2
    try:
        with open(argv[1], encoding="utf-8") as known:
            expected = [Expected(line) for line in map(str.strip, known)
                        if line and not line.startswith("#")]
        judge = Judge([each for each in expected if each.test == argv[2]])
        with open(argv[3], encoding="utf-8", errors="replace") as tap:
            lines = [judge.line(line.rstrip("\n")) for line in tap]
    except (OSError, ValueError) as e:
        print(f"xfail: {e}", file=sys.stderr)
        return 2
    with open(argv[3], "w", encoding="utf-8") as tap:
        print(*lines, *judge.end(), sep="\n", file=tap)
    return int(judge.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
