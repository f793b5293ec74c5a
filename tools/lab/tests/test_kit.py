# SPDX-License-Identifier: GPL-2.0
"""The kit (kit.sh) and what becomes of the figures of field: rows, and a list on the spot."""

import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

import bench
import bench_report

LAB = Path(__file__).resolve().parents[1]
DIO = LAB.parent / "testing/selftests/dio"

def state(*turns, more=()):
    """What field keeps of turns under two kernels, A B B A, of which each has these values"""
    lines, kernels = [], ("6.1.7-a", "6.1.9-b", "6.1.9-b", "6.1.7-a")
    for turn, (kernel, values) in enumerate(zip(kernels, turns), 1):
        said = " ".join(f"{value:.3f}" for value in values)
        lines += [f"kernel.{turn}\t{kernel}", f"machine.{turn}\tkernel\t{kernel}",
                  f"row.{turn}\tfield-1\tdisks-direct\tmb_per_s\tu\t{said}\tdisk_read \"x\" \\d"]
    return "\n".join((*lines, *more, ""))


class Kit(unittest.TestCase):
    def setUp(self):
        self.tmp = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bin = self.tmp / "kselftest"
        self.bin.mkdir()
        for file in (*DIO.glob("field*"), *DIO.glob("dio_*.sh")):
            shutil.copy(file, self.bin)

    def rows(self, text):
        path = self.tmp / "field.figures"
        path.write_text(text)
        return bench.load(path)

    def test_a_figure_is_the_median_of_its_kernels_rounds(self):
        row = self.rows(state([60, 62], [70, 72], [71], [61]))[0]
        self.assertEqual({k: row[k] for k in ("stock", "patched", "spread", "ratio")},
                         {"stock": 61.0, "patched": 71.0, "spread": 2.0, "ratio": 1.1639})
        self.assertIsNone(self.rows(state([60], [60.5], [60.5], [61]))[0]["ratio"])
        # The patched kernel is told by its readahead.
        runs = ("machine.1\tvm.readahead_runs\t1",)
        row = self.rows(state([60, 62], [70, 72], more=runs))[0]
        self.assertEqual((row["stock"], row["patched"], row["base"]), (70.0, 60.0, "6.1.9"))
        row = self.rows(state([60, 62], more=runs))[0]
        self.assertEqual((row["stock"], row["patched"]), (None, 60.0))

    def test_what_bench_reads(self):
        rows = self.rows(state([60], [70], [71], [61]))
        self.assertEqual((rows[0]["base"], rows[0]["reported"], rows[0]["command"]),
                         ("6.1.7", 62.02, 'disk_read "x" \\d'))
        self.assertEqual([r["case"] for r in rows if "machine" in r], ["stock", "patched"])
        said = subprocess.run([LAB / "bench.py", "report", self.tmp / "field.figures", "field-1"],
                              env={**os.environ, "BASE": ""}, check=True, capture_output=True,
                              text=True).stdout.splitlines()
        self.assertRegex(said[1], r"^6.1.7 +field-1 +disks-direct +mb_per_s .* 62.02$")
        self.assertEqual(len(said), 2)
        page = bench_report.write(rows)
        for part in ("disks-direct", '<span class="word better">better</span> 17 % more',
                     "<code>./field</code>", "<h2>On what</h2>", "6.1.9-b"):
            self.assertIn(part, page)
        self.assertNotIn("Not measured yet: <code>make programs", page)

    def pack(self):
        return subprocess.run([LAB / "kit.sh"], env={**os.environ, "O": str(self.tmp), "FIO": ""},
                              check=False, capture_output=True, text=True)

    def test_what_is_in_it_runs(self):
        self.assertEqual(self.pack().returncode, 0)
        archive, = self.tmp.glob("dio-field-kit-*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(self.tmp / "there")
        kit, = (self.tmp / "there").iterdir()
        self.rows(state([1.0, 1.1], [2.0, 2.1]))
        table = subprocess.run([kit / "busybox", "sh", kit / "field", "compare",
                                self.tmp / "field.figures"], env={"PATH": ""}, check=True,
                               capture_output=True, text=True).stdout.splitlines()
        self.assertEqual([line.split() for line in table],
                         [["field-1", "disks-direct", "mb_per_s", "u", *words] for words in
                          (("6.1.7-a", "1.000", "1.100"), ("6.1.9-b", "2.000", "2.100"))])
        self.assertIn("./field --disks", (kit / "README").read_text())

    def test_a_program_that_is_not_static(self):
        shutil.copy("/bin/true", self.bin / "disk_read")
        done = self.pack()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "/disk_read is not static")
        self.assertFalse(list(self.tmp.glob("*.tar.gz")))
