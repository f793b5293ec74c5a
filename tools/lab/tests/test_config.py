# SPDX-License-Identifier: GPL-2.0
"""config.py: what a configuration asks for is there, or is known to be lacking; the list itself."""

import re
import sys
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB))
import config  # noqa: E402 (the path comes first)

FRAGMENTS = [LAB / "kernel.config", LAB / "debug.config", LAB / "kunit.config",
             LAB / "../testing/selftests/dio/config", *LAB.glob("kernel-*.config")]
BASES = re.search(r"^bases=\((.*)\)", (LAB / "base.sh").read_text(), re.M)[1].split()


class Faults(unittest.TestCase):
    def test_faults(self):
        for has, asked, lacks, wanted in (
                ("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=256\n",
                 ["CONFIG_A=y\n# a comment\n", "CONFIG_B=m\n# CONFIG_C is not set\n"
                  "# CONFIG_UNKNOWN is not set\nCONFIG_D=256\n"], "", []),
                ("", ["CONFIG_A=m\n"], "", ["lacks CONFIG_A=m"]),
                ("CONFIG_A=y\n", ["CONFIG_A=m\n"], "", ["lacks CONFIG_A=m"]),
                ("CONFIG_AB=m\n", ["CONFIG_A=m\n"], "", ["lacks CONFIG_A=m"]),
                ("CONFIG_A=y\n", ["# CONFIG_A is not set\n"], "", ["lacks # CONFIG_A is not set"]),
                # later lines win
                ("", ["CONFIG_A=y\n", "# CONFIG_A is not set\n"], "", []),
                ("CONFIG_A=y\n", ["CONFIG_A=y\n", "CONFIG_A=m\n"], "", ["lacks CONFIG_A=m"]),
                # what is listed may lack
                *(("", ["CONFIG_A=y\n"], f"{where} CONFIG_A gone\n", []) for where in
                  ("7.3", "7.3/stock", "*/stock", "*/*", "*")),
                *(("", ["CONFIG_A=y\n"], f"{where} CONFIG_A gone\n", ["lacks CONFIG_A=y"])
                  for where in ("7.4", "7.3/debug", "*/patched", "7")),
                # a line of what this kernel does not want, and one that is stale
                ("", [""], "7.3 CONFIG_A gone\n", []),
                ("CONFIG_A=y\n", ["CONFIG_A=y\n"], "7.3 CONFIG_A gone\n",
                 ["has CONFIG_A=y, but lacks says that it is lacking"])):
            with self.subTest(has=has, asked=asked, lacks=lacks):
                self.assertEqual(list(config.faults("7.3", "stock", has, asked,
                                                    config.read_lacks(lacks))), wanted)

    def test_a_line_without_a_reason(self):
        for line in ("7.3 CONFIG_A", "7.3 A gone", "CONFIG_A"):
            with self.assertRaisesRegex(ValueError, "not BASE CONFIG_X REASON"):
                config.read_lacks(line)


class List(unittest.TestCase):
    """tools/lab/lacks, and the fragments"""
    def test_each_line_is_of_a_kernel_and_of_something_that_is_asked_for(self):
        kernels = ("stock", "patched", "distro-stock", "distro", "kunit", "debug", "um-stock",
                   "um")
        asked = [config.read_config(path.read_text()) for path in FRAGMENTS]
        for lack in config.read_lacks(config.LACKS.read_text()):
            self.assertTrue(any(lack.is_of(base, kernel) for base in BASES for kernel in kernels),
                            lack)
            self.assertTrue(any(of.get(lack.symbol) for of in asked), lack)

    def test_a_fragment_of_one_base_is_of_one_that_there_is(self):
        for path in (*LAB.glob("kernel-*.config"), *LAB.glob("distro-*.config")):
            self.assertIn(path.stem.partition("-")[2], BASES)


if __name__ == "__main__":
    unittest.main()
