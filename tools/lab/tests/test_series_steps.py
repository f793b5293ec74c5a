# SPDX-License-Identifier: GPL-2.0
"""Tests of series_steps.py: what is built, booted and measured, in which order, and what is kept.

kernel.sh and guest.sh are stand-ins that write down how they were called."""

import contextlib
import io
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import bench  # noqa: E402 (the path comes first)
import series_steps  # noqa: E402
from test_series import OVERLAY, Case, fill, needs_git, needs_spatch  # noqa: E402

STANDIN = """#!/bin/sh
echo "${0##*/} $*" | sed "s|/.*/||" >>"${0%/*}/called"
case "$*" in *$(cat "${0%/*}/fails" 2>/dev/null || echo no-such-word)*) exit 1 ;; esac
"""
ROWS = "Rows:\n\tread-4k-bdev insn\n\trun-64k-by-4k time\n"


@needs_git
@needs_spatch
class Steps(Case):

    def setUp(self):
        super().setUp()
        fill(self.root, {"series/lists/10-a": OVERLAY["series/lists/10-a"] + ROWS,
                         "series/tree/20-b": OVERLAY["series/tree/20-b"] +
                         "Rows:\n\tread-4k-bdev insn\n"})
        fill(self.top, {"kernel.sh": STANDIN, "guest.sh": STANDIN})
        for name in ("kernel.sh", "guest.sh"):
            (self.top / name).chmod(0o755)
        self.insn = 100
        self.enterContext(mock.patch.object(series_steps, "LAB", self.top))
        self.enterContext(mock.patch.object(bench, "OUT", str(self.out)))
        self.enterContext(mock.patch.object(bench, "guest", self.guest))
        self.enterContext(mock.patch.object(bench, "plugin", lambda: "so"))
        self.enterContext(mock.patch.object(bench, "marked_guest", self.marked_guest))

    def guest(self, kernel, flags, cases, quiet):
        """Each run finds one instruction less than the one before; a case has metrics unasked for."""
        self.insn -= 1
        self.called(f"measure {kernel} {' '.join(cases)}")
        self.assertEqual((flags[:2], quiet), (["-n", "step"], True))
        return {("engine", case, metric): {
            "base": "6.1.9", "report": "engine", "case": case, "metric": metric, "unit": "insn",
            "value": self.insn, "values": [self.insn], "time": "cpu", "command": "x"}
            for case in cases for metric in ("insn", "time")}

    def marked_guest(self, so, *args, **more):
        self.called(f"marked {so}")
        return self.guest(*args, **more)

    def called(self, line=None):
        path = self.top / "called"
        if line:
            path.write_text((path.read_text() if path.exists() else "") + line + "\n")
        return path.read_text().splitlines() if path.exists() else []

    def steps(self, *args):
        """(exit code, TAP)"""
        out, err = io.StringIO(), io.StringIO()
        argv = ["", str(self.tree), "--overlay", str(self.root), "--out", str(self.out), *args]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch.object(sys, "argv", argv):
            code = series_steps.main()
        return code, out.getvalue() + err.getvalue()

    def test_each_step_is_built_booted_and_measured_on_both_sides(self):
        self.make()
        self.assertEqual(self.steps(), (0, "TAP version 13\n"
                                        "ok 1 0001-fs-a-one-more.patch builds and boots\n"
                                        "ok 2 0002-mm-b-new.patch builds and boots\n"
                                        "ok 3 0003-mm-t-tests.patch builds and boots\n1..3\n"))
        self.assertEqual(self.called(), [
            "kernel.sh build step",
            "measure step read-4k-bdev", "measure step run-64k-by-4k",
            "kernel.sh build step 0001-fs-a-one-more.patch", "guest.sh -k step -n step true",
            "measure step read-4k-bdev", "measure step run-64k-by-4k",
            # What is behind one patch is before the next.
            "kernel.sh build step 0002-mm-b-new.patch", "guest.sh -k step -n step true",
            "measure step read-4k-bdev",
            "kernel.sh build step 0003-mm-t-tests.patch", "guest.sh -k step -n step true"])
        rows = json.loads((self.out / "steps.json").read_text())
        self.assertEqual([(r["patch"], r["case"], r["metric"], r["stock"], r["patched"])
                          for r in rows],
                         [("series/lists/10-a", "read-4k-bdev", "insn", 99, 97),
                          ("series/lists/10-a", "run-64k-by-4k", "time", 98, 96),
                          ("series/tree/20-b", "read-4k-bdev", "insn", 97, 95)])

    def test_a_second_run_replaces_its_rows(self):
        self.make()
        self.steps()
        self.steps()
        rows = json.loads((self.out / "steps.json").read_text())
        self.assertEqual([r["patched"] for r in rows], [92, 91, 90])

    def test_a_case_that_sets_marks_is_counted_between_them(self):
        fill(self.root, {"series/tree/20-b": OVERLAY["series/tree/20-b"] +
                         "Rows:\n\tread-4k-bdev-sdebug insn\n"})
        self.make()
        self.steps()
        called = self.called()
        self.assertEqual([called[at + 1] for at, line in enumerate(called) if line == "marked so"],
                         ["measure step read-4k-bdev-sdebug"] * 2)

    def test_a_patch_that_does_not_build_or_boot_is_the_last(self):
        self.make()
        for fails in ("0002-mm-b-new.patch", "-k step"):
            fill(self.top, {"fails": fails})
            code, tap = self.steps()
            self.assertEqual(code, 1)
            self.assertIn("not ok " + ("2 0002-mm-b-new" if "b-new" in fails else "1 0001-fs"), tap)
            self.assertNotIn("1..", tap)
            self.assertNotIn("0003", tap)

    def test_without_the_series_itself(self):
        code, said = self.steps("--series", "lists")
        self.assertEqual((code, said), (2, f"series_steps: 0 patches below {self.out}, 1 in series/: "
                                           "make series\n"))


del Case    # has no tests of its own, but those of another file

if __name__ == "__main__":
    unittest.main()
