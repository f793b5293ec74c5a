# SPDX-License-Identifier: GPL-2.0
"""trees.py: a list of trees, with stand-ins for what builds and boots."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB))
import trees  # noqa: E402 (the path comes first)

# What they do is said by the name of the tree that KSRC= names.
STANDINS = {
    "kernel.sh": 'case $KSRC in */lost) echo "lab: KSRC=$KSRC is not a kernel tree" >&2; exit 2 ;; '
                 'esac; echo "$KSRC"',
    "overlay.py": 'case $*:$KSRC in --version-of*) echo 6.1.99 ;; '
                  '*/refused) echo "overlay: a/b.c.cocci: rule 2 matches nothing"; exit 1 ;; esac',
    "guest.sh": 'case $KSRC in */still) echo "guest: the patched guest stood still" >&2; '
                'exit 124 ;; esac; echo 6.1.99',
    "make": '''case $*:$KSRC in
*patched-modules*/unbuilt) echo "x.c:1: error: no"; echo "lab: build-patched failed" >&2
    echo "make: *** [Makefile:1] Error 1" >&2; exit 2 ;;
*guest-tests*/silent) ;;
*guest-tests*/ended) printf '1..1\\nok 1 x\\n' >$O/log/test_a.tap; echo "guest: ended" >&2; exit 2 ;;
*guest-tests*)
    printf '1..3\\nok 1 x\\nok 2 y # SKIP no\\nok 3 z\\n' >$O/log/test_a.tap
    printf '1..0 # SKIP no disk\\n' >$O/log/test_b.tap
    case $KSRC in */bad) printf 'not ok 4 w\\n' >>$O/log/test_a.tap; exit 2 ;; esac ;;
esac''',
}


class Trees(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = Path(tmp.name)
        for name, text in STANDINS.items():
            file = self.tmp / name
            file.write_text(f"#!/bin/sh\n{text}\n")
            file.chmod(0o755)

    def run_list(self, *names, words=()):
        (self.tmp / "list").write_text("".join(f"{name} /x/{name}\n" for name in names))
        said = io.StringIO()
        env = {"PATH": f"{self.tmp}:{os.environ['PATH']}", "O": str(self.tmp / "out")}
        with mock.patch.object(trees, "LAB", self.tmp), mock.patch.dict(os.environ, env), \
                contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            status = trees.main(["trees.py", str(self.tmp / "list"), *words])
        return status, said.getvalue().splitlines()

    def result(self, name):
        return json.loads((self.tmp / f"out/trees/{name}.json").read_text())

    def tap(self, name):
        return (self.tmp / f"out/trees/{name}.tap").read_text().splitlines()

    def test_one_that_is_whole(self):
        status, table = self.run_list("good")
        self.assertEqual(status, 0)
        self.assertEqual(table[1].split(), ["good", "6.1.99", *["ok"] * 5, "2", "0", "2", *table[1]
                                            .split()[-1:]])
        self.assertEqual(self.tap("good")[1:], [
            "1..7", "ok 1 source", "ok 2 overlay", "ok 3 build", "ok 4 boot", "ok 5 tests",
            "ok 6 test_a", "# 2 passed, 0 failed, 1 skipped",
            "ok 7 test_b # SKIP all of it", "# 0 passed, 0 failed, 1 skipped"])

    def test_each_goes_on_after_one_that_fails(self):
        names = ("lost", "refused", "unbuilt", "still", "silent", "ended", "bad", "good")
        status, table = self.run_list(*names)
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[0] for line in table[1:]], list(names))
        failed = {"lost": ("source", "is not a kernel tree"),
                  "refused": ("overlay", "rule 2 matches nothing"),
                  "unbuilt": ("build", "x.c:1: error: no"),
                  "still": ("boot", "stood still"), "silent": ("tests", "no test said anything"),
                  "ended": ("tests", "guest: ended"), "bad": ("tests", "failed: test_a")}
        for name, (step, why) in failed.items():
            with self.subTest(name):
                result = self.result(name)
                self.assertIs(result["steps"][step], False)
                self.assertIn(why, result["why"])
                self.assertTrue(any(line.startswith("not ok") and line.endswith(f" {step}")
                                    for line in self.tap(name)))
        self.assertTrue(trees.whole(self.result("good")))
        self.assertIn("not ok 6 test_a", self.tap("bad"))
        self.assertIn("ok 3 build # SKIP not reached", self.tap("refused"))

    def test_lists(self):
        got = trees.read_list("# all\nnewest 7.3   # a base\n\nmine /src/linux\nhere ./linux\n")
        self.assertEqual(got, [("newest", "BASE", "7.3"), ("mine", "KSRC", "/src/linux"),
                               ("here", "KSRC", "./linux")])
        for text in ("", "one\n", "a 6.1\na 6.12\n", "a/b 6.1\n", "../x 6.1\n", "a 6.1 more\n"):
            with self.subTest(text), self.assertRaises(ValueError):
                trees.read_list(text)

    def test_usage(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(trees.main(["trees.py"]), 2)
            self.assertEqual(trees.main(["trees.py", str(self.tmp / "none")]), 2)


if __name__ == "__main__":
    unittest.main()
