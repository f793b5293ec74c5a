#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Instructions by kernel symbol for one iteration of a benchmark, exact.

insn_count.so counts a whole boot.  Two boots that differ only in how often they ran the loop,
subtracted and divided by the difference in loops, leave one iteration.  Booting itself varies, the
more the busier the host is, so the loops between must come to many times that (bench.py takes 3000
million) and the total must be held against the guest's clock.  The difference lies in the timer and
in the idle loop; a function that only the loop calls is exact much sooner.

The kernel must have been booted with nokaslr, so that addresses are those of its System.map.
Code that System.map does not know (modules, generated code) is shown as "[module or unknown]".

Exit status: 0 printed, 2 bad arguments or a file that cannot be used.
"""
import argparse
import bisect
import json
import signal
import sys

UNKNOWN = "[module or unknown]"
USER = "[user space]"


class BadInput(Exception):
    """A file that cannot be used; the text says which and why."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def lines_of(path):
    """Return the words of each line of a text file."""
    try:
        with open(path, encoding="ascii") as file:
            return [line.split() for line in file]
    except OSError as err:
        raise BadInput(f"{path}: {err.strerror}") from err
    except UnicodeDecodeError as err:
        raise BadInput(f"{path}: not a text file") from err


class SystemMap:
    """Says which function an address belongs to."""

    def __init__(self, path):
        # Of several names for one address take the one with the fewest leading underscores,
        # code before data: the name a reader would look for, and the same one in both kernels.
        best = {}
        for number, words in enumerate(lines_of(path), 1):
            try:
                address, kind, name = int(words[0], 16), words[1], words[2]
            except (IndexError, ValueError):
                raise BadInput(f"{path}:{number}: not a line of a System.map") from None
            rank = (kind not in "tTwW", len(name) - len(name.lstrip("_")), name)
            if address not in best or rank < best[address]:
                best[address] = rank
        if not best:
            raise BadInput(f"{path}: no symbols")
        self.starts = sorted(best)
        self.names = [UNKNOWN if best[start][0] else self.function(best[start][2])
                      for start in self.starts]

    @staticmethod
    def function(name):
        """Drop what the compiler appended (.isra.0, .cold): it need not be alike in two builds."""
        return name.split(".")[0] or name

    def lookup(self, address):
        """Return the function's name; after data, in front of or behind the kernel: UNKNOWN."""
        index = bisect.bisect_right(self.starts, address) - 1
        return self.names[index] if index >= 0 else UNKNOWN


def read_blocks(path, system_map):
    """Yield {symbol: instructions} of each block that insn_count.so wrote: one ends in a total."""
    counts = {}
    seen = 0
    lines = lines_of(path)
    if not lines:
        raise BadInput(f"{path}: empty: QEMU did not end in good order, so nothing was written")
    for number, words in enumerate(lines, 1):
        try:
            key, insns = words
            insns = int(insns)
            name = {"user": USER, "total": None}.get(key, key)
            if name == key:
                name = system_map.lookup(int(key, 16))
        except ValueError:
            raise BadInput(f"{path}:{number}: not a line of insn_count's") from None
        if name is not None:
            counts[name] = counts.get(name, 0) + insns
            seen += insns
        elif insns == seen:
            yield counts
            counts, seen = {}, 0
        else:
            break
    if counts or lines[-1][0] != "total":
        raise BadInput(f"{path}: cut short: the counts do not add up to its last line, the total")


def read_counts(path, system_map):
    """Read what insn_count.so wrote in the end; return {symbol: instructions}."""
    blocks = list(read_blocks(path, system_map))
    if len(blocks) != 1:
        raise BadInput(f"{path}: not of one boot: {len(blocks)} totals")
    return blocks[0]


def one_iteration(map_path, count_paths, loops):
    """Return {symbol: instructions of one iteration}, from a boot with few and one with many."""
    system_map = SystemMap(map_path)
    low, high = (read_counts(path, system_map) for path in count_paths)
    if sum(high.values()) <= sum(low.values()):
        raise BadInput(f"{count_paths[1]}: no more instructions than in {count_paths[0]}, "
                       "though of more loops")
    return {name: (high.get(name, 0) - low.get(name, 0)) / (loops[1] - loops[0])
            for name in low.keys() | high.keys()}


