# SPDX-License-Identifier: GPL-2.0
"""tools/testing/dio/mutants.py: what counts as a kill, and what is a failure of the harness."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HARNESS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testing", "dio")
sys.path.insert(0, HARNESS)
import mutants  # noqa: E402 (the path comes first)

MISMATCH = "dio_test: seed=7: returned 1 instead of 0\n\tread 8 at 0\n"
NOTHING_SHOWN = "# none\n"


class Verdict(unittest.TestCase):
    def test_what_a_test_says_kills(self):
        for said, why in ((MISMATCH, "seed=7: returned 1 instead of 0"),
                          ("ok 1 a\nnot ok 2 mean\n1..2\n", "mean"),
                          ("==12==ERROR: AddressSanitizer: heap-use-after-free on x\n",
                           "ERROR: AddressSanitizer: heap-use-after-free on x"),
                          ("dio_test: seed=1: deadlock: nothing is in flight\n",
                           "seed=1: deadlock: nothing is in flight"),
                          ("a.c:1:2: runtime error: shift\n", "runtime error: shift")):
            self.assertEqual(mutants.verdict(-6, said), ("killed", why))

    def test_any_other_end_is_a_broken_test(self):
        for status, said in ((2, "usage: dio_test [cases=N]\n"), (1, ""), (-11, "ok 1 a\n"),
                             (127, "dio_test: not found"), (None, MISMATCH)):
            self.assertEqual(mutants.verdict(status, said.replace("dio_test: not", "not"))[0],
                             "broken")

    def test_words_do_not_kill_a_test_that_passes(self):
        self.assertEqual(mutants.verdict(0, MISMATCH), ("survived", ""))


class Known(unittest.TestCase):
    """What is taken out must stand there once; make check names a known fault whose lines are gone."""
    def test_places(self):
        text = "# x\n\na: Why,\n# and so on.\n one\n-two\n+2\n\n@@\n-four\n\nb: Why.\n+zero\n one\n"
        faults = mutants.read_known(text)
        self.assertEqual(list(faults), ["a", "b"])
        self.assertEqual(mutants.put_in("one\ntwo\n\nfour\n", faults["a"]), "one\n2\n\n")
        self.assertEqual(mutants.put_in("one\n", faults["b"]), "zero\none\n")
        for source in ("one\n\ntwo\n\nfour\n", "one\ntwo\n\nfour\nfour\n", "one\ntwo\n\n"):
            self.assertIsNone(mutants.put_in(source, faults["a"]))

    def test_one_that_is_lost(self):
        with tempfile.TemporaryDirectory() as out, contextlib.redirect_stdout(io.StringIO()) as said:
            Path(out, "known").write_text("lost: Why.\n-there_is_no_such_line();\n")
            with mock.patch.object(mutants, "MUTANTS", Path(out)):
                self.assertEqual(mutants.rules(), 1)
            self.assertRegex(said.getvalue(), r"^NOT MADE lost: what it takes out is not there")


class Sampling(unittest.TestCase):
    """With edits of our own: which are counted, and what the rate is."""
    def sample(self, codes, results, shown=NOTHING_SHOWN, seed=1):
        """codes: {new line: object code}; results: {new line: verdict}"""
        path = mutants.SUBJECTS[0].path
        pool = [mutants.Edit(path, "f", "old", new, 1, new) for new in codes]
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as out, \
                mock.patch.object(mutants, "edits", lambda _: pool), \
                mock.patch.object(mutants, "baseline", lambda *_: {path: b"same"}), \
                mock.patch.object(mutants.Path, "read_text", lambda *_, **__: shown), \
                mock.patch.object(mutants, "Candidate") as made, \
                contextlib.redirect_stdout(said):
            made.side_effect = lambda out, name, subject, text: mock.Mock(
                compile=lambda: codes[text], test=lambda _: (results[text], "why"))
            failed = mutants.Sample(out, 1, 100, seed, [path]).run()
        return bool(failed), said.getvalue()

    def test_what_is_not_counted(self):
        failed, said = self.sample({"a": None, "b": b"same", "c": b"c"}, {"c": "killed"})
        self.assertFalse(failed)
        self.assertIn("rate: 1.00 SEED=1 killed=1 survived=0 broken=0 equivalent=0", said)
        self.assertIn("1 do not compile, 1 are the same program", said)

    def test_too_few_are_killed_or_a_test_is_broken(self):
        codes = {str(i): bytes([i]) for i in range(10)}
        for bad, count, fails in (("survived", 4, False), ("survived", 5, True), ("broken", 1, True)):
            results = {str(i): bad if i < count else "killed" for i in range(10)}
            self.assertEqual(self.sample(codes, results)[0], fails)

    def test_a_line_that_is_shown_equivalent_must_be_there_and_survive(self):
        for old, result, why in (("old", "killed", "mutants/equivalent is wrong"),
                                 ("older", "survived", "stale in mutants/equivalent")):
            shown = f"{mutants.SUBJECTS[0].path} f\n- {old}\n+ new\nReason.\n"
            failed, said = self.sample({"new": b"n"}, {"new": result}, shown)
            self.assertTrue(failed)
            self.assertIn(why, said)


if __name__ == "__main__":
    unittest.main()
