# SPDX-License-Identifier: GPL-2.0
"""Tests of complaints.sh: every kind of complaint is found, and nothing in a boot that is well.

Each word that complaints.sh looks for is also taken out of it, and must then be missed.
"""

import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "complaints.sh"

# For each word a line in which no other stands
COMPLAINTS = {
    "WARNING:": "WARNING: CPU: 1 PID: 77 at mm/gup.c:10 f+0x1/0x2",
    r"\<BUG[: ]": "BUG kmalloc-64 (Not tainted): Right Redzone overwritten",
    "KASAN:": "KASAN: null-ptr-deref in range [0x0-0x7]",
    "UBSAN:": "UBSAN: shift-out-of-bounds in fs/direct-io.c:5:3",
    "Oops": "Oops: 0002 [#1] SMP",
    "general protection fault": "general protection fault, probably for non-canonical address 1",
    "Call Trace": "Call Trace:",
    "Kernel panic": "Kernel panic - not syncing: Attempted to kill init!",
    "possible (circular|recursive) locking": "possible recursive locking detected",
    "suspicious RCU": "suspicious RCU usage",
    "soft lockup": "watchdog: soft lockup - CPU#1 stuck for 61s! [dd:99]",
    "workqueue lockup": "workqueue lockup - pool cpus=0 node=0 stuck for 61s!",
    "INFO: task .* blocked.* for more than":
        "INFO: task dd:99 blocked for more than 120 seconds.",
    "rcu: INFO: .* stall": "rcu: INFO: rcu_preempt self-detected stall on CPU",
}

QUIET = """\
Linux version 6.1.0
**   This means that this is a DEBUG kernel   **
virtme-ng-init: WARNING: no such thing
sd 0:0:0:0: [sda] Attached SCSI disk
EXT4-fs (sda): mounted filesystem
rcu: RCU debugging is on
"""


def complaints(text, tool=TOOL.read_text()):
    """Exit status and output of complaints.sh on a log"""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write(text)
        log.flush()
        done = subprocess.run(["sh", "-c", tool, "complaints.sh", log.name], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout


class Complaints(unittest.TestCase):
    def test_quiet_or_no_log(self):
        self.assertEqual(complaints(QUIET), (1, ""))
        done = subprocess.run([TOOL, "/no/such/log"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_each_kind_is_found(self):
        lines = [*COMPLAINTS.values(), "WARNING: mm/gup.c:10 at f+0x1/0x2, CPU#1: dd/99",
                 "INFO: task dd:99 blocked in I/O wait for more than 120 seconds."]
        said = "".join(f"{n}:{line}\n" for n, line in enumerate(lines, 7))
        self.assertEqual(complaints(QUIET + "\n".join(lines) + "\n"), (0, said))

    def test_each_word_is_needed(self):
        comment, said, tool = TOOL.read_text().partition("\nsaid=")
        for word, line in COMPLAINTS.items():
            with self.subTest(word=word):
                self.assertIn(word, tool)
                mutant = comment + said + tool.replace(word, "@", 1)
                self.assertEqual(complaints(line + "\n", mutant)[0], 1)


if __name__ == "__main__":
    unittest.main()
