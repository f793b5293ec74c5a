# SPDX-License-Identifier: GPL-2.0
"""profile.py on small maps and counts that are made up here.

What insn_count.c counts is held against the guest's own clock whenever it is used: bench.py profile
and make real fail where both differ.
"""
import os
import sys
import tempfile
import unittest

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, LAB)
import profile  # noqa: E402 (ours: the path comes first)

MAP = """\
0000000000000000 D fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup
ffffffff81000100 t read_one.isra.0
ffffffff81000200 T __x64_sys_read
ffffffff81000300 t read_one.cold
ffffffff81000400 D table
"""


def counts(total=None, **insns):
    """The text of a counts file: names are u (user) or k and the address's last digits."""
    lines = [f"{'user' if key == 'u' else 'ffffffff8' + key[1:]} {number}"
             for key, number in insns.items()]
    lines.append(f"total {sum(insns.values()) if total is None else total}")
    return "\n".join(lines) + "\n"


class Profile(unittest.TestCase):
    def one(self, **files):
        """An iteration, of boots with 10 and 30"""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("map", "low", "high")]
            for path, text in zip(paths, {"map": MAP, "low": counts(), **files}.values()):
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
            return profile.one_iteration(paths[0], paths[1:], (10, 30))

    def test_instructions_of_a_loop_by_symbol(self):
        for high, wanted in (
                # up to the next symbol; the compiler's parts of a function are one
                (counts(k10000ff=20, k1000100=200, k10001ff=2000, k1000200=20000, k1000300=40),
                 {"startup": 1, "read_one": 112, "__x64_sys_read": 1000}),
                # below the kernel (after per-CPU data), in its data, and a module's
                (counts(k0000000=20, k1000400=40, ka000000=80), {"[module or unknown]": 7}),
                (counts(k1000200=60, u=60), {"__x64_sys_read": 3, "[user space]": 3}),
                # an address that is counted twice
                ("ffffffff81000000 20\nffffffff81000000 40\nuser 0\ntotal 60\n",
                 {"startup": 3, "[user space]": 0})):
            self.assertEqual(self.one(high=high), wanted)

    def test_patched_beside_stock_larger_first(self):
        stock = self.one(high=counts(k1000000=200, k1000100=100, k1000200=20))
        patched = self.one(map=MAP.replace("81000200", "81000280"), low=counts(k1000100=20),
                           high=counts(k1000200=100, k1000280=600))     # another layout
        said = profile.table(profile.compare(stock, patched), 2)
        self.assertEqual([line.split() for line in said], [
            ["symbol", "stock", "patched", "difference"],
            ["__x64_sys_read", "1.0", "30.0", "29.0"],
            ["startup", "10.0", "0.0", "-10.0"],
            ["[1", "more", "symbols]", "5.0", "4.0", "-1.0"],
            ["[user", "space]", "0.0", "0.0", "0.0"],
            ["total", "16.0", "34.0", "18.0"]])

    def test_bad_input(self):
        for expect, files in (
                ("map:2: ", {"map": "ffffffff81000000 T a\nnonsense\n"}),
                ("map: no symbols", {"map": ""}),
                ("low:1: ", {"low": "somewhere 3\ntotal 3\n"}),
                ("high: empty: QEMU did not end in good order", {"high": ""}),
                ("high: cut short", {"high": "user 3\n"}),
                ("high: cut short", {"high": counts(4, u=3)}),
                ("high: not of one boot", {"high": counts(u=3) + counts(u=4)}),
                ("high: no more instructions", {"high": counts(u=1)})):
            with self.assertRaisesRegex(profile.BadInput, expect):
                self.one(**{"map": MAP, "low": counts(u=1), "high": counts(u=3)} | files)


if __name__ == "__main__":
    unittest.main()
