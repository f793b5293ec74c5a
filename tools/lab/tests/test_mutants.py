# SPDX-License-Identifier: GPL-2.0
"""tools/testing/dio/mutants.py: what counts as a kill, and where a fault is put."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

HARNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testing", "dio")
sys.path.insert(0, HARNESS)
import mutants

MISMATCH = "dio_test: seed=7: returned 1 instead of 0\n\tread 8 at 0\n"


class Verdict(unittest.TestCase):
    def test_only_what_a_test_says_kills(self):
        for status, said, what in (
                (-6, MISMATCH, ("killed", "seed=7: returned 1 instead of 0")),
                (1, "ok 1 a\nnot ok 2 mean\n1..2\n", ("killed", "mean")),
                (1, "==12==ERROR: AddressSanitizer: heap-use-after-free on x\n",
                 ("killed", "ERROR: AddressSanitizer: heap-use-after-free on x")),
                (1, "a.c:1:2: runtime error: shift\n", ("killed", "runtime error: shift")),
                (0, MISMATCH, ("survived", "")),
                (2, "usage: dio_test [cases=N]\n",
                 ("broken", "exit 2: usage: dio_test [cases=N]")),
                (-8, "ok 1 a\n", ("killed", "SIGFPE")),
                (-9, "ok 1 a\n", ("broken", "exit -9: ok 1 a")),
                (None, MISMATCH, ("broken", "not done after 600 s, and does not say why"))):
            self.assertEqual(mutants.verdict(status, said), what)


class Known(unittest.TestCase):
    """What is taken out must stand there once; make check names a known fault whose lines are gone."""
    def test_places(self):
        text = ("# x\n\na: Why,\n# and so on.\n\tone two =>\n\t\t1\n\t\t2\n\tfour =>\n"
                "b: Why.\n\tne => ne 2\n")
        faults = mutants.read_known(text)
        self.assertEqual(list(faults), ["a", "b"])
        self.assertEqual(mutants.put_in("one\n\ttwo\nfour\n", faults["a"]), "1\n\t\t2\n\n")
        self.assertEqual(mutants.put_in("one\n", faults["b"]), "one 2\n")
        for source in ("one\nand two\nfour\n", "one\ntwo\nfour\nfour\n", "one\ntwo\n"):
            self.assertIsNone(mutants.put_in(source, faults["a"]))


class Sampling(unittest.TestCase):
    def sample(self, verdicts):
        """With edits that have these verdicts: did it fail, and what was said?"""
        faults = [mutants.Fault(i, mutants.SUBJECTS[0], "") for i in range(len(verdicts))]
        with mock.patch.object(mutants, "edits", lambda s: faults if not s.prefix else []), \
                mock.patch.object(mutants, "baseline"), \
                mock.patch.object(mutants, "tell"), \
                mock.patch.object(mutants, "try_fault",
                                  lambda out, fault, plain: (fault.name, verdicts[fault.name], "")), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            return bool(mutants.sample("out")), said.getvalue()

    def test_too_few_are_killed_or_a_test_is_broken(self):
        for bad, count, fails in (("survived", 4, False), ("survived", 5, True), ("broken", 1, True),
                                  ("same", 9, False), ("stillborn", 9, False)):
            failed, said = self.sample([bad] * count + ["killed"] * (10 - count))
            self.assertEqual(failed, fails)
            self.assertIn(f"rate: {1 if count == 9 else 1 - count / 10:.2f} SEED=", said)
