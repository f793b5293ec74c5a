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


class Verdict(unittest.TestCase):
    def test_verdict(self):
        lines = LOG.splitlines(keepends=True)
        for text, wanted, why in (
                # disks are found between any two lines, a head and its plan, too
                (LOG.replace("\n", "\nsd 0:0:0:0: [sda] Attached SCSI disk\r\n"), 0, ""),
                (LOG.replace("    ok 2 writes\r", "    not ok 2 writes\r"), 1, "writes"),
                (LOG.replace("    ok 2 writes\r\n", "", 1), 1, "missing"),
                (LOG.replace("    ok 3 ends\r\n", ""), 1, "missing"),
                ("".join(lines[:7]), 1, "missing"), ("".join(lines[:12]), 1, "missing"),
                (LOG.replace("reboot:", "BUG: KASAN: x\r\nreboot:"), 1, "complained")):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w", newline="") as log:
                log.write(text)
                log.flush()
                done = subprocess.run([LAB / "kunit.sh", "kunit", log.name], capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
                self.assertIn(why, done.stderr)
