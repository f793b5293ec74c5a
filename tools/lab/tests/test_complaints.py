# SPDX-License-Identifier: GPL-2.0
"""complaints.sh: every kind of complaint is found, and nothing in a boot that is well."""

import subprocess
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "complaints.sh"

# For each word that it looks for a line in which no other stands, and what 7.3 says otherwise
COMPLAINTS = """\
WARNING: CPU: 1 PID: 77 at mm/gup.c:10 f+0x1/0x2
WARNING: mm/gup.c:10 at f+0x1/0x2, CPU#1: dd/99
BUG kmalloc-64 (Not tainted): Right Redzone overwritten
KASAN: null-ptr-deref in range [0x0-0x7]
UBSAN: shift-out-of-bounds in fs/direct-io.c:5:3
Oops: 0002 [#1] SMP
general protection fault, probably for non-canonical address 1
Call Trace:
Kernel panic - not syncing: Attempted to kill init!
possible recursive locking detected
possible circular locking dependency detected
suspicious RCU usage
watchdog: soft lockup - CPU#1 stuck for 61s! [dd:99]
workqueue lockup - pool cpus=0 node=0 stuck for 61s!
INFO: task dd:99 blocked for more than 120 seconds.
INFO: task dd:99 blocked in I/O wait for more than 120 seconds.
rcu: INFO: rcu_preempt self-detected stall on CPU
"""
QUIET = """\
Linux version 6.1.0
**   This means that this is a DEBUG kernel   **
virtme-ng-init: WARNING: no such thing
sd 0:0:0:0: [sda] Attached SCSI disk
rcu: RCU debugging is on
"""


def complaints(text, name="/dev/stdin"):
    done = subprocess.run([TOOL, name], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class Complaints(unittest.TestCase):
    def test_quiet_or_no_log(self):
        self.assertEqual(complaints(QUIET), (1, ""))
        self.assertEqual(complaints("", "/no/such/log"), (2, ""))

    def test_each_kind_is_found(self):
        said = "".join(f"{n}:{line}\n" for n, line in
                       enumerate(COMPLAINTS.splitlines(), len(QUIET.splitlines()) + 1))
        self.assertEqual(complaints(QUIET + COMPLAINTS), (0, said))
