# SPDX-License-Identifier: GPL-2.0
"""What the kit's field measured (field.figures), as rows of results.json.

A line is KEY, tab, values, of which the last for a KEY counts: kernel.TURN, machine.TURN NAME VALUE,
told TEXT, row.TURN REPORT CASE METRIC UNIT VALUES COMMAND. "patched" is the kernel with
vm.readahead_runs, or the second one, "stock" the other.
"""

import re
import statistics


def read(text):
    """({turn: kernel}, {kernel: {name: value}}, what was told, {(turn, report, case, metric): line})"""
    kernels, machines, told, lines = {}, {}, {}, {}
    for key, *words in (line.split("\t") for line in text.splitlines()):
        what, _, turn = key.partition(".")
        if what == "kernel":
            kernels[turn] = words[0]
        elif what == "machine":
            machines.setdefault(kernels[turn], {})[words[0]] = words[1]
        elif what == "told":
            told[f"data {len(told) + 1}"] = words[0]
        elif what == "row":
            lines[(turn, *words[:3])] = words[3:]
    return kernels, machines, told, lines


def roles(kernels, machines):
    """[stock, patched], either of which may be None"""
    first = kernels.get("1")
    second = next((kernel for kernel in kernels.values() if kernel != first), None)
    has = [bool(machines.get(k, {}).get("vm.readahead_runs")) for k in (first, second)]
    return [second, first] if has == [True, False] else [first, second]


def rows(text, merge):
    """The rows; merge makes them of {"stock": figures, "patched": figures}: bench.merge"""
    kernels, machines, told, lines = read(text)
    both = roles(kernels, machines)
    base = re.match(r"[\d.]*\d|", both[0] or both[1] or "")[0]
    figures = {"stock": {}, "patched": {}}
    for role, kernel in zip(figures, both):
        for (turn, *key), (unit, values, command) in lines.items():
            if kernels[turn] != kernel:
                continue
            figure = figures[role].setdefault(tuple(key), {
                "base": base, **dict(zip(("report", "case", "metric"), key)), "unit": unit,
                "values": [], "time": "machine", "command": command})
            figure["values"] += map(float, values.split())
            figure["value"] = statistics.median_low(figure["values"])
    return merge(figures) + [
        {"base": base, "report": "machine", "case": role, "metric": "record", "unit": "",
         "stock": None, "patched": None, "ratio": None, "spread": None, "reported": None,
         "time": "machine", "command": "field", "machine": {**machines.get(kernel, {}), **told}}
        for role, kernel in zip(figures, both) if kernel]
