# SPDX-License-Identifier: GPL-2.0
"""bench.py: figures of two kernels become results.json and a table; what its cases name is there."""

import inspect
import json
import os
import unittest

import bench
import bench_cases
import bench_data
import bench_disks
import bench_guest
import bench_programs
import bench_stacks

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

def line(case, metric, values, report="field-1", **more):
    values = values if isinstance(values, list) else [values]
    return json.dumps({"report": report, "case": case, "metric": metric, "unit": "u",
                       "value": values[0], "values": values, "time": "cpu", "base": "6.1.7",
                       "command": f"disk_read {case}", **more})


def figures(*lines):
    return bench.parse_lines("\n".join(("Completed reading 1 mbytes", '{"ns": 1}', *lines,
                                        "# noise")))


def both(stock, patched):
    """One row of two lines"""
    return bench.merge({"stock": figures(stock), "patched": figures(patched)})[0]


class Rows(unittest.TestCase):
    def test_a_row(self):
        one = {"base": "6.1.7", "report": "field-1", "case": "direct", "metric": "m", "unit": "u",
               "stock": 4.0, "patched": 3.0, "ratio": 0.75, "spread": None, "reported": None,
               "time": "cpu", "command": "disk_read direct"}
        self.assertEqual(both(line("direct", "m", 4.0), line("direct", "m", 3.0)), one)
        # A difference within the spread is none.
        self.assertEqual(both(line("direct", "m", [9, 10, 14]), line("direct", "m", [11, 12, 13])),
                         {**one, "stock": 9, "patched": 11, "ratio": None, "spread": 5})
        with self.assertRaisesRegex(SystemExit, "different versions"):
            both(line("direct", "m", 4), line("direct", "m", 3, base="6.12.9"))

    def test_the_reports_own_figure(self):
        for report, case, metric, wanted in (
                ("field-1", "fc-direct", "mb_per_s", 62.02),
                ("field-3", "fc-raid0-ext2", "gain", 1.466),
                ("field-3", "fc-raid0-jfs", "gain", None),
                ("field-5", "many-ext3-create", "io_kib", 45.8),
                ("field-2", "iozone-random-ext4", "mb_per_s", 19.51),
                ("field-2", "iozone-pread-harness", "mb_per_s", 11.42),
                ("field-2", "sysbench-xfs", "seconds", 79.8176),
                ("field-2", "dss-ext2", "mb_per_s", None)):
            self.assertEqual(bench.reported(report, case, metric), wanted, case)
        for clock, wanted in (("disk", 62.02), ("cpu", None), ("fixed", None)):
            one = line("x-direct", "mb_per_s", 1, "field-1", time=clock)
            self.assertEqual(both(one, one)["reported"], wanted)

    def test_new_rows_replace_those_of_their_base(self):
        def one(case, value, base="6.1.7"):
            return {"base": base, "report": "r", "case": case, "metric": "m", "patched": value}

        got = bench.update([one("a", 1), one("b", 2), one("a", 2, "6.12.3")],
                           [one("c", 3), one("a", 9), one("a", 3, "6.12.4"), one("a", 4, "7.3.1")])
        self.assertEqual(got, [one("a", 9), one("b", 2), one("a", 3, "6.12.4"), one("c", 3),
                               one("a", 4, "7.3.1")])


class Cases(unittest.TestCase):
    def test_each_can_be_told_to_what_runs_it(self):
        for case in bench_cases.CASES.values():
            inspect.signature(bench_guest.RUN[case.run]).bind(case, 1, **case.args)
            self.assertIn(case.guest, bench_cases.GUESTS)

    def test_groups_have_only_cases_that_there_are_and_each_once(self):
        for cases in bench_cases.GROUPS.values():
            self.assertEqual(set(cases) - set(bench_cases.CASES), set())
            self.assertEqual(len(set(cases)), len(cases))

    def test_programs_are_known_and_so_is_what_they_work_on(self):
        for data, *_ in bench_programs.PROGRAMS.values():
            self.assertIn(data, bench_data.MAKERS)
        for disk, fs, _ in bench_cases.PROGRAM_PLACES:
            self.assertIn(disk, bench_programs.DISKS)
            self.assertIn(fs, bench_disks.MKFS)

    def test_stacks_can_be_made(self):
        with open(os.path.join(LAB, "../testing/selftests/dio/dio_md.sh"), encoding="utf-8") as f:
            header = f.read()
        for stack in (*bench_cases.STACKS, "integrity"):
            level = stack.removesuffix("-bitmap")
            self.assertTrue(stack in ("plain", "loop", "nbd", "bcache",
                                      *bench_stacks.TARGETS) or level in header or
                            level == "raid5", stack)

    def test_words_are_those_of_the_programs(self):
        known = {}
        for program in ("disk_read", "dio_load", "ra_load"):
            source = os.path.join(LAB, f"../testing/selftests/dio/{program}.c")
            with open(source, encoding="utf-8") as f:
                known[program] = f.read()
        for case in bench_cases.CASES.values():
            words = case.args.get("words", "").split()
            program = {"four_ways_counted": "disk_read", "engine": "dio_load"}.get(case.run) or \
                (words.pop(0) if words else "")
            for word in words if program in known else ():
                name, equals, _ = word.partition("=")
                self.assertRegex(known[program], f'"({name}{equals}|{word})"', case.name)
