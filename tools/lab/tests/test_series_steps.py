# SPDX-License-Identifier: GPL-2.0
"""series_steps.py: what is built, booted and measured, in which order, and what is kept.

kernel.sh and guest.sh are stand-ins that write down how they were called."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import bench  # noqa: E402 (the path comes first)
import series_steps  # noqa: E402

STANDIN = """#!/bin/sh
echo "${0##*/} $*" | sed "s|/.*/||" >>"${0%/*}/called"
case "$*" in *$(cat "${0%/*}/fails" 2>/dev/null || echo no-such-word)*) exit 1 ;; esac
"""
ROWS = {"10-a": [("read-4k-bdev", "insn"), ("run-64k-by-4k", "time")], "20-b": [],
        "30-c": [("read-4k-bdev-sdebug", "insn")]}


class Steps(unittest.TestCase):
    def setUp(self):
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("kernel.sh", "guest.sh"):
            (self.top / name).write_text(STANDIN)
            (self.top / name).chmod(0o755)
        (self.top / "series-6.1-lists").mkdir()
        self.write_patches(len(ROWS))
        letters = [SimpleNamespace(name=name) for name in ROWS]
        self.insn = 100
        for where, what in (
                (series_steps, {"LAB": self.top}),
                (series_steps.overlay, {"kernel_version": lambda tree: "6.1.9"}),
                (series_steps.series, {
                    "rows_of": lambda letter: ROWS[letter.name],
                    "modern": lambda *_: [SimpleNamespace(up_to=lambda which: (letters, None))]}),
                (bench, {"OUT": str(self.top), "guest": self.guest, "plugin": lambda: "so",
                         "marked_guest": self.marked_guest})):
            self.enterContext(mock.patch.multiple(where, **what))

    def write_patches(self, count):
        for n in range(1, count + 1):
            (self.top / f"series-6.1-lists/000{n}-x.patch").write_text("")

    def guest(self, kernel, flags, cases, quiet):
        """Each run finds one instruction less than the one before; a case has metrics unasked for."""
        self.insn -= 1
        self.called(f"measure {' '.join(cases)}")
        self.assertEqual((kernel, flags[:2], quiet), ("step", ["-n", "step"], True))
        return {("engine", case, metric): {
            "base": "6.1.9", "report": "engine", "case": case, "metric": metric, "unit": "insn",
            "value": self.insn, "values": [self.insn], "time": "cpu", "command": "x"}
            for case in cases for metric in ("insn", "time")}

    def marked_guest(self, so, *args, **more):
        self.called(f"marked {so}")
        return self.guest(*args, **more)

    def called(self, line):
        with open(self.top / "called", "a", encoding="ascii") as f:
            f.write(line + "\n")

    def steps(self):
        """(exit code, TAP)"""
        said = io.StringIO()
        argv = ["", str(self.top), "--out", str(self.top), "--series", "lists"]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), \
                mock.patch.object(sys, "argv", argv):
            return series_steps.main(), said.getvalue()

    def test_each_step_is_built_booted_and_measured_on_both_sides(self):
        step = "kernel.sh build step"
        boot = "guest.sh -k step -n step true"
        self.assertEqual(self.steps(), (0, "TAP version 13\n" + "".join(
            f"ok {n} 000{n}-x.patch builds and boots\n" for n in (1, 2, 3)) + "1..3\n"))
        self.assertEqual((self.top / "called").read_text().splitlines(), [
            step, "measure read-4k-bdev", "measure run-64k-by-4k",
            f"{step} 0001-x.patch", boot, "measure read-4k-bdev", "measure run-64k-by-4k",
            f"{step} 0002-x.patch", boot,
            "marked so", "measure read-4k-bdev-sdebug",
            f"{step} 0003-x.patch", boot, "marked so", "measure read-4k-bdev-sdebug"])
        self.steps()        # a second run replaces its rows
        rows = json.loads((self.top / "steps.json").read_text())
        self.assertEqual([(r["patch"], r["case"], r["metric"], r["stock"], r["patched"])
                          for r in rows], [("10-a", "read-4k-bdev", "insn", 93, 91),
                                           ("10-a", "run-64k-by-4k", "time", 92, 90),
                                           ("30-c", "read-4k-bdev-sdebug", "insn", 89, 88)])

    def test_a_patch_that_does_not_build_or_boot_is_the_last(self):
        for fails, wanted in (("0002-x.patch", "not ok 2 0002-x"), ("-k step", "not ok 1 0001-x")):
            (self.top / "fails").write_text(fails)
            code, tap = self.steps()
            self.assertEqual(code, 1)
            self.assertIn(wanted, tap)
            self.assertNotIn("1..", tap)

    def test_without_the_series_itself(self):
        for patch in self.top.glob("series-*/*"):
            patch.unlink()
        code, said = self.steps()
        self.assertEqual(code, 2)
        self.assertIn("0 patches below", said)


if __name__ == "__main__":
    unittest.main()
