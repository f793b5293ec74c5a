# SPDX-License-Identifier: GPL-2.0
"""bench.py: figures of two kernels become results.json and a table."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, LAB)
import bench  # noqa: E402 (the path comes first)


def line(case, metric, value, report="field-1"):
    return json.dumps({"report": report, "case": case, "metric": metric, "unit": "u",
                       "value": value, "command": f"disk_read {case}"})


def figures(*lines):
    return bench.parse_lines("\n".join(("Completed reading 1 mbytes", '{"ns": 1}', *lines, "# noise")))


class Merge(unittest.TestCase):
    def test_ratio_is_patched_to_stock(self):
        merged = bench.merge({"stock": figures(line("direct", "m", 4.0)),
                              "patched": figures(line("direct", "m", 3.0))})
        self.assertEqual(merged, [{"report": "field-1", "case": "direct", "metric": "m",
                                   "unit": "u", "stock": 4.0, "patched": 3.0, "ratio": 0.75,
                                   "reported": None, "command": "disk_read direct"}])

    def test_a_case_that_stock_has_not_is_null(self):
        merged = bench.merge({"stock": {}, "patched": figures(line("raw", "m", 3.0))})
        self.assertIsNone(merged[0]["stock"])
        self.assertIsNone(merged[0]["ratio"])

    def test_a_case_that_patched_has_not_is_null(self):
        merged = bench.merge({"stock": figures(line("old", "m", 3.0)), "patched": {}})
        self.assertEqual((merged[0]["stock"], merged[0]["patched"], merged[0]["ratio"]),
                         (3.0, None, None))

    def test_zero_has_no_ratio(self):
        self.assertIsNone(bench.ratio(0, 5))
        self.assertEqual(bench.ratio(5, 0), 0)


    def test_the_reports_own_figure_stands_beside(self):
        self.assertEqual(bench.reported("field-1", "fc-direct", "mb_per_s"), 62.02)
        self.assertEqual(bench.reported("field-3", "fc-raid0-ext2", "gain"), 1.466)
        self.assertEqual(bench.reported("field-5", "many-ext3-create", "io_kib"), 45.8)
        self.assertIsNone(bench.reported("field-3", "fc-raid0-jfs", "gain"))
        self.assertEqual(bench.reported("field-2", "iozone-random-ext4", "mb_per_s"), 19.51)
        self.assertEqual(bench.reported("field-2", "iozone-mix-bdev", "mb_per_s"), 29.26)
        self.assertEqual(bench.reported("field-2", "iozone-pread-harness", "mb_per_s"), 11.42)
        self.assertEqual(bench.reported("field-2", "sysbench-xfs", "seconds"), 79.8176)
        self.assertIsNone(bench.reported("field-2", "dss-ext2", "mb_per_s"))


class Update(unittest.TestCase):
    def test_new_figures_replace_old_in_place_and_others_stay(self):
        def one(case, value):
            return {"report": "r", "case": case, "metric": "m", "patched": value}
        got = bench.update([one("a", 1), one("b", 2)], [one("c", 3), one("a", 9)])
        self.assertEqual(got, [one("a", 9), one("b", 2), one("c", 3)])

    def test_file_is_whole_or_not_there(self):
        with tempfile.TemporaryDirectory() as out:
            bench.RESULTS = os.path.join(out, "results.json")
            self.assertEqual(bench.load(), [])
            bench.save([{"x": 1}])
            self.assertEqual(bench.load(), [{"x": 1}])
            with self.assertRaises(TypeError):
                bench.save([object()])
            self.assertEqual(bench.load(), [{"x": 1}])


class Run(unittest.TestCase):
    def asked(self, *cases):
        """The guests that are started for these cases: (kernel, flags, bench.sh's words)."""
        guests = []

        def guest(kernel, flags, args, quiet=False):
            guests.append((kernel, flags, args))
            return {}

        with mock.patch.object(bench, "guest", guest), mock.patch.object(bench, "save"):
            bench.run(cases, 1)
        return guests

    def test_each_array_has_a_guest_of_its_own_on_both_kernels(self):
        self.assertCountEqual(self.asked("many", "fc-short"),
                              [(kernel, ["-c", "-a", array], [case]) for kernel in bench.KERNELS
                               for array, case in (("many", "many"), ("fc", "fc-short"))])

    def test_the_short_form_has_only_cases_that_there_are_and_each_once(self):
        known = bench.TIMED + bench.COUNTED + bench.READAHEAD + bench.ARRAYS
        self.assertEqual(set(bench.SHORT) - set(known), set())
        self.assertEqual(len(set(bench.SHORT)), len(bench.SHORT))


class Table(unittest.TestCase):
    def test_cases_stand_together_and_nothing_is_a_dash(self):
        merged = bench.merge({
            "stock": figures(line("direct", "mb", 1000.4), line("buffered", "mb", 2)),
            "patched": figures(line("direct", "mb", 2000.8), line("buffered", "mb", 2),
                               line("raw", "mb", 12.345), line("direct", "us", 5))})
        rows = [row.split() for row in bench.table(merged).splitlines()]
        self.assertEqual([row[1:3] for row in rows[1:]],
                         [["direct", "mb"], ["direct", "us"], ["buffered", "mb"], ["raw", "mb"]])
        self.assertEqual(rows[1][4:], ["1000", "2001", "2.000", "-"])
        self.assertEqual(rows[4][4:], ["-", "12.35", "-", "-"])


class Readahead(unittest.TestCase):
    """bench_readahead.sh, as far as it needs no disk."""

    def bash(self, script, *args, **more):
        return subprocess.run(
            ["bash", "-euc", f'die() {{ echo "$2" >&2; exit "$1"; }}; . "$0"; {script}',
             os.path.join(LAB, "bench_readahead.sh"), *args],
            text=True, check=False, capture_output=True, **more)

    def test_it_knows_each_case_of_bench_py(self):
        done = self.bash('for c; do load_of "${c%-kb*}"; echo "$program:$words:$place"; done',
                         *bench.READAHEAD)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        words = dict(zip(bench.READAHEAD, done.stdout.splitlines()))
        self.assertEqual(words["run-64k-by-16k-kb512"], "ra_load:run len=64k bs=16k n=400:")
        self.assertEqual(words["iozone-random-ext4"],
                         "ra_load:blocks once bs=128k n=2048 size=256m:ext4")
        self.assertEqual(words["fio-random-bdev"], "fio:random:bdev")
        self.assertEqual(self.bash('load_of "$1"', "iozone-upwards-ext4").returncode, 2)

    def test_jobs_of_fio_are_those_that_cases_name(self):
        with open(os.path.join(LAB, "bench_readahead.fio"), encoding="utf-8") as f:
            jobs = [line.strip("[]\n") for line in f if line.startswith("[")]
        done = self.bash('for c; do load_of "$c"; echo "$words"; done', "fio-random-xfs",
                         "fio-run-64k-by-4k")
        self.assertEqual(done.stdout.split(), jobs[1:])

    def figures(self, name, per, report, *numbers):
        """{metric: figure}: nsec, before and after reads and sectors, n, bytes, written"""
        done = self.bash(f"""
            emit() {{ echo "$3 $5"; }}
            name={name} per={per} report={report} command=c
            emit_ra "$name" "$@" """, *map(str, numbers))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {metric: float(value) for metric, value in map(str.split, done.stdout.splitlines())}

    def test_figures_are_of_a_run_or_of_a_mib(self):
        self.assertEqual(self.figures("run-64k-by-4k", "n", "readahead",
                                      2000000, 100, 1000, 110, 2280, 10, 655360, 0),
                         {"device_reads_per_run": 1, "bytes_read_per_used": 1, "time": 200})
        self.assertEqual(self.figures("sysbench-xfs", "mib", "field-2",
                                      4000000, 0, 0, 40, 4096, 160, 1048576, 1048576),
                         {"device_reads_per_mib": 20, "bytes_read_per_used": 2, "time": 2000,
                          "mb_per_s": 500, "seconds": 0.004})
        self.assertEqual(self.figures("lowmem-64", "mib", "readahead",
                                      1000, 0, 0, 16, 2112, 1, 1048576, 0)["pages_unread"], 8)

    def test_the_first_full_window(self):
        def bio(sector, sectors):
            return f"ra_load-1 [000] 1.0: block_bio_queue: 252,0 R {sector} + {sectors} [ra_load]"
        trace = [bio(8, 8), bio(1000, 8), bio(1008, 32), bio(1040, 2048), bio(3088, 512)]
        done = self.bash('full_window 1280 $((1000 * 512))', input="\n".join(trace) + "\n")
        self.assertEqual(done.stdout, "3\n")


class CommandLine(unittest.TestCase):
    def fails(self, status, text, *args):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([os.path.join(LAB, "bench.py"), *args], text=True,
                                  env={**os.environ, "O": out}, check=False,
                                  capture_output=True)
        self.assertEqual(done.returncode, status)
        self.assertIn(text, done.stderr)

    def test_bad_words(self):
        self.fails(2, "no such case: sideways", "run", "sideways")
        self.fails(2, "no such case: sideways", "run", "--passes", "3", "sideways")
        self.fails(2, "at least 1", "run", "--passes", "0")
        self.fails(2, "a case, then stock", "profile")
        self.fails(2, "a case, then stock", "profile", "raw", "vanilla")
        self.fails(1, "no such case to profile: disks", "profile", "disks")
        self.fails(1, "make bench", "report")


if __name__ == "__main__":
    unittest.main()