def compare(stock, patched):
    """Return the rows of the table, the larger first: (symbol, stock, patched, difference)."""
    if patched is None:
        rows = [(name, insns, None, None) for name, insns in stock.items()]
    else:
        rows = []
        for name in stock.keys() | patched.keys():
            before, after = stock.get(name, 0.0), patched.get(name, 0.0)
            rows.append((name, before, after, after - before))
    return sorted(rows, key=lambda row: (-max(row[1], row[2] or row[1]), row[0]))


def add_up(name, rows):
    """Return one row that stands for several."""
    columns = list(zip(*rows))[1:] if rows else [(0.0,)] * 3
    return (name, *(None if None in column else sum(column) for column in columns))


def print_table(rows, top, out):
    """Print the largest symbols, what was left out, and the total."""
    kernel = [row for row in rows if row[0] != USER]
    rest = kernel[top:]
    shown = kernel[:top]
    if rest:
        shown.append(add_up(f"[{len(rest)} more symbols]", rest))
    shown.append(add_up(USER, [row for row in rows if row[0] == USER]))
    shown.append(add_up("total", rows))

    width = max(len(row[0]) for row in shown)
    compared = shown[-1][2] is not None
    heads = ("stock", "patched", "difference") if compared else ("stock",)
    print(f"{'symbol':<{width}}" + "".join(f" {head:>11}" for head in heads), file=out)
    for name, *insns in shown:
        # Adding 0.0 after rounding turns "-0.0" into "0.0".
        print(f"{name:<{width}}" + "".join(f" {round(number, 1) + 0.0:>11.1f}"
                                           for number in insns if number is not None), file=out)


def print_json(rows, loops, out):
    """Print everything, no symbol left out."""
    keys = ("symbol", "stock", "patched", "difference")
    result = {"loops": loops, "symbols": [dict(zip(keys, row)) for row in rows],
              "total": dict(zip(keys[1:], add_up("total", rows)[1:]))}
    json.dump(result, out, indent=1)
    out.write("\n")


def arguments(argv):
    """Parse the command line; a wrong one ends the program with status 2."""
    parser = Parser(prog="profile.py", description=__doc__.splitlines()[0])
    parser.add_argument("--system-map", required=True, metavar="MAP", help="stock's System.map")
    parser.add_argument("--counts", required=True, nargs=2, metavar=("LOW", "HIGH"),
                        help="stock's counts: the boot with few loops, the one with many")
    parser.add_argument("--loops", required=True, nargs=2, type=int, metavar=("NLOW", "NHIGH"),
                        help="how many loops the two boots ran")
    parser.add_argument("--patched-map", metavar="MAP", help="the patched kernel's System.map")
    parser.add_argument("--patched-counts", nargs=2, metavar=("LOW", "HIGH"),
                        help="the patched kernel's counts, of as many loops")
    parser.add_argument("--top", type=int, default=40, metavar="N",
                        help="symbols in the table (40)")
    parser.add_argument("--json", action="store_true", help="print all symbols as JSON instead")
    args = parser.parse_args(argv)
    if not 0 <= args.loops[0] < args.loops[1]:
        parser.error("--loops: the second number must be the larger, and none negative")
    if (args.patched_map is None) != (args.patched_counts is None):
        parser.error("--patched-map and --patched-counts go together")
    if args.top < 1:
        parser.error("--top: must be at least 1")
    return args


def main(argv):
    """Print the profile; return the exit status."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "| head" ends us without a word
    args = arguments(argv)
    patched = None
    try:
        stock = one_iteration(args.system_map, args.counts, args.loops)
        if args.patched_map:
            patched = one_iteration(args.patched_map, args.patched_counts, args.loops)
    except BadInput as err:
        print(f"profile.py: {err}", file=sys.stderr)
        return 2
    rows = compare(stock, patched)
    if args.json:
        print_json(rows, args.loops, sys.stdout)
    else:
        print_table(rows, args.top, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
