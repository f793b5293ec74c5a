#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judge the TAP of a test on a kernel that is known to fail some of its cases.

    xfail.py LIST TEST TAP

A line of LIST is

    TEST: CASE # REASON

CASE is the name of a case of TEST, as a shell pattern; with {A,B} in it there are two. Such a case
must fail; if it passes, that is a failure (XPASS): it does not tell this kernel from another any
more. "(all)" instead of a CASE: the whole of TEST must be skipped. "maybe CASE": it fails now and
then. All other cases must pass, or be skipped. A CASE that does not occur is a failure as well, and
so is a plan not kept.

TAP is changed in place: "not ok" becomes "ok ... # XFAIL REASON" and so on. Exit status: 0 as
expected, 1 not, 2 usage.
"""

import re
import sys
from fnmatch import fnmatchcase

ALL = "(all)"
RESULT = re.compile(r"(?P<not>not )?ok (?:\d+)? ?(?:- )?(?P<name>.*?)(?P<skip> # SKIP.*)?$")


def expected_of(test, lines):
    """[(case, may it pass?, reason)] of a test"""
    found = []
    for line in (line for line in map(str.strip, lines) if line and not line.startswith("#")):
        what, _, reason = (part.strip() for part in line.partition(" # "))
        name, _, case = what.partition(": ")
        if not (name and case and reason):
            raise ValueError(f"not TEST: CASE # REASON: {line}")
        head, _, rest = case.removeprefix("maybe ").partition("{")
        words, _, tail = rest.partition("}")
        if name == test:
            found += [(head + word + tail, case.startswith("maybe "), reason)
                      for word in words.split(",")]
    return found


def result(number, found, text, maybe, reason):
    """The line of a case that is to fail"""
    told = f"ok {number} {found['name']}"
    if found["not"]:
        return f"{told} # XFAIL {reason}"
    return text if maybe or found["skip"] else f"not {told} # XPASS it was to fail: {reason}"


def judge(lines, expected):
    """The lines as they should have been: "not ok" is wrong"""
    met, seen, planned = set(), 0, None
    for line in lines:
        if plan := re.match(r"1\.\.(\d+)(?: # SKIP *(.*))?", line):
            planned = int(plan[1])
            if plan[2] is not None:
                met.update(case for case, *_ in expected)
                line = line if ALL in met else f"not ok 1 all of it is skipped: {plan[2]}"
        elif found := RESULT.match(line):
            seen += 1
            fits = [one for one in expected if fnmatchcase(found["name"], one[0])]
            met.update(case for case, *_ in fits)
            line = result(seen, found, line, *fits[0][1:]) if fits else line
        yield line
    yield from (f"not ok - the list has no such case: {case}" for case, *_ in expected
                if case not in met)
    if planned is None or (planned and seen != planned):
        yield f"not ok - {seen} cases of {planned or 'an unknown number'}"


def main(argv):
    if len(argv) != 4:
        print("usage: xfail.py LIST TEST TAP", file=sys.stderr)
        return 2
    try:
        with open(argv[1], encoding="utf-8") as known:
            expected = expected_of(argv[2], known)
        with open(argv[3], encoding="utf-8", errors="replace") as tap:
            lines = list(judge((line.rstrip("\n") for line in tap), expected))
    except (OSError, ValueError) as e:
        print(f"xfail: {e}", file=sys.stderr)
        return 2
    with open(argv[3], "w", encoding="utf-8") as tap:
        print(*lines, sep="\n", file=tap)
    return int(any(line.startswith("not ok") for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
