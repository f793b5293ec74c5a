# SPDX-License-Identifier: GPL-2.0
"""config.py: what a configuration asks for is there, or is known to be lacking."""

import unittest

import config

RAW = "CONFIG_RAW_DRIVER=y"


class Config(unittest.TestCase):
    def test_faults(self):
        for kernel, has, asked, wanted in (
                ("7.3/um", "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\nCONFIG_D=256\n",
                 "CONFIG_A=y\n# a comment\nCONFIG_B=m\n# CONFIG_C is not set\n"
                 "# CONFIG_UNKNOWN is not set\nCONFIG_D=256\n", []),
                ("7.3/um", "", "CONFIG_A=m\n", ["lacks CONFIG_A=m"]),
                ("7.3/um", "CONFIG_A=y\n", "CONFIG_A=m\n", ["lacks CONFIG_A=m"]),
                ("7.3/um", "CONFIG_AB=m\n", "CONFIG_A=m\n", ["lacks CONFIG_A=m"]),
                ("7.3/um", "CONFIG_A=y\n", "# CONFIG_A is not set\n",
                 ["lacks # CONFIG_A is not set"]),
                ("7.3/um", "", "CONFIG_A=y\n# CONFIG_A is not set\n", []),     # later lines win
                ("7.3/um-stock", "", RAW, []), ("7.3/um", "", RAW, [f"lacks {RAW}"]),
                ("6.1/stock", RAW, RAW, [f"has {RAW}, which it is known to lack"])):
            with self.subTest(kernel=kernel, has=has, asked=asked):
                self.assertEqual([*config.faults(kernel, has, [asked])], wanted)
