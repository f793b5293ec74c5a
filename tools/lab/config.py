#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Has a kernel's finished configuration all that was asked for?

    config.py BASE KERNEL CONFIG FRAGMENT...

A line CONFIG_X=V of a fragment asks for just that, "# CONFIG_X is not set" for X being off, or
unknown; later lines win. Where modules are off =m asks for =y.

Exit: 0 it has all but LACKING, 1 it has not, or has some of that: a line for each, 2 usage.
"""

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

# What the selftests ask for and these, BASE/KERNEL, are known not to have: 5.14 removed the raw driver,
# 6.13 reiserfs; two KUnit tests stand for 7.3 only (base/*/omit).
LACKING = {"CONFIG_RAW_DRIVER": "*stock", "CONFIG_REISERFS_FS": "7.3/*",
           "CONFIG_BIO_KUNIT_TEST": "6.*", "CONFIG_SCSI_QLA_FC_KUNIT_TEST": "6.*"}
LINE = re.compile(r"(?:(CONFIG_\w+)=(.*)|# (CONFIG_\w+) is not set)")


def read_config(text):
    """{symbol: value}, None where it is off"""
    return {match[1] or match[3]: match[2] for match in
            (LINE.fullmatch(line.rstrip()) for line in text.splitlines()) if match}


def faults(kernel, config, fragments):
    """What is wrong with the text of a configuration, as lines."""
    has, asked = read_config(config), read_config("\n".join(fragments))
    for symbol, value in asked.items():
        if value == "m" and asked.get("CONFIG_MODULES", "y") is None:
            value = "y"
        line = f"# {symbol} is not set" if value is None else f"{symbol}={value}"
        met, lacking = has.get(symbol) == value, fnmatchcase(kernel, LACKING.get(symbol, ""))
        if met == lacking:
            yield f"has {line}, which it is known to lack" if met else f"lacks {line}"


def main(argv):
    if len(argv) < 5:
        print("usage: config.py BASE KERNEL CONFIG FRAGMENT...", file=sys.stderr)
        return 2
    base, kernel, *files = argv[1:]
    config, *fragments = (Path(file).read_text(encoding="utf-8") for file in files)
    wrong = [*faults(f"{base}/{kernel}", config, fragments)]
    for one in wrong:
        print(f"the {kernel} kernel's configuration ({base}) {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
