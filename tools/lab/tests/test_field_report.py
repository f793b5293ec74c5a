# SPDX-License-Identifier: GPL-2.0
"""field/report.py: figures of the harness become results and a table, and requirements are checked."""

import json
import os
import sys
import tempfile
import unittest

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(LAB, "..", "testing", "dio", "field"))
sys.path.insert(0, LAB)
import bench  # noqa: E402 (the path comes first)
import report  # noqa: E402


def row(case, metric="bios_per_mib", patched=4.0, before=1000.0, **more):
    return report.result({"report": "field-5", "case": f"{case}-harness", "metric": metric,
                         "unit": "u", "patched": patched, "before": before, "before_is": "m",
                         "minimum": None, "command": "c", **more})


class Results(unittest.TestCase):
    def test_bench_takes_them_over_and_leaves_them_out_of_its_table(self):
        with tempfile.TemporaryDirectory() as tmp:
            saved = bench.OUT, bench.RESULTS, bench.base_version
            bench.OUT, bench.RESULTS = tmp, os.path.join(tmp, "results.json")
            bench.base_version = lambda: "7.3.4"
            try:
                path = os.path.join(tmp, "field.json")
                with open(path, "w", encoding="utf-8") as f:
                    f.write(json.dumps(row("ext2-1k-1m-create")) + "\n")
                bench.add(path)
                bench.add(path)
                got = bench.load()
            finally:
                bench.OUT, bench.RESULTS, bench.base_version = saved
        self.assertTrue(got[0].pop("when"))
        self.assertEqual(got, [{"base": "7.3.4", **row("ext2-1k-1m-create")}])
        self.assertNotIn("ext2", bench.table(got))


class Requirements(unittest.TestCase):
    def test_ten_times_fewer_bios_on_1k_blocks(self):
        report.check_requirements([row("ext2-1k-1m-create"), row("ext2-4k-1m-create", before=8.0)])
        with self.assertRaises(SystemExit):
            report.check_requirements([row("ext2-1k-1m-create", before=39.0)])

    def test_ios_of_twice_the_size(self):
        report.check_requirements([row("ext2-4k-512m-create", "io_kib", 40.0, 20.0)])
        with self.assertRaises(SystemExit):
            report.check_requirements([row("ext2-4k-512m-create", "io_kib", 39.0, 20.0)])


if __name__ == "__main__":
    unittest.main()
