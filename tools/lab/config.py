#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Has a kernel's finished configuration all that was asked for?

    config.py BASE KERNEL CONFIG FRAGMENT...

A line CONFIG_X=V of a fragment asks for just that, "# CONFIG_X is not set" for X being off, or
unknown; later lines win. Where modules are off =m asks for =y. What a base is known not to have is in
tools/lab/lacks; a line there that is not true of this kernel is a fault, too.

Exit: 0 it has all but that, 1 it has not: a line for each, 2 usage.
"""

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

LACKS = Path(__file__).resolve().parent / "lacks"
LINE = re.compile(r"(?:(CONFIG_\w+)=(.*)|# (CONFIG_\w+) is not set)")


class Lack(NamedTuple):
    where: str      # a pattern of BASE/KERNEL
    symbol: str


def read_config(text):
    """{symbol: value}, None where it is off"""
    found = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line.rstrip())
        if match:
            found[match[1] or match[3]] = match[2]
    return found


def read_lacks(text):
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words = line.split(None, 2)
            if len(words) < 3 or not re.fullmatch(r"CONFIG_\w+", words[1]):
                raise ValueError(f"lacks: not BASE CONFIG_X REASON: {line}")
            where = words[0] if "/" in words[0] else f"{words[0]}/*"
            found.append(Lack(where, words[1]))
    return found


def faults(base, kernel, config, fragments, lacks):
    """What is wrong with the text of a configuration, as lines."""
    has = read_config(config)
    known = {lack.symbol for lack in lacks if fnmatchcase(f"{base}/{kernel}", lack.where)}
    asked = read_config("\n".join(fragments))
    for symbol, value in asked.items():
        if value == "m" and asked.get("CONFIG_MODULES", "y") is None:
            value = "y"
        line = f"# {symbol} is not set" if value is None else f"{symbol}={value}"
        met = has.get(symbol) == value
        if not met and symbol not in known:
            yield f"lacks {line}"
        elif met and value is not None and symbol in known:
            yield f"has {line}, but {LACKS.name} says that it is lacking"


def main(argv):
    if len(argv) < 5:
        print("usage: config.py BASE KERNEL CONFIG FRAGMENT...", file=sys.stderr)
        return 2
    try:
        config, lacks, *fragments = (Path(p).read_text(encoding="utf-8")
                                     for p in (argv[3], LACKS, *argv[4:]))
        wrong = list(faults(argv[1], argv[2], config, fragments, read_lacks(lacks)))
    except (OSError, ValueError) as e:
        print(f"config: {e}", file=sys.stderr)
        return 2
    for one in wrong:
        print(f"the {argv[2]} kernel's configuration ({argv[1]}) {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
