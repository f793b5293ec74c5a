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

LACKS = Path(__file__).resolve().parent / "lacks"
LINE = re.compile(r"(?:(CONFIG_\w+)=(.*)|# (CONFIG_\w+) is not set)")


def read_config(text):
    """{symbol: value}, None where it is off"""
    return {match[1] or match[3]: match[2] for match in
            (LINE.fullmatch(line.rstrip()) for line in text.splitlines()) if match}


def lacking(text, kernel):
    """The symbols that the list has for BASE/KERNEL"""
    lines = [line.split(None, 2) for line in text.splitlines() if line and line[0] != "#"]
    return {symbol for where, symbol, _reason in lines
            if fnmatchcase(kernel, where if "/" in where else f"{where}/*")}


def faults(kernel, config, fragments, lacks):
    """What is wrong with the text of a configuration, as lines."""
    has, known = read_config(config), lacking(lacks, kernel)
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
    base, kernel, *files = argv[1:]
    config, lacks, *fragments = (Path(p).read_text(encoding="utf-8")
                                 for p in (files[0], LACKS, *files[1:]))
    wrong = [*faults(f"{base}/{kernel}", config, fragments, lacks)]
    for one in wrong:
        print(f"the {kernel} kernel's configuration ({base}) {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
