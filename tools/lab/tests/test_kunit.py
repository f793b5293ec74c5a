# SPDX-License-Identifier: GPL-2.0
"""Tests of kunit.sh's verdict: a log of two suites passes whole, and fails with anything missing.

The judge is kunit.py of the base, which must be unpacked (kernel.sh source).
"""

import subprocess
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]

LOG = """\
Booting the kernel.
KTAP version 1
1..2
    KTAP version 1
    # Subtest: small
    1..3
    ok 1 reads
    ok 2 writes
    ok 3 ends
# small: pass:3 fail:0 skip:0 total:3
ok 1 small
    KTAP version 1
    # Subtest: large
    1..2
    ok 1 reads
    ok 2 writes # SKIP no disk
# large: pass:1 fail:0 skip:1 total:2
ok 2 large
reboot: Restarting system
""".replace("\n", "\r\n")


def base_has_kunit():
    said = subprocess.run([LAB / "kernel.sh", "dir", "source"], capture_output=True, text=True,
                          check=False)
    return Path(said.stdout.strip(), "tools/testing/kunit/kunit.py").is_file()


@unittest.skipUnless(base_has_kunit(), "the base is not unpacked: kernel.sh source")
class Verdict(unittest.TestCase):
    def judge(self, text):
        """What kunit.sh says of a log, after its exit status."""
        with tempfile.NamedTemporaryFile("w", suffix=".log", newline="") as log:
            log.write(text)
            log.flush()
            done = subprocess.run([LAB / "kunit.sh", log.name], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout + done.stderr

    def passes(self, text):
        rc, said = self.judge(text)
        self.assertEqual(rc, 0, said)

    def fails(self, text, why):
        self.assertNotEqual(text, LOG)
        rc, said = self.judge(text)
        self.assertEqual(rc, 1, said)
        self.assertIn(why, said)

    def test_failed_case(self):
        self.fails(LOG.replace("    ok 2 writes\r\n", "    not ok 2 writes\r\n"), "[FAILED] writes")

    def test_each_missing_case(self):
        for line in ("    ok 1 reads\r\n", "    ok 2 writes\r\n", "    ok 3 ends\r\n",
                     "    ok 2 writes # SKIP no disk\r\n"):
            with self.subTest(line=line):
                self.fails(LOG.replace(line, "", 1), "missing")

    def test_stops_anywhere(self):
        """Whichever line is the last to be seen before the results of the last suite"""
        lines = LOG.splitlines(keepends=True)
        for n in range(2, lines.index("ok 2 large\r\n"), 5):
            with self.subTest(lines=n):
                self.fails("".join(lines[:n]), "tests failed or are missing")

    def test_other_lines_anywhere(self):
        """Disks that are found meanwhile say so between any two lines, a plan and its head, too."""
        lines = LOG.splitlines(keepends=True)
        for n in range(1, len(lines) + 1, 6):
            with self.subTest(lines=n):
                self.passes("".join(lines[:n] + ["sd 0:0:0:0: [sda] Attached SCSI disk\r\n"] +
                                    lines[n:]))

    def test_kernel_complains(self):
        self.fails(LOG.replace("reboot:", "BUG: KASAN: use-after-free in x\r\nreboot:"),
                   "the kernel complained")


if __name__ == "__main__":
    unittest.main()
