# SPDX-License-Identifier: GPL-2.0
"""bench.py: figures of two kernels become results.json and a table; the guest's part of it."""

import inspect
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, LAB)
import bench  # noqa: E402 (the path comes first)
import bench_array  # noqa: E402
import bench_cases  # noqa: E402
import bench_data  # noqa: E402
import bench_disks  # noqa: E402
import bench_guest  # noqa: E402
import bench_over  # noqa: E402
import bench_programs  # noqa: E402
import bench_readahead  # noqa: E402
import bench_real  # noqa: E402
import profile  # noqa: E402


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


class Merge(unittest.TestCase):
    def test_ratio_is_patched_to_stock(self):
        self.assertEqual(both(line("direct", "m", 4.0), line("direct", "m", 3.0)),
                         {"base": "6.1.7", "report": "field-1", "case": "direct", "metric": "m",
                          "unit": "u", "stock": 4.0, "patched": 3.0, "ratio": 0.75,
                          "spread": None, "reported": None, "time": "cpu",
                          "command": "disk_read direct"})

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

    def test_kernels_of_two_versions_have_no_row(self):
        with self.assertRaisesRegex(SystemExit, "different versions"):
            both(line("direct", "m", 4), line("direct", "m", 3, base="6.12.9"))


class Reported(unittest.TestCase):
    def test_the_reports_own_figure(self):
        self.assertEqual(bench.reported("field-1", "fc-direct", "mb_per_s"), 62.02)
        self.assertEqual(bench.reported("field-3", "fc-raid0-ext2", "gain"), 1.466)
        self.assertEqual(bench.reported("field-5", "many-ext3-create", "io_kib"), 45.8)
        self.assertIsNone(bench.reported("field-3", "fc-raid0-jfs", "gain"))
        self.assertEqual(bench.reported("field-2", "iozone-random-ext4", "mb_per_s"), 19.51)
        self.assertEqual(bench.reported("field-2", "iozone-mix-bdev", "mb_per_s"), 29.26)
        self.assertEqual(bench.reported("field-2", "iozone-pread-harness", "mb_per_s"), 11.42)
        self.assertEqual(bench.reported("field-2", "sysbench-xfs", "seconds"), 79.8176)
        self.assertIsNone(bench.reported("field-2", "dss-ext2", "mb_per_s"))

    def beside(self, case, metric, report, clock):
        one = line(case, metric, 1, report, time=clock)
        return both(one, one)["reported"]

    def test_it_stands_only_beside_a_disks_time(self):
        for clock, wanted in (("disk", 62.02), ("cpu", None), ("fixed", None), ("host", None)):
            self.assertEqual(self.beside("x-direct", "mb_per_s", "field-1", clock), wanted)

    def test_and_beside_the_length_of_ios(self):
        self.assertEqual(self.beside("many-ext3-create", "io_kib", "field-5", "cpu"), 45.8)
        self.assertIsNone(self.beside("many-ext3-create", "ios_per_s", "field-5", "cpu"))


class Floor(unittest.TestCase):
    """What an I/O on a file costs more than one without a file system"""

    def above(self, base="6.1.7", **figures_of):
        by_kernel = {kernel: figures(*(line(case, "insn", value, "engine", base=base)
                                       for case, value in cases.items()))
                     for kernel, cases in figures_of.items()}
        return {(kernel, case): f["value"] for kernel, fs in bench.above_floor(by_kernel).items()
                for (_, case, metric), f in fs.items() if metric == "insn_above_floor"}

    def test_a_read_is_held_against_a_read_of_the_device(self):
        self.assertEqual(self.above(stock={"read-4k-ext2": 7000, "read-4k-bdev": 4500},
                                    patched={"read-4k-ext2": 5500, "read-4k-bdev": 4400,
                                             "read-4k-raw": 1}),
                         {("stock", "read-4k-ext2"): 2500, ("patched", "read-4k-ext2"): 1000})

    def test_a_write_has_none_where_a_device_is_written_by_way_of_a_thread(self):
        self.assertEqual(self.above(stock={"overwrite-4k-ext2": 8000, "overwrite-4k-bdev": 9999,
                                           "read-4k-bdev": 5000},
                                    patched={"overwrite-4k-ext2": 6500, "overwrite-4k-bdev": 9999,
                                             "overwrite-4k-raw": 9999, "read-4k-bdev": 5000}), {})

    def test_of_newer_kernels_against_the_devices(self):
        for base in ("6.12.95", "7.3.4", "6.18.1"):
            self.assertEqual(self.above(base, stock={"overwrite-4k-ext2": 8000,
                                                     "overwrite-4k-bdev": 5100},
                                        patched={"overwrite-4k-ext2": 6500,
                                                 "overwrite-4k-bdev": 5000,
                                                 "overwrite-4k-raw": 1}),
                             {("stock", "overwrite-4k-ext2"): 2900,
                              ("patched", "overwrite-4k-ext2"): 1400})

    def test_without_its_floor_it_has_no_such_figure(self):
        self.assertEqual(self.above(stock={"overwrite-4k-ext2": 8000, "read-64k-bdev": 1},
                                    patched={"overwrite-4k-ext2": 7000, "read-64k-bdev": 1}), {})

    def test_only_instructions_have_one(self):
        by_kernel = {"stock": figures(line("read-4k-ext2", "insn_fibmap", 900, "engine"),
                                      line("read-4k-bdev", "insn", 1, "engine")), "patched": {}}
        self.assertEqual(bench.above_floor(by_kernel), by_kernel)


