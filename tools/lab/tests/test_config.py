# SPDX-License-Identifier: GPL-2.0
"""config.py: what a configuration asks for is there, or is known to be lacking."""

import unittest

import config

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
                self.assertEqual([*config.faults("7.3/stock", has, [asked], lacks)], wanted)
