# SPDX-License-Identifier: GPL-2.0
"""bench.py: figures of two kernels become results.json and a table; what cases name is there; what
is counted is of the right function."""

import inspect
import json
import tempfile
import unittest
from pathlib import Path

import bench
import bench_cases
import bench_disks
import bench_guest
import bench_programs
import profile

DIO = Path(__file__).resolve().parents[2] / "testing/selftests/dio"


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
        programs = {"one_way": "disk_read", "direct_io": "dio_load", "readahead": "ra_load"}
        known = {run: (DIO / f"{name}.c").read_text() for run, name in programs.items()}
        for case in bench_cases.CASES.values():
            for word in case.args["words"].split() if case.run in programs else ():
                name, equals, _ = word.partition("=")
                self.assertRegex(known[case.run], f'"({name}{equals}|{word})"', case.name)


MAP = """\
0000000000000000 D fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup
ffffffff81000100 t read_one.isra.0
ffffffff81000200 T __x64_sys_read
ffffffff81000300 t read_one.cold
ffffffff81000400 D table
"""


def counts(**insns):
    """The text of a counts file: names are u (user) or k and the address's last digits."""
    lines = [f"{'user' if key == 'u' else 'ffffffff8' + key[1:]} {number}"
             for key, number in insns.items()]
    return "\n".join((*lines, f"total {sum(insns.values())}", ""))


class Profile(unittest.TestCase):
    """On small maps and counts that are made up here. What insn_count.c counts is held against the
    guest's own clock whenever it is used."""

    def files(self, *texts):
        """The paths of files with these texts"""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for number, text in enumerate(texts):
            (folder / str(number)).write_text(text)
        return [folder / str(number) for number in range(len(texts))]

    def test_instructions_of_a_loop_by_symbol(self):
        for high, wanted in (
                # up to the next symbol; the compiler's parts of a function are one
                (counts(k10000ff=20, k1000100=200, k10001ff=2000, k1000200=20000, k1000300=40),
                 {"startup": 1, "read_one": 112, "__x64_sys_read": 1000}),
                # below the kernel (after per-CPU data), in its data, and a module's
                (counts(k0000000=20, k1000400=40, ka000000=80), {"[module or unknown]": 7}),
                # an address that is counted twice
                ("ffffffff81000000 20\nffffffff81000000 40\nuser 20\ntotal 80\n",
                 {"startup": 3, "[user space]": 1})):
            base, *boots = self.files(MAP, counts(u=0), high)   # with 10 and 30 iterations
            self.assertEqual(profile.one_iteration(base, boots, (10, 30)),
                             {"[user space]": 0, **wanted})

    def test_lines_that_cpus_share(self):
        def run(*lines):
            return "io 0\nrun\n" + "".join(f"io {cpu}\n" + "".join(
                f"{line} {cpu} {wrote} {pc:x}\n" for line, wrote, pc in lines)
                for cpu in "01" for _ in range(10))

        start = 0xffffffff81000000
        paths = self.files(run(("a", 1, start), ("b", 0, start)) + "run\n" +
                           run(("c", 1, start + 0x110), ("c", 0, start), ("d", 1, start + 0x120)) +
                           "io 1\ne 1 1 0\nrun\n", MAP)
        figures = {("shared", case, "lines"): {} for case in "ab"}
        self.assertEqual({key[1:]: figure["values"] for key, figure in
                          profile.shared_lines(figures, *paths).items()},
                         {("a", "startup"): [1], ("a", "all"): [1],
                          ("b", "read_one"): [1.9], ("b", "all"): [1.9]})

    def test_parts_between_marks_without_idle_and_extremes(self):
        figures = {case: {"part": 10, "parts": 7, "exact": 0, "values": [9]} for case in "ab"}
        marks = "".join(f"ffffffff81000000 {n - 5}\nffffffff81000400 9000\nuser 5\n"
                        f"total {n + 9000}\n" for n in (
                            777777, 888, 5000, 1000, 1010, 1020, 1030, 1040, 10, 777777, 888,
                            *[2000] * 7, 5555))
        profile.per_io(figures, *self.files(marks, MAP.replace("D table", "t do_idle")))
        self.assertEqual([f["values"] for f in figures.values()],
                         [[100, 101, 102, 103, 104], [200] * 5])
