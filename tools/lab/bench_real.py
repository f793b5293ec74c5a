# SPDX-License-Identifier: GPL-2.0
"""CPU per I/O on disks that complete later: what it is, and what of it is saved.

The guest's clock leaps while its CPU idles, so instructions are counted from outside, by
insn_count.c between the marks that dio_load sets: per_io() takes them from its file, grids() puts
rows of results.json in the order of the page.
"""

import re
import statistics

from bench_cases import MARKED, PARTS, REAL_DISKS, REAL_PLACES, real_name, ways_on
from profile import BadInput, SystemMap, read_blocks

CONFIGURATIONS = {"real": "the lab's configuration", "distro": "a distribution's options"}
SETUP = 2       # marks of a run that end what is none of it: what was before, and its start
# Functions that only an idle CPU is in
IDLE = re.compile(r"do_idle|cpu_startup_entry|default_idle(_call)?|arch_cpu_idle\w*|\w*safe_halt|"
                  r"schedule_idle|cpuidle_\w+|(menu|haltpoll)_(select|reflect|enable\w*)|"
                  r"cpu_idle_poll\w*|tick_nohz_idle_\w+|tick_nohz_(get_)?sleep\w*|ct_idle_\w+|"
                  r"tick_nohz_(start|stop)_idle|can_stop_idle_tick|sched_idle_set_state")


def busy(segment):
    """Instructions of {symbol: instructions}, but for those of an idle CPU"""
    return sum(insns for name, insns in segment.items() if not IDLE.fullmatch(name))


def middle(values):
    """Without the least and the largest: what the kernel does now and then is in some"""
    return sorted(values)[1:-1]


def per_io(figures, path, system_map):
    """Give each figure with "part" (how many I/Os it is), in the order in which they were printed,
    its instructions an I/O, part by part."""
    system_map = SystemMap(system_map)
    segments = [busy(counts) for counts in read_blocks(path, system_map)]
    marked = [figure for figure in figures.values() if "part" in figure]
    if len(segments) != len(marked) * (SETUP + PARTS):
        raise BadInput(f"{path}: {len(segments)} marks of {len(marked)} figures")
    for number, figure in enumerate(marked):
        start = number * (SETUP + PARTS) + SETUP
        figure["values"] = [round(insns / figure["part"], 1)
                            for insns in middle(segments[start:start + PARTS])]
        figure["value"] = statistics.median_low(figure["values"])


def saved(row):
    """What of the CPU's work is saved, in words"""
    if row is None or None in (row["stock"], row["patched"]):
        return ""
    if row["ratio"] is None:
        return "none"
    return f"{100 * (1 - row['ratio']):.1f} %"


def grids(rows):
    """(what it is of, ways, [(place, {way: row})]) of each disk and configuration of which there is
    a row: first what is nearest to a user's machine"""
    found = {r["case"]: r for r in rows if r["report"] == "real" and r["metric"] == "insn"}
    for disk, what in REAL_DISKS.items():
        for guest in reversed(MARKED):
            ways = ways_on(disk)
            lines = [(place, {way: found.get(real_name(way, place, disk, guest)) for way in ways})
                     for place in REAL_PLACES]
            lines = [line for line in lines if any(line[1].values())]
            if lines:
                yield f"{what}; {CONFIGURATIONS[guest]}", ways, lines


def pair(row):
    """Instructions of both kernels"""
    both = row and [row["stock"], row["patched"]]
    return f"{both[0]:.0f} {both[1]:.0f}" if both and None not in both else ""
