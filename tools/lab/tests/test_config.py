# SPDX-License-Identifier: GPL-2.0
"""config.py: what a configuration asks for is there, or is known to be lacking; the list itself."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB))
import config  # noqa: E402 (the path comes first)

FRAGMENTS = [LAB / "kernel.config", LAB / "debug.config", LAB / "kunit.config",
             LAB / "../testing/selftests/dio/config", *LAB.glob("kernel-*.config")]
BASES = re.search(r"^bases=\((.*)\)", (LAB / "base.sh").read_text(), re.M)[1].split()


def faults(has, *fragments, lacks="", base="7.3", kernel="stock"):
    return list(config.faults(base, kernel, has, fragments, config.read_lacks(lacks)))


class Faults(unittest.TestCase):
    def test_what_is_asked_for_is_there(self):
        self.assertEqual(faults("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=256\n",
                                "CONFIG_A=y\n# a comment\n", "CONFIG_B=m\n# CONFIG_C is not set\n"
                                "# CONFIG_UNKNOWN is not set\nCONFIG_D=256\n"), [])

    def test_what_is_missing_or_another_value(self):
        for has in ("", "# CONFIG_A is not set\n", "CONFIG_A=y\n", "CONFIG_A=mm\n", "CONFIG_AB=m\n"):
            self.assertEqual(faults(has, "CONFIG_A=m\n"), ["lacks CONFIG_A=m"])

    def test_without_modules_all_is_built_in(self):
        self.assertEqual(faults("CONFIG_A=y\n", "CONFIG_A=m\n# CONFIG_MODULES is not set\n"), [])
        self.assertEqual(faults("", "CONFIG_A=m\n", "# CONFIG_MODULES is not set\n"),
                         ["lacks CONFIG_A=y"])

    def test_what_is_on_though_it_was_to_be_off(self):
        self.assertEqual(faults("CONFIG_SLUB_TINY=y\n", "# CONFIG_SLUB_TINY is not set\n"),
                         ["lacks # CONFIG_SLUB_TINY is not set"])

    def test_later_lines_win(self):
        for has, last in (("CONFIG_A=m\n", "CONFIG_A=m\n"), ("", "# CONFIG_A is not set\n")):
            self.assertEqual(faults(has, "CONFIG_A=y\n", last), [])
            self.assertNotEqual(faults("CONFIG_A=y\n", "CONFIG_A=y\n", last), [])

    def test_what_is_listed_may_lack(self):
        for where in ("7.3", "7.3/stock", "*/stock", "*/*", "*"):
            self.assertEqual(faults("", "CONFIG_A=y\n", lacks=f"{where} CONFIG_A gone\n"), [])

    def test_a_line_for_another_kernel_does_not_count(self):
        for where in ("7.4", "7.3/debug", "*/patched", "6.1", "7"):
            self.assertEqual(faults("", "CONFIG_A=y\n", lacks=f"{where} CONFIG_A gone\n"),
                             ["lacks CONFIG_A=y"])

    def test_a_stale_line(self):
        self.assertEqual(faults("CONFIG_A=y\n", "CONFIG_A=y\n", lacks="7.3 CONFIG_A gone\n"),
                         ["has CONFIG_A=y, but lacks says that it is lacking"])

    def test_a_line_of_what_this_kernel_does_not_want(self):
        for fragment in ("", "# CONFIG_A is not set\n"):
            self.assertEqual(faults("", fragment, lacks="7.3 CONFIG_A gone\n"), [])

    def test_a_line_without_a_reason(self):
        for line in ("7.3 CONFIG_A", "7.3 A gone", "CONFIG_A"):
            with self.assertRaisesRegex(ValueError, "not BASE CONFIG_X REASON"):
                config.read_lacks(line)


class Program(unittest.TestCase):
    def run_it(self, *words):
        done = subprocess.run([LAB / "config.py", *words], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout

    def test_it_says_what_and_of_which_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            has, asked = Path(folder, ".config"), Path(folder, "asked")
            has.write_text("CONFIG_A=y\n")
            asked.write_text("CONFIG_A=y\n")
            self.assertEqual(self.run_it("7.3", "debug", has, asked), (0, ""))
            asked.write_text("CONFIG_A=y\nCONFIG_B=y\n")
            self.assertEqual(self.run_it("7.3", "debug", has, asked),
                             (1, "the debug kernel's configuration (7.3) lacks CONFIG_B=y\n"))
            self.assertEqual(self.run_it("7.3", "debug", has, Path(folder, "none"))[0], 2)
            self.assertEqual(self.run_it("7.3", "debug", has)[0], 2)


class List(unittest.TestCase):
    """tools/lab/lacks, and the fragments"""

    lacks = config.read_lacks(config.LACKS.read_text())
    asked = [config.read_config(path.read_text()) for path in FRAGMENTS]

    def test_bases_and_kernels_are_those_that_there_are(self):
        kernels = ("stock", "patched", "distro-stock", "distro", "kunit", "debug", "um-stock",
                   "um")
        for lack in self.lacks:
            self.assertTrue(any(lack.is_of(base, kernel) for base in BASES for kernel in kernels),
                            lack)

    def test_each_line_is_of_something_that_is_asked_for(self):
        for lack in self.lacks:
            self.assertTrue(any(asked.get(lack.symbol) for asked in self.asked), lack)

    def test_a_fragment_of_one_base_is_of_one_that_there_is(self):
        for path in (*LAB.glob("kernel-*.config"), *LAB.glob("distro-*.config")):
            self.assertIn(path.stem.partition("-")[2], BASES)

    def test_slub_tiny_is_off(self):
        self.assertIn("CONFIG_SLUB_TINY",
                      config.read_config((LAB / "kernel.config").read_text()))


if __name__ == "__main__":
    unittest.main()
