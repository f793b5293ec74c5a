# SPDX-License-Identifier: GPL-2.0
"""xfail.py: what was to fail and did passes; anything else that is new fails."""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "xfail.py"

LIST = """\
# a comment

test_a: reads on * # they were never right
test_a: maybe it {races,r*}, b # now and then
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
SKIPPED = "TAP version 13\n1..0 # SKIP no driver\n"


class Xfail(unittest.TestCase):
    def test_it(self):
        for rc, says, tap, test, known in (
                (0, "\nok 2 reads on ext2 # XFAIL they were never right\n", TAP, "test_a", LIST),
                (1, "not ok 3 reads on jfs # XPASS it was to fail: they were never right",
                 TAP.replace("not ok 3", "ok 3"), "test_a", LIST),
                (1, "not ok 1 writes", TAP.replace("ok 1", "not ok 1"), "test_a", LIST),
                (0, "ok 4 it races, b # XFAIL now and then", TAP.replace("ok 4", "not ok 4"),
                 "test_a", LIST),
                (0, "# SKIP no", TAP.replace("not ok 3 reads on jfs", "ok 3 reads on jfs # SKIP no"),
                 "test_a", LIST),
                (1, "not ok - the list has no such case: gone", TAP, "test_a",
                 LIST + "test_a: gone # long ago\n"),
                (1, "not ok - 3 cases of 4", TAP.replace("ok 1 writes\n", ""), "test_a", LIST),
                (1, "not ok - 4 cases of an unknown number", TAP.replace("1..4\n", ""), "test_a",
                 LIST),
                (0, "SKIP no driver", SKIPPED, "test_b", LIST),
                (1, "not ok 1 all of it is skipped: no driver", SKIPPED, "test_d", LIST),
                (1, "not ok - the list has no such case: (all)", TAP, "test_b", LIST),
                (1, "did not finish within 9 s", TAP + "not ok - test_a did not finish within 9 s\n",
                 "test_a", LIST),
                (2, "xfail: not TEST: CASE # REASON: test_a: no reason", TAP, "test_a",
                 "test_a: no reason\n")):
            with self.subTest(says=says), tempfile.TemporaryDirectory() as folder:
                paths = [Path(folder, name) for name in ("list", "tap")]
                paths[0].write_text(known)
                paths[1].write_text(tap)
                done = subprocess.run([TOOL, paths[0], test, paths[1]], capture_output=True,
                                      text=True, check=False)
                said = paths[1].read_text() + done.stderr
                self.assertEqual(done.returncode, rc, said)
                self.assertIn(says, said)