class Noise(unittest.TestCase):
    def test_a_difference_within_the_spread_is_none(self):
        got = both(line("hba-direct", "m", [9, 10, 14]), line("hba-direct", "m", [11, 12, 13]))
        self.assertEqual((got["stock"], got["patched"], got["ratio"], got["spread"]),
                         (9, 11, None, 5))

    def test_one_beyond_it_has_a_ratio(self):
        got = both(line("hba-direct", "m", [10, 9, 11]), line("hba-direct", "m", [5, 5.5, 5]))
        self.assertEqual((got["ratio"], got["spread"]), (0.5, 2))

    def test_boots_of_one_kernel_are_one_row_of_values(self):
        pooled = bench.pool([figures(line("hba-direct", "m", [5, 9])),
                             figures(line("hba-direct", "m", [1, 2]))])
        figure = pooled["field-1", "hba-direct", "m"]
        self.assertEqual((figure["values"], figure["value"]), ([5, 9, 1, 2], 2))


class Update(unittest.TestCase):
    @staticmethod
    def one(case, value, base="6.1.7"):
        return {"base": base, "report": "r", "case": case, "metric": "m", "patched": value}

    def test_new_figures_replace_old_in_place_and_others_stay(self):
        one = self.one
        got = bench.update([one("a", 1), one("b", 2)], [one("c", 3), one("a", 9)])
        self.assertEqual(got, [one("a", 9), one("b", 2), one("c", 3)])

    def test_other_bases_stay_and_newer_ones_of_a_series_replace(self):
        one = self.one
        got = bench.update([one("a", 1), one("a", 2, "6.12.3")],
                           [one("a", 3, "6.12.4"), one("a", 4, "7.3.1")])
        self.assertEqual(got, [one("a", 1), one("a", 3, "6.12.4"), one("a", 4, "7.3.1")])

    def test_file_is_whole_or_not_there(self):
        with tempfile.TemporaryDirectory() as out, \
                mock.patch.object(bench, "RESULTS", os.path.join(out, "results.json")):
            self.assertEqual(bench.load(), [])
            bench.save([{"x": 1}])
            self.assertEqual(bench.load(), [{"x": 1}])
            with self.assertRaises(TypeError):
                bench.save([object()])
            self.assertEqual(bench.load(), [{"x": 1}])

    def test_what_is_new_says_when_it_was_measured(self):
        got, = bench.dated([self.one("a", 1)])
        self.assertRegex(got["when"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


class Run(unittest.TestCase):
    def asked(self, *cases):
        """The guests that are started for these cases: (kernel, flags, bench_guest.py's words)."""
        guests = []

        def guest(kernel, flags, args, quiet=False):
            guests.append((kernel, flags, args))
            return {}

        with mock.patch.object(bench, "guest", guest), mock.patch.object(bench, "save"), \
                mock.patch.object(bench, "load", list):
            bench.run(cases, 1)
        return guests

    def test_a_trace_replaces_those_of_its_base(self):
        def said(kernel, *_, **__):
            return f'noise\n{{"base": "6.1.9", "kernel": "{kernel}"}}\n'

        with tempfile.TemporaryDirectory() as out, mock.patch.object(bench, "boot", said), \
                mock.patch.object(bench, "TRACES", os.path.join(out, "trace.json")):
            bench.save([{"base": "6.1.7", "kernel": "stock"}, {"base": "7.3.1", "kernel": "stock"}],
                       bench.TRACES)
            bench.trace()
            got = [(t["base"], t["kernel"]) for t in bench.load(bench.TRACES)]
        self.assertEqual(got, [("7.3.1", "stock"), ("6.1.9", "stock"), ("6.1.9", "patched")])

    def test_only_the_base_that_was_measured_is_shown(self):
        one, another = ({"base": base, "report": "r", "case": "c", "metric": "m", "patched": 1}
                        for base in ("7.3.4", "6.12.9"))
        kept = [one, another]
        with mock.patch.object(bench, "load", lambda: kept), \
                mock.patch.object(bench, "save", kept.__init__), \
                mock.patch.object(bench, "guest", lambda *_, **__: figures(
                    line("many", "m", 1, base="7.3.5"))):
            shown = bench.run(["many"], 1)
        self.assertEqual([r["base"] for r in shown], ["7.3.4", "7.3.5"])

    def test_each_array_has_a_guest_of_its_own_on_both_kernels(self):
        self.assertCountEqual(self.asked("many", "fc-short"),
                              [(kernel, ["-c", "-a", array], ["-n", "1", case])
                               for kernel in bench.KERNELS
                               for array, case in (("many", "many"), ("fc", "fc-short"))])

    def test_what_takes_long_is_kept_boot_by_boot(self):
        kept = []
        with mock.patch.object(bench, "guest", lambda *_, **__: {}), \
                mock.patch.object(bench, "save", kept.append), \
                mock.patch.object(bench, "load", list):
            bench.run(bench_cases.GROUPS["windows"], 1)
            self.assertEqual(len(kept), 1)
            bench.run(bench_cases.GROUPS["readahead"], 1)
            self.assertGreater(len(kept), 4)
        boots = [args[2:] for kernel, flags, args in
                 self.asked(*bench_cases.GROUPS["readahead"], *bench_cases.GROUPS["engine"])
                 if kernel == "stock" and flags == ["-c"]]
        engine, *others = boots
        self.assertTrue({"read-4k-bdev", "read-4k-ext4"} <= {*engine})     # share a floor
        self.assertLessEqual(max(map(len, others)), 40)
        self.assertCountEqual([case for boot in others for case in boot],
                              [case for case in bench_cases.GROUPS["readahead"]
                               if bench_cases.CASES[case].guest == "readahead"])

    def test_what_programs_work_on_is_made_for_them_alone(self):
        with mock.patch.object(bench, "tree_of", lambda kernel: f"/{kernel}"), \
                mock.patch.object(bench.bench_data, "make") as make:
            self.asked("hba", "seq-4k")
            make.assert_not_called()
            self.asked("tar-ext4-array-m50", "grep-xfs-array-m90", "lmdb-get-ext4-hdd-m50")
            make.assert_called_once_with(bench.OUT, ["root", "lmdb", "tree"], "/source")
            make.side_effect = FileNotFoundError("db_bench is missing: tools/lab/packages.sh programs")
            with self.assertRaisesRegex(SystemExit, "^bench: db_bench is missing: tools"):
                self.asked("tar-ext4-array-m50")

    def test_what_programs_work_on_is_made_before_anything_is_measured(self):
        booted = []
        for error in (FileNotFoundError("x"), subprocess.CalledProcessError(1, "mdb_load")):
            with mock.patch.object(bench, "tree_of", str), \
                    mock.patch.object(bench.bench_data, "make", side_effect=error), \
                    mock.patch.object(bench, "guest", lambda *args, **_: booted.append(args)), \
                    self.assertRaisesRegex(SystemExit, "^bench: "):
                bench.run(["read-4k-bdev", "tar-ext4-array-m50"], 1)
        self.assertEqual(booted, [])

    def test_timed_guests_come_one_after_the_other_in_the_order_a_b_b_a(self):
        order = ("stock", "patched", "patched", "stock")
        self.assertEqual(self.asked("hba"), [(kernel, ["-d"], ["-n", "1", "hba"])
                                             for kernel in order])


class Cases(unittest.TestCase):
    def test_each_can_be_told_to_what_runs_it(self):
        for case in bench_cases.CASES.values():
            inspect.signature(bench_guest.RUN[case.run]).bind(case, 1, **case.args)
            self.assertIn(case.guest, bench_cases.GUESTS)

    def test_names_are_taken_once(self):
        names = [case.name for make in (bench_cases.engine, bench_cases.real,
                                        bench_cases.readahead, bench_cases.over,
                                        bench_cases.programs, bench_cases.arrays)
                 for case in make()]
        self.assertEqual(len(names), len(bench_cases.CASES))

    def test_the_hosts_time_is_in_those_of_a_guest_that_does_not_count(self):
        for case in bench_cases.CASES.values():
            self.assertEqual(case.time == "host", "-c" not in bench_cases.GUESTS[case.guest])

    def test_each_file_system_can_be_made_and_has_all_of_the_engines_cases(self):
        for fs in bench_cases.FILE_SYSTEMS:
            self.assertIn(fs, bench_disks.MKFS)
            for what in ("read-4k", "overwrite-4k", "aio-4k", "uring-4k", "read-64k", "read-1m",
                         "read-1m-huge"):
                self.assertEqual(bench_cases.CASES[f"{what}-{fs}"].args["place"], fs)

    def test_groups_have_only_cases_that_there_are_and_each_once(self):
        for cases in bench_cases.GROUPS.values():
            self.assertEqual(set(cases) - set(bench_cases.CASES), set())
            self.assertEqual(len(set(cases)), len(cases))

    def test_without_a_name_there_is_all_but_arrays_and_a_part_of_the_programs(self):
        of = {}
        for name in bench_cases.GROUPS["all"]:
            of.setdefault(bench_cases.CASES[name].guest, set()).add(name)
        self.assertEqual(set(of), {"engine", "readahead", "model", "hba", "programs"})
        for guest in ("engine", "readahead"):
            self.assertEqual(of[guest], {name for name, case in bench_cases.CASES.items()
                                         if case.guest == guest})
        self.assertEqual(of["programs"], {f"{program}-ext4-array-m{percent}"
                                          for program in bench_cases.PROGRAMS
                                          for percent in (50, 110)})

    def test_what_make_run_shows_is_the_same_in_each_run(self):
        self.assertNotIn("host", {bench_cases.CASES[name].time
                                  for name in bench_cases.GROUPS["short"]})

    def test_what_is_not_exact_is_not_in_what_make_bench_runs(self):
        self.assertEqual({bench_cases.CASES[name].time for name in bench_cases.GROUPS["real"]},
                         {"busy"})
        for group in ("all", "short", "engine"):
            self.assertNotIn("busy", {bench_cases.CASES[name].time
                                      for name in bench_cases.GROUPS[group]})

    def test_programs_are_known_and_so_is_what_they_work_on(self):
        self.assertEqual(set(bench_cases.PROGRAMS), set(bench_programs.PROGRAMS))
        for data, *_ in bench_programs.PROGRAMS.values():
            self.assertIn(data, bench_data.MAKERS)
        for disk, fs, _ in bench_cases.PROGRAM_PLACES:
            self.assertIn(disk, bench_programs.DISKS)
            self.assertIn(fs, bench_disks.MKFS)

    def test_file_systems_over_others_are_read_on_kernels_that_have_them(self):
        self.assertEqual(bench_cases.KERNELS_OF["over"], ("distro-stock", "distro"))
        for name in bench_cases.GROUPS["over"]:
            self.assertEqual(bench_cases.CASES[name].guest, "over")
            self.assertNotIn(name, bench_cases.GROUPS["all"])
        for place in bench_cases.OVER_PLACES:
            self.assertIn(place, {**bench_over.OVER, **bench_disks.MKFS})
        with open(os.path.join(LAB, "distro.config"), encoding="utf-8") as f:
            asked = f.read()
        for option in ("BTRFS_FS", "FUSE_FS", "NFS_V4", "NFSD_V4"):
            self.assertIn(f"\nCONFIG_{option}=y\n", asked)

    def test_words_are_those_of_ra_load(self):
        source = os.path.join(LAB, "../testing/selftests/dio/ra_load.c")
        with open(source, encoding="utf-8") as f:
            known = f.read()
        for case in bench_cases.CASES.values():
            program, *words = case.args.get("words", "").split() or [""]
            for word in words if program == "ra_load" else ():
                name, equals, _ = word.partition("=")
                self.assertRegex(known, f'"({name}{equals}|{word})"', case.name)


class Programs(unittest.TestCase):
    """bench_programs.py and bench_data.py, as far as they need no disk"""

    def test_latencies_of_db_bench_and_of_the_slowest_of_fios_jobs(self):
        said = "x\nPercentiles: P50: 6.51 P75: 8.56 P99: 73.62 P99.9: 380.00 P99.99: 618.00\n"
        self.assertEqual(list(bench_programs.latencies(said)), [("p50", 6.51), ("p99", 73.62)])
        jobs = [{"read": {"clat_ns": {"percentile": {"50.000000": half, "99.000000": most}}}}
                for half, most in ((1000, 9000), (2000, 8000))]
        self.assertEqual(list(bench_programs.latencies(json.dumps({"jobs": jobs}))),
                         [("p50", 2.0), ("p99", 9.0)])
        self.assertEqual(list(bench_programs.latencies("12\n")), [])

    def test_waits_are_those_of_the_program_and_not_of_what_ran_before_it(self):
        told = {}

        def runs(ran):
            told.update({"memory.stat": f"file 1\nworkingset_refault_anon 9\n"
                                        f"workingset_refault_file {5 * ran}\n",
                         "memory.pressure": f"some avg10=0.00 avg60=0.00 total={70 * ran}\n"
                                            "full avg10=0.00 avg60=0.00 total=1\n",
                         "io.pressure": f"some avg10=1.00 avg60=0.00 total={900 * ran}\n"
                                        "full avg10=0.00 avg60=0.00 total=2\n"})

        runs(1)
        with mock.patch.object(bench_programs, "get", lambda path: told[os.path.basename(path)]), \
                mock.patch.object(bench_programs, "device_reads", lambda disk: (0, 0)), \
                mock.patch.object(bench_programs, "run_inside", lambda *_, **__: runs(4)):
            figures = {metric: (unit, value) for metric, unit, value
                       in bench_programs.figures(("tar",), None, None, "sda")}
        self.assertEqual(figures["refaults"], ("pages", 15))
        self.assertEqual(figures["memory_stall"], ("us", 210))
        self.assertEqual(figures["io_stall"], ("us", 2700))

    def test_none_of_some_numbers_comes_again_before_all_have_come(self):
        for n in (100, 600):
            asked = [int(one) for one in re.findall(r"\d+", bench_programs.some_of(n, "{}\n"))]
            self.assertEqual(len(asked), bench_programs.SOME)
            self.assertLess(max(asked), n)
            for begin in range(0, len(asked), n):
                part = asked[begin:begin + n]
                self.assertEqual(len(set(part)), len(part))

    def test_queries_ask_for_rows_that_there_are(self):
        rows = bench_programs.some_rows()
        self.assertGreater(len(set(rows)), 1000)
        self.assertFalse([row for row in rows if row % 5 == 0 or row >= bench_data.ROWS])
        self.assertIn(bench_data.key_of(rows[0]), bench_programs.queries("{key}").split(";")[0])
        self.assertEqual(len({bench_data.key_of(row) for row in range(bench_data.ROWS)}),
                         bench_data.ROWS)

    def test_data_is_made_once_and_whole(self):
        made = []

        def maker(directory, source):
            made.append(source)
            if len(made) == 1:
                raise OSError("no space")
            with open(f"{directory}/file", "w", encoding="ascii") as f:
                f.write("x")

        with tempfile.TemporaryDirectory() as out, \
                mock.patch.dict(bench_data.MAKERS, {"plain": maker}):
            with self.assertRaises(OSError):
                bench_data.make(out, ["plain"], "a")
            self.assertFalse(os.path.exists(bench_data.archive(out, "plain")))
            for source in ("b", "c"):
                bench_data.make(out, ["plain"], source)
            self.assertEqual(made, ["a", "b"])
            whole = bench_data.archive(out, "plain")
            self.assertEqual(os.listdir(f"{out}/programs"), [os.path.basename(whole)])
            # What another version of this program has made is not used.
            with mock.patch.object(bench_data, "VERSION", bench_data.VERSION + 1):
                bench_data.make(out, ["plain"], "d")
            self.assertEqual(made, ["a", "b", "d"])


class Cover(unittest.TestCase):
    def rows(self, clock="cpu"):
        return [{"base": "6.1.7", "report": report, "case": case, "metric": metric, "unit": "u",
                 "stock": 2, "patched": 1, "ratio": 0.5, "time": clock, "command": "c"}
                for report, case, metric in (*bench_cases.COVER, ("field-1", "nocopy", "m"))]

    def test_it_has_a_dozen_of_the_rows(self):
        self.assertEqual(len(bench.cover(self.rows())), 12)

    def test_it_is_of_one_base(self):
        rows = self.rows() + [{**row, "base": "6.12.3"} for row in self.rows()]
        for base in ("6.1", "6.12"):
            got = bench.cover(rows, base)
            self.assertEqual({bench.series_of(row["base"]) for row in got}, {base})
            self.assertEqual(len(got), 12)

    def test_it_has_none_of_the_hosts_time(self):
        self.assertEqual(bench.cover(self.rows("host")), [])

    def test_its_rows_are_of_cases_that_there_are(self):
        for _, case, _ in bench_cases.COVER:
            self.assertIn(case.replace("model-direct", "model"), bench_cases.CASES)


class Table(unittest.TestCase):
    def test_cases_stand_together_and_nothing_is_a_dash(self):
        merged = bench.merge({
            "stock": figures(line("direct", "mb", 1000.4), line("buffered", "mb", [2, 2])),
            "patched": figures(line("direct", "mb", 2000.8), line("buffered", "mb", [3, 3.5]),
                               line("raw", "mb", 12.345), line("direct", "us", 5))})
        rows = [row.split() for row in bench.table(merged).splitlines()]
        self.assertEqual(rows[0], ["base", "report", "case", "metric", "unit", "stock", "patched",
                                   "ratio", "spread", "reported"])
        self.assertEqual([row[2:4] for row in rows[1:]],
                         [["direct", "mb"], ["direct", "us"], ["buffered", "mb"], ["raw", "mb"]])
        self.assertEqual(rows[1][5:], ["1000", "2001", "2.000", "-", "-"])
        self.assertEqual(rows[3][5:], ["2.000", "3.000", "1.500", "0.500", "-"])
        self.assertEqual(rows[4][5:], ["-", "12.35", "-", "-", "-"])

    def test_bases_come_in_their_order(self):
        one = both(line("direct", "m", 4), line("direct", "m", 3))
        bases = ["6.1.9", "6.12.3", "6.12.10", "7.3.4", "10.0.1"]
        rows = bench.table([{**one, "base": base} for base in reversed(bases)]).splitlines()[1:]
        self.assertEqual([row.split()[0] for row in rows], bases)

    def test_patterns_are_reports_or_cases(self):
        rows = [{"report": report, "case": case} for report, case in (
            ("field-1", "direct"), ("engine", "read-4k-ext2"), ("engine", "aio-4k-ext2"))]
        self.assertEqual(bench.matching(rows, []), rows)
        self.assertEqual(bench.matching(rows, ["field-1", "aio-*"]), [rows[0], rows[2]])


class Readahead(unittest.TestCase):
    """bench_readahead.py, as far as it needs no disk."""

    def figures(self, report, case, per_run, **said):
        """{metric: value} of a round of 10 device reads"""
        case = bench_cases.CASES[case]
        return {metric: round(value, 6) for metric, _, value in
                bench_readahead.figures(said, 10, 1280, per_run)
                if bench_readahead.wanted(metric, case, report)}

    def test_figures_are_of_a_run_or_of_a_mib(self):
        self.assertEqual(self.figures("readahead", "run-64k-by-4k", True,
                                      n=10, bytes=655360, written=0, nsec=2000000),
                         {"device_reads_per_run": 1, "bytes_read_per_used": 1, "time": 200})
        self.assertEqual(self.figures("field-2", "sysbench-xfs", False,
                                      n=160, bytes=327680, written=1048576 - 327680, nsec=4000000),
                         {"device_reads_per_mib": 10, "bytes_read_per_used": 2, "time": 4000,
                          "mb_per_s": 250, "seconds": 0.004})
        self.assertEqual(self.figures("readahead", "lowmem-64", False,
                                      n=1, bytes=622592, written=0, nsec=1)["pages_unread"], 8)

    def test_the_first_full_window(self):
        def bio(sector, sectors):
            return f"ra_load-1 [000] 1.0: block_bio_queue: 252,0 R {sector} + {sectors} [ra_load]"
        trace = "\n".join([bio(8, 8), bio(1000, 8), bio(1008, 32), bio(1040, 2048),
                           bio(3088, 512)])
        self.assertEqual(bench_readahead.full_window(trace, 1280, 1000 * 512), 3)
        with self.assertRaises(bench_disks.Failed):
            bench_readahead.full_window(trace, 4096, 1000 * 512)

    def test_what_fio_says(self):
        said = {"jobs": [{"read": {"total_ios": 6400, "io_bytes": 26214400,
                                   "lat_ns": {"mean": 1000.5}}}]}
        with mock.patch.object(bench_readahead, "run", return_value=json.dumps(said)) as run:
            got = bench_readahead.load("fio rw=randread bs=4k", "/dev/x", None)
        self.assertEqual(got, {"n": 400, "bytes": 26214400, "written": 0, "nsec": 6403200})
        self.assertLessEqual({"--rw=randread", "--bs=4k", "--filename=/dev/x"}, {*run.call_args[0]})


class Real(unittest.TestCase):
    """Disks that complete later: what is counted between marks"""

    MAP = "ffffffff81000000 T work\nffffffff81000100 t do_idle\nffffffff81000200 T more\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.map, self.marks = (os.path.join(folder.name, name) for name in ("map", "marks"))
        with open(self.map, "w", encoding="ascii") as f:
            f.write(self.MAP)

    def mark(self, *insns):
        """Marks, before each of which so much was done, and 9000 while idle"""
        with open(self.marks, "a", encoding="ascii") as f:
            for n in insns:
                f.write(f"ffffffff81000000 {n - 5}\nffffffff81000100 9000\nuser 5\n"
                        f"total {n + 9000}\n")

    def run_of(self, *parts):
        """Those of one run"""
        self.mark(777777, 888, *parts)

    def per_io(self, *cases):
        figures_of = figures(*(line(case, "insn", 1, "real", part=10) for case in cases))
        bench_real.per_io(figures_of, self.marks, self.map)
        return [(f["value"], f["values"]) for f in figures_of.values()]

    def test_parts_are_counted_without_idle_and_without_the_extremes(self):
        self.run_of(5000, 1000, 1010, 1020, 1030, 1040, 10)
        self.run_of(*[2000] * 7)
        self.assertEqual(self.per_io("a", "b"),
                         [(102, [100, 101, 102, 103, 104]), (200, [200] * 5)])

    def test_marks_of_another_number_of_runs_are_refused(self):
        self.run_of(*[2000] * 7)
        self.mark(2000)
        with self.assertRaisesRegex(profile.BadInput, "10 marks of 1 figures"):
            self.per_io("a")
        with self.assertRaises(profile.BadInput):
            self.per_io("a", "b")

    def test_a_figure_without_marks_keeps_its_clock(self):
        self.run_of(*[2000] * 7)
        both = figures(line("x", "insn", 3), line("a", "insn", 1, "real", part=10))
        bench_real.per_io(both, self.marks, self.map)
        self.assertEqual([f["value"] for f in both.values()], [3, 200])

    def test_a_file_that_was_cut_short_is_refused(self):
        self.run_of(*[2000] * 7)
        with open(self.marks, "a", encoding="ascii") as f:
            f.write("ffffffff81000000 4\n")
        with self.assertRaisesRegex(profile.BadInput, "cut short"):
            self.per_io("a")

    def test_idle_is_what_only_an_idle_cpu_runs(self):
        for name in ("do_idle", "tick_nohz_idle_stop_tick", "pv_native_safe_halt", "menu_select",
                     "cpuidle_idle_call", "default_idle_call"):
            self.assertTrue(bench_real.IDLE.fullmatch(name), name)
        for name in ("try_to_wake_up", "hrtimer_interrupt", "schedule", "tick_nohz_handler",
                     "select_idle_sibling", "ktime_get", "null_queue_rq"):
            self.assertFalse(bench_real.IDLE.fullmatch(name), name)

    def guest(self, of_marks, by_clock):
        """bench.py's guest, on a disk that completes at once"""
        self.run_of(*[of_marks * 10] * 7)
        said = figures(line("read-4k-bdev-atonce", "insn", by_clock, "real", part=10))
        with mock.patch.multiple(bench, guest=lambda *_, **__: said, OUT=os.path.dirname(self.map),
                                 tree_of=lambda _: os.path.dirname(self.map)):
            os.makedirs(os.path.join(bench.OUT, "log"), exist_ok=True)
            os.replace(self.marks, os.path.join(bench.OUT, "log", "real-stock.marks"))
            with open(os.path.join(bench.OUT, "System.map"), "w", encoding="ascii") as f:
                f.write(self.MAP)
            return bench.marked_guest("x.so", "stock", [], [])

    def test_where_a_disk_completes_at_once_the_clock_agrees(self):
        self.assertEqual([f["value"] for f in self.guest(500, 505).values()], [500])
        with self.assertRaisesRegex(SystemExit, "500.* but 550"):
            self.guest(500, 550)

    def test_the_page_says_what_is_saved(self):
        rows = [both(line("read-4k-ext4-100us", "insn", 200, "real"),
                     line("read-4k-ext4-100us", "insn", 150, "real")),
                both(line("read-64k-ext4-100us", "insn", [100, 90, 110], "real"),
                     line("read-64k-ext4-100us", "insn", [99, 99, 99], "real")),
                both(line("read-4k-ext4-100us-distro", "insn", 500, "real"),
                     line("read-4k-ext4-100us-distro", "insn", 450, "real"))]
        said = bench.saved(rows).splitlines()
        self.assertEqual(said[0], "Linux 6.1.7")
        self.assertIn("100 us; a distribution's options", said[2])      # a user's comes first
        self.assertEqual([text.split() for text in said[4:6]],
                         [["ext4", "10.0", "%"], ["500", "450"]])
        self.assertIn("100 us; the lab's configuration", said[7])
        self.assertEqual([text.split() for text in said[9:11]],
                         [["ext4", "25.0", "%", "none"], ["200", "150", "100", "99"]])
        self.assertEqual(bench.saved([]), "")

    def test_what_only_one_kernel_did_is_no_gain(self):
        of_patched = figures(line("read-4k-ext4-100us", "insn", 200, "real"))
        row, = bench.merge({"stock": {}, "patched": of_patched})
        self.assertEqual((bench_real.saved(row), bench_real.pair(row)), ("", ""))

    def test_a_distributions_kernels_are_in_the_places_of_the_labs(self):
        asked = []

        def guest_of(kernel, _flags, _args, quiet):
            asked.append((kernel, quiet))
            return figures(line("read-4k-ext4-100us-distro", "insn", 7 + len(kernel), "real"))

        by_kernel = bench.counted([], [], bench_cases.KERNELS_OF["distro"], guest_of)
        self.assertEqual(sorted(asked), [("distro", False), ("distro-stock", True)])
        row, = bench.merge(by_kernel)
        self.assertEqual((row["stock"], row["patched"]), (19, 13))


class Guest(unittest.TestCase):
    """bench_guest.py and bench_array.py with programs and disks that only say what they are told"""

    def printed(self, function, *args, **more):
        out = io.StringIO()
        with redirect_stdout(out):
            function(*args, **more)
        return figures(*out.getvalue().splitlines())

    def test_rounds_are_all_told_and_the_median_is_the_figure(self):
        case = bench_cases.CASES["hba"]
        speeds = iter((50, 1, 2, 70, 3, 4, 60, 5, 6))    # three ways take turns

        def tool(_words, *_files):
            return json.dumps({"mb_per_s": next(speeds), "nsec_per_block": 5000})

        with mock.patch.multiple(bench_array, raws_of=lambda disks: None, flush=lambda disks: None,
                                 tool=tool):
            got = self.printed(bench_array.four_ways, case, ["/dev/sda", "/dev/sdb"], 16, 3)
        figure = got["field-1", "hba-direct", "mb_per_s"]
        self.assertEqual((figure["values"], figure["value"], figure["time"]),
                         ([50, 70, 60], 60, "host"))
        self.assertEqual(figure["command"], "disk_read blocks=16 bs=1m direct /dev/sd[a-b]")
        self.assertEqual(got["field-1", "hba-nocopy", "latency_us"]["value"], 5)

    def test_a_file_has_what_fibmap_takes_and_a_kernel_without_raw_has_nothing(self):
        disk = mock.Mock()
        disk.path_at = lambda place: None if place == "raw" else f"/{place}"
        said = []

        def tool(words, *_files):
            said.append(words)
            return "700.5\n"

        with mock.patch.multiple(bench_guest, switched=lambda: disk, tool=tool):
            for name in ("read-4k-ext2", "read-4k-xfs", "read-4k-raw"):
                case = bench_cases.CASES[name]
                got = self.printed(bench_guest.engine, case, 2, **case.args)
                self.assertEqual({metric for _, _, metric in got},
                                 {"read-4k-ext2": {"insn", "insn_fibmap"}, "read-4k-xfs": {"insn"},
                                  "read-4k-raw": set()}[name])
        self.assertEqual(said, ["dio_load read bs=4k n=40000 /ext2",
                                "dio_load map bs=4k n=40000 /ext2",
                                "dio_load read bs=4k n=40000 /xfs"])

    def test_what_is_profiled_has_no_fibmap_beside_it(self):
        asked = []
        with mock.patch.dict(bench_guest.RUN, engine=lambda *_, **more: asked.append(more)):
            for words in ([], ["-p"]):
                with mock.patch.object(sys, "argv", ["x", *words, "read-4k-ext2"]):
                    bench_guest.main()
        self.assertEqual([more["fibmap"] for more in asked], [True, False])

    def test_a_program_that_fails_ends_the_case_by_its_name(self):
        with mock.patch.object(bench_disks, "BIN", "/bin"), \
                mock.patch.dict(bench_guest.RUN,
                                engine=lambda *_, **__: bench_disks.tool("false")), \
                mock.patch.object(sys, "argv", ["bench_guest.py", "read-4k-ext2"]), \
                self.assertRaisesRegex(SystemExit, "read-4k-ext2: /bin/false: exit 1"):
            bench_guest.main()

    def test_a_case_that_there_is_not_is_usage_before_any_runs(self):
        done = subprocess.run([sys.executable, os.path.join(LAB, "bench_guest.py"), "read-4k-raw",
                               "sideways"], text=True, check=False, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no such case: sideways", done.stderr)

    def test_devices_as_one_word(self):
        self.assertEqual(bench_disks.on_short(["/dev/sda"]), "/dev/sda")
        self.assertEqual(bench_disks.on_short(["/dev/sda", "/dev/sdb"]), "/dev/sd[a-b]")
        self.assertEqual(bench_disks.on_short(["/dev/sdz", "/dev/sdaa"]), "2 disks")


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
        self.fails(1, "no such case to profile: hba", "profile", "hba")
        self.fails(1, "make bench", "report")


if __name__ == "__main__":
    unittest.main()
