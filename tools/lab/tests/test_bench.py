# SPDX-License-Identifier: GPL-2.0
"""bench.py: figures of two kernels become results.json and a table; what cases name is there."""

import inspect
import json
import os
import unittest

import bench
import bench_cases
import bench_disks
import bench_guest
import bench_programs

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

def line(case, metric, values, report="field-1", **more):
    values = values if isinstance(values, list) else [values]
    return json.dumps({"report": report, "case": case, "metric": metric, "unit": "u",
                       "values": values, "time": "cpu", "base": "6.1.7",
                       "command": f"disk_read {case}", **more})


def both(stock, patched):
    """One row of two lines, among what programs say"""
    figures = {kernel: bench.parse_lines(f'Completed reading\n{{"ns": 1}}\n{line}\n# noise')
               for kernel, line in (("stock", stock), ("patched", patched))}
    return bench.merge(figures)[0]


class Rows(unittest.TestCase):
    def test_a_row(self):
        one = {"base": "6.1.7", "report": "field-1", "case": "direct", "metric": "m", "unit": "u",
               "stock": 4.0, "patched": 3.0, "ratio": 0.75, "spread": None, "reported": None,
               "time": "cpu", "command": "disk_read direct"}
        self.assertEqual(both(line("direct", "m", 4.0), line("direct", "m", 3.0)), one)
        # A difference within the spread is none.
        self.assertEqual(both(line("direct", "m", [9, 10, 14]), line("direct", "m", [11, 12, 13])),
                         {**one, "stock": 10, "patched": 12, "ratio": None, "spread": 5})
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
            self.assertIn(case.args.get("disk", "array"), bench_disks.DISKS)
            self.assertIn(case.args.get("fs", "ext4"), bench_disks.MKFS)
        for data, *_ in bench_programs.PROGRAMS.values():
            self.assertIn(data, bench_programs.MAKERS)
        self.assertLessEqual(set().union(*bench_cases.GROUPS.values()), set(bench_cases.CASES))

    def test_words_are_those_of_the_programs(self):
        known = {}
        for program in ("disk_read", "dio_load", "ra_load"):
            source = os.path.join(LAB, f"../testing/selftests/dio/{program}.c")
            with open(source, encoding="utf-8") as f:
                known[program] = f.read()
        for case in bench_cases.CASES.values():
            words = case.args.get("words", "").split()
            program = {"one_way": "disk_read", "direct_io": "dio_load"}.get(case.run, "ra_load")
            for word in words:
                name, equals, _ = word.partition("=")
                self.assertRegex(known[program], f'"({name}{equals}|{word})"', case.name)
