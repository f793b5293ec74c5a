# SPDX-License-Identifier: GPL-2.0
"""The kit (kit.sh) and what field makes of its state: rows as bench.py makes them, and a table."""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
DIO = LAB.parent / "testing/selftests/dio"
sys.path.insert(0, str(LAB))
import bench  # noqa: E402 (the path comes first)
import bench_report  # noqa: E402
import field  # noqa: E402

AWKS = [command for command in (["awk"], ["mawk"], ["gawk", "--posix"], ["busybox", "awk"])
        if shutil.which(command[0])]
ORDER = (("1", "6.1.7-a"), ("2", "6.1.9-b"), ("3", "6.1.9-b"), ("4", "6.1.7-a"))


def state(values, *more, report="field-1", case="disks-direct", metric="mb_per_s"):
    """A state file of turns with these values, lists of numbers"""
    lines = [f"kernel.{turn}\t{kernel}" for turn, kernel in ORDER[:len(values)]]
    for (turn, _), numbers in zip(ORDER, values):
        said = " ".join(f"{number:.3f}" for number in numbers)
        lines.append(f"row.{turn}\t{report}\t{case}\t{metric}\tu\t{said}\tdisk_read \"x\" \\d")
    return "\n".join((*lines, *more, ""))


class Kit(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = Path(tmp.name)
        (self.tmp / "reported").write_text(subprocess.run(
            [sys.executable, LAB / "field.py"], check=True, capture_output=True, text=True).stdout)
        self.bin = self.tmp / "kselftest"
        self.bin.mkdir()
        for file in (*DIO.glob("field*"), *DIO.glob("dio_*.sh")):
            shutil.copy(file, self.bin)

    def rows(self, text, names=0, awk=("awk",)):
        (self.tmp / "state").write_text(text)
        done = subprocess.run([*awk, "-F", "\t", "-v", f"names={names}", "-f",
                               DIO / "field_rows.awk", self.tmp / "reported", self.tmp / "state"],
                              check=True, capture_output=True, text=True)
        (self.tmp / "rows.json").write_text(done.stdout)
        return json.loads(done.stdout)

    def compare(self, *files, awk=("awk",)):
        done = subprocess.run([*awk, "-f", DIO / "field_table.awk", *files], check=False,
                              capture_output=True, text=True)
        return done.stdout.splitlines()[1:] if done.returncode == 0 else done.stderr

    def of_bench(self, values):
        """The same row by bench.py"""
        kernels = {}
        for kernel, numbers in (("stock", values[0] + values[3]),
                                ("patched", values[1] + values[2])):
            numbers = [round(number, 3) for number in numbers]
            kernels[kernel] = {"values": numbers, "value": statistics.median_low(numbers)}
        noise = bench.spread(kernels.values())
        stock, patched = (kernels[k]["value"] for k in ("stock", "patched"))
        return {"stock": stock, "patched": patched, "spread": noise,
                "ratio": bench.ratio(stock, patched, noise)}

    def test_rows_are_those_of_bench(self):
        draw = random.Random(1)
        for spread in (0.1, 3, 40):
            values = [[draw.uniform(99, 99 + spread) + 20 * (t in (1, 2)) for _ in range(3)]
                      for t in range(4)]
            want = self.of_bench(values)
            for awk in AWKS:
                row = self.rows(state(values), awk=awk)[0]
                with self.subTest(awk=awk, values=values):
                    self.assertEqual({k: row[k] for k in want}, want)

    def test_what_bench_reads(self):
        rows = self.rows(state([[60.0], [70.0], [71.0], [61.0]],
                               "machine.1\tkernel\t6.1.7-a", "machine.2\tkernel\t6.1.9-b"))
        self.assertEqual((rows[0]["base"], rows[0]["reported"], rows[0]["command"]),
                         ("6.1.7", 62.02, 'disk_read "x" \\d'))
        self.assertEqual([r["case"] for r in rows if "machine" in r], ["stock", "patched"])
        said = subprocess.run([LAB / "bench.py", "report", self.tmp / "rows.json", "field-1"],
                              env={**os.environ, "BASE": ""}, check=True, capture_output=True,
                              text=True).stdout.splitlines()
        self.assertRegex(said[1], r"^6.1.7 +field-1 +disks-direct +mb_per_s .* 62.02$")
        self.assertEqual(len(said), 2)
        page = bench_report.write(rows)
        for part in ("disks-direct", '<span class="word better">better</span> 17 % more',
                     "<code>./field</code>", "<h2>On what</h2>", "6.1.9-b"):
            self.assertIn(part, page)
        self.assertNotIn("Not measured yet: <code>make programs", page)

    def test_patched_is_told_by_its_readahead(self):
        values = [[1.0], [2.0], [2.0], [1.0]]
        row = self.rows(state(values, "machine.1\tvm.readahead_runs\t1"))[0]
        self.assertEqual((row["stock"], row["patched"], row["base"]), (2.0, 1.0, "6.1.9"))
        row = self.rows(state(values[:1], "machine.1\tvm.readahead_runs\t1"))[0]
        self.assertEqual((row["stock"], row["patched"]), (None, 1.0))

    def test_table(self):
        cases = (("mb_per_s", 3.0, "200.0 % better"), ("latency_us", 3.0, "200.0 % worse"),
                 ("mb_per_s", 0.5, "50.0 % worse"), ("io_kib", 3.0, "200.0 % more"),
                 ("mb_per_s", 1.15, "no difference"))
        for metric, second, verdict in cases:
            self.rows(state([[1.0, 1.2], [second, second + .2], [second], [1.0]], metric=metric))
            for awk in AWKS:
                with self.subTest(awk=awk, metric=metric):
                    line, = self.compare(self.tmp / "rows.json", awk=awk)
                    self.assertTrue(line.endswith(verdict), line)

    def pack(self):
        return subprocess.run([LAB / "kit.sh"], env={**os.environ, "O": str(self.tmp), "FIO": ""},
                              check=False, capture_output=True, text=True)

    def test_what_is_in_it_runs(self):
        self.assertEqual(self.pack().returncode, 0)
        archive, = self.tmp.glob("dio-field-kit-*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(self.tmp / "there")
        kit, = (self.tmp / "there").iterdir()
        self.rows(state([[1.0, 1.1], [2.0, 2.1]]))
        table = subprocess.run([kit / "busybox", "sh", kit / "field", "compare",
                                self.tmp / "rows.json"], env={"PATH": ""}, check=True,
                               capture_output=True, text=True).stdout
        self.assertIn("100.0 % better", table)
        self.assertIn("./field --disks", (kit / "README").read_text())
        self.assertEqual(len((kit / "field_reported").read_text().splitlines()),
                         len(field.REPORTED))

    def test_a_program_that_is_not_static(self):
        shutil.copy("/bin/true", self.bin / "disk_read")
        done = self.pack()
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "/disk_read is not static")
        self.assertFalse(list(self.tmp.glob("*.tar.gz")))


if __name__ == "__main__":
    unittest.main()
