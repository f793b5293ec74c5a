# SPDX-License-Identifier: GPL-2.0
"""config.py: what a configuration asks for is there, or is known to be lacking; the list itself."""

import re
import sys
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(LAB))
import config  # noqa: E402 (the path comes first)

ASKED = config.read_config("\n".join(path.read_text() for path in [
    *LAB.glob("*.config"), LAB / "../testing/selftests/dio/config"]))
BASES = re.search(r"^bases=\((.*)\)", (LAB / "base.sh").read_text(), re.M)[1].split()
LACK = "has CONFIG_A=y, but lacks says that it is lacking"


class Config(unittest.TestCase):
    def test_faults(self):
        for has, asked, lacks, wanted in (
                ("CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=256\n",
                 "CONFIG_A=y\n# a comment\nCONFIG_B=m\n# CONFIG_C is not set\n"
                 "# CONFIG_UNKNOWN is not set\nCONFIG_D=256\n", "", []),
                ("", "CONFIG_A=m\n", "", ["lacks CONFIG_A=m"]),
                ("CONFIG_A=y\n", "CONFIG_A=m\n", "", ["lacks CONFIG_A=m"]),
                ("CONFIG_AB=m\n", "CONFIG_A=m\n", "", ["lacks CONFIG_A=m"]),
                ("CONFIG_A=y\n", "# CONFIG_A is not set\n", "", ["lacks # CONFIG_A is not set"]),
                ("", "CONFIG_A=y\n# CONFIG_A is not set\n", "", []),     # later lines win
                *(("", "CONFIG_A=y\n", f"{where} CONFIG_A gone\n", []) for where in
                  ("7.3", "*/stock", "*")),
                *(("", "CONFIG_A=y\n", f"{where} CONFIG_A gone\n", ["lacks CONFIG_A=y"])
                  for where in ("7.4", "7.3/debug", "7")),
                ("CONFIG_A=y\n", "CONFIG_A=y\n", "7.3 CONFIG_A gone\n", [LACK])):
            with self.subTest(has=has, asked=asked, lacks=lacks):
                self.assertEqual(list(config.faults("7.3", "stock", has, [asked],
                                                    config.read_lacks(lacks))), wanted)

    def test_each_line_of_the_list_is_of_a_base_and_of_something_that_is_asked_for(self):
        for lack in config.read_lacks(config.LACKS.read_text()):
            self.assertIn(lack.where.partition("/")[0], [*BASES, "*"])
            self.assertIn(lack.symbol, ASKED)


if __name__ == "__main__":
    unittest.main()
