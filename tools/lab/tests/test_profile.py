# SPDX-License-Identifier: GPL-2.0
"""profile.py on small maps and counts that are made up here.

What insn_count.c counts is held against the guest's own clock whenever it is used: bench.py profile
and make real fail where both differ.
"""
import tempfile
import unittest
from pathlib import Path

import profile

MAP = """\
0000000000000000 D fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup
ffffffff81000100 t read_one.isra.0
ffffffff81000200 T __x64_sys_read
ffffffff81000300 t read_one.cold
ffffffff81000400 D table
"""


def counts(**insns):
    """The text of a counts file: names are u (user) or k and the address's last digits."""
    lines = [f"{'user' if key == 'u' else 'ffffffff8' + key[1:]} {number}"
             for key, number in insns.items()]
    return "\n".join((*lines, f"total {sum(insns.values())}", ""))


class Profile(unittest.TestCase):
    def files(self, *texts):
        """The paths of files with these texts"""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for number, text in enumerate(texts):
            (folder / str(number)).write_text(text)
        return [folder / str(number) for number in range(len(texts))]

    def test_instructions_of_a_loop_by_symbol(self):
        for high, wanted in (
                # up to the next symbol; the compiler's parts of a function are one
                (counts(k10000ff=20, k1000100=200, k10001ff=2000, k1000200=20000, k1000300=40),
                 {"startup": 1, "read_one": 112, "__x64_sys_read": 1000}),
                # below the kernel (after per-CPU data), in its data, and a module's
                (counts(k0000000=20, k1000400=40, ka000000=80), {"[module or unknown]": 7}),
                # an address that is counted twice
                ("ffffffff81000000 20\nffffffff81000000 40\nuser 20\ntotal 80\n",
                 {"startup": 3, "[user space]": 1})):
            base, *boots = self.files(MAP, counts(u=0), high)   # with 10 and 30 iterations
            self.assertEqual(profile.one_iteration(base, boots, (10, 30)),
                             {"[user space]": 0, **wanted})

    def test_lines_that_cpus_share(self):
        def run(*lines):
            return "run\n" + "".join(f"io {cpu}\n" + "".join(
                f"{line} {cpu} {wrote} {pc:x}\n" for line, wrote, pc in lines)
                for cpu in "01" for _ in range(10))

        start = 0xffffffff81000000
        paths = self.files(run(("a", 1, start), ("b", 0, start)) + "run\n" +
                           run(("c", 1, start + 0x110), ("c", 0, start), ("d", 1, start + 0x120)) +
                           "io 1\ne 1 1 0\nrun\n", MAP)
        figures = {("shared", case, "lines"): {} for case in "ab"}
        self.assertEqual({key[1:]: figure["values"] for key, figure in
                          profile.shared_lines(figures, *paths).items()},
                         {("a", "startup"): [1], ("a", "all"): [1],
                          ("b", "read_one"): [1.9], ("b", "all"): [1.9]})

    def test_parts_between_marks_without_idle_and_extremes(self):
        figures = {case: {"part": 10, "parts": 7, "exact": 0, "values": [9]} for case in "ab"}
        marks = "".join(f"ffffffff81000000 {n - 5}\nffffffff81000400 9000\nuser 5\n"
                        f"total {n + 9000}\n" for n in (
                            777777, 888, 5000, 1000, 1010, 1020, 1030, 1040, 10, 777777, 888,
                            *[2000] * 7, 5555))
        profile.per_io(figures, *self.files(marks, MAP.replace("D table", "t do_idle")))
        self.assertEqual([f["values"] for f in figures.values()],
                         [[100, 101, 102, 103, 104], [200] * 5])
