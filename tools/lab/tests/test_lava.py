# SPDX-License-Identifier: GPL-2.0
"""lava.yaml and lava.sh: the steps as LAVA runs them, with a kit and a LAVA that are stand-ins."""

import io
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
TESTS = {
    "test_good": ("1..3", "ok 1 reads, in order", "# a comment: ok 9 not", "ok 2 reads, in order",
                  "ok 3 - raw # SKIP no driver", "exit 0"),
    "test_bad": ("TAP version 13", "1..2", "not ok 1 50 % of it", "# exit 1: x", "ok 2 rest", "exit 1"),
    "test_skipped": ("1..0 # SKIP must be run as root", "exit 4"),
    "test_short": ("1..2", "ok 1 first", "exit 0"),
    "test_killed": ("1..1", "ok 1 all", "exit 137"),
    "test_silent": ("exit 0",),
    "test_words": ("1..1", 'ok 1 "$DIO_DISKS" "$DIO_SCRATCH" "$*"', "exit 0"),
}
WANTED = {
    "test_good": {"reads-in-order": "pass", "reads-in-order-2": "pass", "raw": "skip",
                  "whole": "pass"},
    "test_bad": {"50-of-it": "fail", "rest": "pass", "whole": "pass"},
    "test_skipped": {"whole": "skip"},
    "test_short": {"first": "pass", "whole": "fail"},
    "test_killed": {"all": "pass", "whole": "fail"},
    "test_silent": {"whole": "fail"},
    "test_words": {"case": "pass", "whole": "pass"},
}


def read_definition():
    """What there is in lava.yaml: {section: its steps or parameters}. YAML of that kind only."""
    found, section = {}, None
    for line in (LAB / "lava.yaml").read_text().splitlines():
        if re.match(r"\w+:$", line):
            section = found.setdefault(line[:-1], [])
        elif re.match(r" +(- )?[^ #]", line):
            section.append(line.strip())
    return found


class Lava(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = Path(tmp.name)
        self.there = self.tmp / "repository"
        (self.there / "tools/lab").mkdir(parents=True)
        shutil.copy(LAB / "lava.sh", self.there / "tools/lab")
        self.kit = self.tmp / "kit.tar.gz"
        with tarfile.open(self.kit, "w:gz") as tar:
            for name, lines in TESTS.items():
                text = "".join(line + "\n" if line.startswith("exit") else
                               f"echo {line}\n" if "$" in line else f"echo {shlex.quote(line)}\n"
                               for line in lines).encode()
                file = tarfile.TarInfo(f"dio-field-kit-x/{name}.sh")
                file.size = len(text)
                tar.addfile(file, io.BytesIO(text))
        self.bin = self.tmp / "bin"
        self.bin.mkdir()
        for what in ("case", "set"):
            tool = self.bin / f"lava-test-{what}"
            tool.write_text(f"#!/bin/sh\necho {what} \"$@\" >>{self.tmp}/told\n")
            tool.chmod(0o755)

    def job(self, **parameters):
        """A device's script: parameters as shell variables, then the steps, in the repository."""
        definition = read_definition()
        words = dict(line.split(": ", 1) for line in definition["params"])
        words = {name: value.strip('"') for name, value in words.items()} | parameters
        steps = [line[2:] for part in ("install", "run") for line in definition[part]
                 if line.startswith("- ")]
        script = "set -e\n" + "".join(f"{name}={shlex.quote(value)}\n"
                                      for name, value in words.items()) + "\n".join(steps)
        return subprocess.run(["sh", "-c", script], cwd=self.there, check=False, text=True,
                              env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"},
                              capture_output=True)

    def told(self):
        """{test set: {case: result}}, as LAVA was told"""
        found, now = {}, None
        for line in (self.tmp / "told").read_text().splitlines():
            words = line.split()
            if words[:2] == ["set", "start"]:
                now = found.setdefault(words[2], {})
            elif words[:2] == ["set", "stop"]:
                now = None
            else:
                self.assertEqual((words[0], words[2], len(words)), ("case", "--result", 4))
                self.assertNotIn(words[1], now)
                now[words[1]] = words[3]
        return found

    def test_format(self):
        metadata = read_definition()["metadata"]
        self.assertIn("format: Lava-Test Test Definition 1.0", metadata)
        self.assertIn("name: dio-selftests", metadata)

    def test_each_line_is_a_case(self):
        done = self.job(KIT=str(self.kit))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.told(), WANTED)
        self.assertIn("not ok 1 50 % of it", done.stdout)

    def test_some(self):
        self.job(KIT=str(self.kit), TESTS="test_bad test_short.sh")
        self.assertEqual(list(self.told()), ["test_bad", "test_short"])

    def test_disks(self):
        done = self.job(KIT=str(self.kit), TESTS="test_words", DIO_DISKS="/dev/a /dev/b",
                        DIO_SCRATCH="/dev/c")
        self.assertIn("ok 1 /dev/a /dev/b /dev/c --write", done.stdout)
        done = self.job(KIT=str(self.kit), TESTS="test_words")
        self.assertRegex(done.stdout, "ok 1 *\n")

    def test_without_lava(self):
        for tool in self.bin.iterdir():
            tool.unlink()
        done = self.job(KIT=str(self.kit), TESTS="test_bad")
        self.assertIn("lava-test-case 50-of-it --result fail", done.stdout)

    def test_what_is_wrong(self):
        for parameters, why in (({}, "KIT names no archive"),
                                ({"KIT": str(LAB / "lava.sh")}, "is no archive"),
                                ({"KIT": str(self.kit), "TESTS": "test_none"}, "no such test")):
            done = self.job(**parameters)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stderr)
            self.assertFalse((self.tmp / "told").exists())


if __name__ == "__main__":
    unittest.main()
