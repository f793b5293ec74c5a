# SPDX-License-Identifier: GPL-2.0
"""Instructions by kernel symbol for one iteration of a benchmark, exact.

insn_count.so counts a whole boot. Two boots that differ only in how often they ran the loop,
subtracted and divided by the difference in loops, leave one iteration. Booting itself varies, so the
loops between must come to many times that (bench.py takes 3000 million), and the total must be held
against the guest's clock. The kernel must have been booted with nokaslr. Code that System.map does not
know (modules, generated code) is "[module or unknown]".
"""
import bisect

UNKNOWN = "[module or unknown]"
USER = "[user space]"


class BadInput(Exception):
    """A file that cannot be used; the text says which and why."""


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


def compare(stock, patched=None):
    """Return the rows of the table, the larger first: (symbol, stock, patched, difference)."""
    if patched is None:
        rows = [(name, insns, None, None) for name, insns in stock.items()]
    else:
        rows = []
        for name in stock.keys() | patched.keys():
            before, after = stock.get(name, 0.0), patched.get(name, 0.0)
            rows.append((name, before, after, after - before))
    return sorted(rows, key=lambda row: (-max(row[1], row[2] or row[1]), row[0]))


def table(rows, top=40):
    """The largest symbols, what was left out, and the total, as lines of text"""
    def add_up(name, of):
        columns = list(zip(*of))[1:] if of else [(0.0,)] * 3
        return (name, *(None if None in column else sum(column) for column in columns))

    kernel = [row for row in rows if row[0] != USER]
    shown = kernel[:top]
    if kernel[top:]:
        shown.append(add_up(f"[{len(kernel[top:])} more symbols]", kernel[top:]))
    shown += [add_up(USER, [row for row in rows if row[0] == USER]), add_up("total", rows)]
    width = max(len(row[0]) for row in shown)
    heads = ("stock", "patched", "difference") if rows[0][2] is not None else ("stock",)
    yield f"{'symbol':<{width}}" + "".join(f" {head:>11}" for head in heads)
    for name, *insns in shown:
        # Adding 0.0 after rounding turns "-0.0" into "0.0".
        yield f"{name:<{width}}" + "".join(f" {round(number, 1) + 0.0:>11.1f}"
                                           for number in insns if number is not None)
