# SPDX-License-Identifier: GPL-2.0
"""The page, the verdict, and the words that they share."""

import html
import os
import re
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

import bench
import bench_report


def row(case="read-4k-ext2", metric="insn", stock=100, patched=80, report="engine", **more):
    return {"base": "6.1.7", "report": report, "case": case, "metric": metric, "unit": "u",
            "stock": stock, "patched": patched, "ratio": bench.ratio(stock, patched),
            "spread": None, "reported": None, "time": "cpu", "command": f"tool {case}",
            "when": "2026-01-02T03:04:05Z", **more}


class Html(unittest.TestCase):
    def test_a_row_in_words(self):
        for of, wanted in (
                ({"patched": 80}, ("better", "20 % less")),
                ({"patched": 120}, ("worse", "20 % more")),
                ({"metric": "mb_per_s", "patched": 80}, ("worse", "20 % less")),
                ({"metric": "mb_per_s", "patched": 250}, ("better", "2.5 times as much")),
                ({"metric": "ios_per_s", "patched": 80}, ("changed", "20 % less")),
                ({"patched": 100}, ("same", "no difference")),
                ({"ratio": None, "spread": 30}, ("same", "no difference")),
                ({"patched": 99.7}, ("same", "0.3 % less")),
                ({"stock": 0, "patched": 0}, ("same", "no difference")),
                ({"stock": None}, ("new", "only one kernel has it")),
                ({"patched": None}, ("gone", "only one kernel has it")),
                ({"stock": 0, "patched": 3}, ("worse", "3, was 0")),
                ({"patched": 0}, ("better", "none any more"))):
            self.assertEqual(bench_report.judge(row(**of)), wanted, of)

    # The harness' own have no time.
    ROWS = [row(), row("read-4k-raw", stock=None),
            {k: v for k, v in row("direct-harness", report="field-1").items() if k != "time"},
            row("iozone-random-bdev", "time", 5, 5, "field-2", reported=7.0),
            row("<script>x", "bios_per_mib", report="field-5", command="a<b"),
            row("read-4k-ext2", "block", 700, 500, "layers"),
            row("read-1m-ext4", patched=61, patch="lists/22-gup-count"),
            row("read-4k-xfs-100us", "insn", 1000, 930, "real"),
            *(row("extend-sync-jfs-raid1", *of, "stacks")
              for of in (("insn", 9000, 9060), ("bios", 1.0, 1.0), ("switches", 0.0, 2.0),
                         ("late_us", 100, 101.2))),
            *(row("tar-ext4-array-m50", *of, "programs")
              for of in (("seconds", 2.0, 1.5), ("device_reads", 700, 650)))]

    def test_it_is_whole_and_asks_nothing_of_the_network(self):
        source = bench_report.write(self.ROWS)
        for name in ("table", "tr", "td", "section", "details", "p"):
            self.assertEqual(len(re.findall(f"<{name}\\b", source)), source.count(f"</{name}>"))
        self.assertNotRegex(source, r"<(script|link|img|iframe)\b|(src|href)=\"(?!#)")
        self.assertNotRegex(source, r"https?://|@import|url\(")

    def test_what_it_says(self):
        source = bench_report.write(self.ROWS).partition("</style>")[2]
        words = html.unescape(re.sub(r"<[^>]*>", " ", source))
        for said in (r"better +20 % less", "new +only one kernel has it", "<script>x",
                     r"raid1 extend +\+0.7 % +9.000, 9.060 u +0, 2 u",
                     "gup-count +read-1m-ext4 +instructions an I/O +100 u +61 u +better +39 % less",
                     "above stock: 1 ",
                     r"raid1 +time of an I/O on disks of 100 us +100 u +101 u",
                     r"tar +-25.0 % +2, 1.5 u +700, 650 u", r"xfs +-7.0 %", r"block +-28.6 %"):
            self.assertRegex(words, said)


class Verdict(unittest.TestCase):
    TESTS = bench_report.Tests(3, 40, [], Counter({"no disk": 2}))

    def lines(self, rows=(row(),), tests=TESTS, left_out=(), steps=()):
        return bench_report.verdict([*rows], tests, [*left_out], [*steps])

    def test_it_has_five_lines(self):
        got = self.lines(left_out=["test_long"])
        self.assertEqual(len(got), 5)
        self.assertIn("Linux 6.1.7, stock and patched; tested: 3 selftests", got[0])
        self.assertIn("40 passed, 0 failed; 2 skipped: 2 (no disk); make test has 1 more", got[1])
        self.assertIn("1 of 1 loads: Reads 4 KiB", got[2])
        self.assertIn("20 % less", got[2])
        self.assertIn("Slower: none", got[3])
        self.assertIn("report.html", got[4])

    def test_failures_and_what_is_slower_are_named(self):
        got = self.lines([row(patched=130)], self.TESTS._replace(failed=["test_raw: reads"]),
                         steps=["bench", "report"])
        for line, said in ((1, "3 failed .make run's step bench ended in .*; test_raw: reads"),
                           (2, "Faster: 0 of 1"), (3, "Slower: 1: Reads 4 KiB .*30 % more"),
                           (4, "none was written")):
            self.assertRegex(got[line], said)

    def test_tap_of_this_run(self):
        with tempfile.TemporaryDirectory() as log, mock.patch.object(bench_report, "LOG", log):
            for name, when in (("old", 1e9), ("new", 1.8e9)):
                path = Path(log, f"test_{name}.tap")
                path.write_text("1..4\nok 1 a\nnot ok 2 b\nok 3 c # SKIP no disk\n# ok 9\nok 4\n")
                os.utime(path, (when, when))
            self.assertEqual(bench_report.tests_since(1.7e9),
                             (1, 2, ["test_new: b"], Counter({"no disk": 1})))
