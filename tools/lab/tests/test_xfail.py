# SPDX-License-Identifier: GPL-2.0
"""Tests of xfail.py: what was to fail and did passes; anything else that is new fails."""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "xfail.py"

LIST = """\
# a comment

test_a: reads on * # they were never right
test_a: maybe it races, b # now and then
test_b: (all) # no such driver
test_c: other # not run here
"""

TAP = """\
TAP version 13
1..4
ok 1 writes
not ok 2 reads on ext2
# exit 1: dd
not ok 3 reads on jfs
ok 4 it races, b
# Totals: pass:2 fail:2 xfail:0 xpass:0 skip:0 error:0
"""


class Xfail(unittest.TestCase):
    def judge(self, tap, test="test_a", known=LIST):
        """Exit status, and what has become of the TAP"""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("list", "tap")]
            paths[0].write_text(known)
            paths[1].write_text(tap)
            done = subprocess.run([TOOL, paths[0], test, paths[1]], capture_output=True, text=True,
                                  check=False)
            return done.returncode, paths[1].read_text() + done.stderr

    def fails(self, why, *args, **more):
        rc, said = self.judge(*args, **more)
        self.assertEqual(rc, 1, said)
        self.assertIn(why, said)

    def test_as_expected(self):
        rc, said = self.judge(TAP)
        self.assertEqual(rc, 0, said)
        self.assertEqual(said, TAP.replace("not ok 2 reads on ext2",
                                           "ok 2 reads on ext2 # XFAIL they were never right")
                         .replace("not ok 3 reads on jfs",
                                  "ok 3 reads on jfs # XFAIL they were never right"))

    def test_it_passes(self):
        self.fails("not ok 3 reads on jfs # XPASS it was to fail: they were never right",
                   TAP.replace("not ok 3", "ok 3"))

    def test_another_fails(self):
        self.fails("not ok 1 writes", TAP.replace("ok 1 writes", "not ok 1 writes"))

    def test_maybe(self):
        rc, said = self.judge(TAP.replace("ok 4", "not ok 4"))
        self.assertEqual(rc, 0, said)
        self.assertIn("ok 4 it races, b # XFAIL now and then", said)

    def test_skipped_case(self):
        rc, said = self.judge(TAP.replace("not ok 3 reads on jfs", "ok 3 reads on jfs # SKIP no"))
        self.assertEqual(rc, 0, said)

    def test_stale_line(self):
        self.fails("not ok - the list has no such case: gone", TAP,
                   known=LIST + "test_a: gone # long ago\n")

    def test_short_plan(self):
        self.fails("not ok - 3 cases of 4", TAP.replace("ok 1 writes\n", ""))

    def test_no_plan(self):
        self.fails("not ok - 4 cases of an unknown number", TAP.replace("1..4\n", ""))

    def test_skipped(self):
        skipped = "TAP version 13\n1..0 # SKIP no driver\n"
        self.assertEqual(self.judge(skipped, "test_b"), (0, skipped))
        self.fails("not ok 1 all of it is skipped: no driver", skipped, "test_d")

    def test_was_to_be_skipped(self):
        self.fails("not ok - the list has no such case: (all)", TAP, "test_b")

    def test_timed_out(self):
        self.fails("not ok - test_a did not finish within 9 s",
                   TAP + "not ok - test_a did not finish within 9 s\n")

    def test_bad_list(self):
        rc, said = self.judge(TAP, known="test_a: no reason\n")
        self.assertEqual((rc, said), (2, TAP + "xfail: not TEST: CASE # REASON: "
                                      "test_a: no reason\n"))


if __name__ == "__main__":
    unittest.main()
