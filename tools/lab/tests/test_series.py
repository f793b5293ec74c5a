# SPDX-License-Identifier: GPL-2.0
"""Tests of series.py: the patches for the bases of overlay.py, and the fixes for 2.4 and 2.6.

The old trees are made of legacy.trees. Each fix is tried on one of them: what it does, that it knows
its own work again, that no rule does its work twice, and that each hunk is missed if it is not
there. All paths have a blank.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import overlay
import series

LAB = Path(__file__).resolve().parents[1]
ROOT = LAB.parents[1]

BASE = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\nEXTRAVERSION =\n",
    "fs/a.c": "int a(int x)\n{\n\treturn x;\n}\n",
    "fs/Kconfig": "config A\n\tbool\n",
}


def edit(name, old, new):
    """A rule that has a return of something else"""
    return f"@{name}@\nsymbol x;\n@@\n\n-return {old};\n+return {new};\n"


def letter(subject, *paths, more=""):
    return f"{subject}\n\nWhy.\n\nPaths:\n" + "".join(f"\t{path}\n" for path in paths) + more


PLUS, TWICE = edit("plus", "x", "x + 1"), edit("twice", "x + 1", "2 * x + 1")
OVERLAY = {
    "Makefile": "",
    "fs/a.c.cocci": PLUS,
    "fs/Kconfig.add": "config B\n\tbool\n",
    "mm/b.c": "int b;\n",
    "mm/t/one.sh": "#!/bin/sh\n",
    "mm/t/two": "2\n",
    "Documentation/here.txt": "of this repository\n",
    "series/lists/10-a": "# comment\n" + letter("fs: a: one more", "fs/Kconfig", "fs/a.c"),
    "series/cover": "# comment\nThree things\n\nWhy.\n\n"
                    "Left out:\n\tDocumentation/here.txt\tabout this repository\n"
                    "Checkpatch:\n\tTALK mm/*.c it may\n",
    "series/tree/20-b": letter("mm: b: new", "mm/b.c"),
    "series/tree/30-t": letter("mm: t: tests", "mm/t/"),
}


def fill(root, files):
    """Files of that text; None: none"""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            (root / name).unlink()
        else:
            (root / name).write_text(text)


def git(tree, *args):
    return subprocess.run(["git", "-C", tree, *args], check=True, capture_output=True,
                          text=True).stdout


def commit(tree):
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message=tree")


def files_in(folder):
    return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*")
            if p.is_file() and ".git" not in p.relative_to(folder).parts}


def snapshot(folder):
    return {name: p.read_bytes() for name, p in files_in(folder).items()}


def executables(folder):
    return {name for name, p in files_in(folder).items() if overlay.executable(p)}


class Case(unittest.TestCase):
    """A tree, an overlay, and somebody whose patches they are."""

    def setUp(self):
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="test series.")))
        fill(self.top, {"gitconfig": "[user]\n\tname = Some One\n\temail = one@example.org\n"})
        self.enterContext(mock.patch.dict(os.environ, {
            "GIT_CONFIG_GLOBAL": str(self.top / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}))
        self.again()

    def again(self, **more):
        """Begin with nothing but the tree and the overlay; more: of this"""
        self.tree, self.root, self.out = (self.top / n for n in ("tree", "root", "out"))
        for folder in (self.tree, self.root, self.out):
            shutil.rmtree(folder, ignore_errors=True)
        fill(self.tree, BASE)
        (self.tree / "fs/a.c").chmod(0o755)
        fill(self.root, OVERLAY | more)
        (self.root / "mm/t/one.sh").chmod(0o755)

    def run_series(self, *args):
        """(exit code, stdout, stderr)"""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = series.main([*map(str, args), "--overlay", str(self.root), "--out",
                                str(self.out)])
        return code, out.getvalue(), err.getvalue()

    def version_is(self, version):
        numbers = zip(("VERSION", "PATCHLEVEL", "SUBLEVEL"), version.split("."))
        fill(self.tree, {"Makefile": "".join(f"{name} = {number}\n" for name, number in numbers)})

    def make(self, *args):
        code, out, err = self.run_series(self.tree, *args)
        self.assertEqual((code, err), (0, ""))
        return out

    def patches(self):
        return sorted(self.out.glob("series-*/*.patch"))

    def subjects(self, folder):
        return [p.name[5:-6] for p in sorted((self.out / folder).glob("*.patch"))]

    def am(self):
        """What the README says."""
        readme = self.patches()[0].parent / "README"
        command = re.search(r"in the tree: (git am .*)", readme.read_text())[1]
        subprocess.run(["sh", "-c", command], cwd=self.tree, check=True, capture_output=True)

    def am_and_patch(self, *programs):
        """git am and patch -p1 of what was made: they end in the same tree, no mode has changed."""
        commit(self.tree)
        other, before = self.top / "other", executables(self.tree) | {*programs}
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(self.tree, other)
        self.am()
        for patch in self.patches():
            subprocess.run(["patch", "-s", "--fuzz=0", "-p1", "-d", other, "-i", patch], check=True)
        self.assertEqual(snapshot(self.tree), snapshot(other))
        self.assertEqual((executables(self.tree), executables(other)), (before, before))
        self.assertFalse([p for p in self.patches() if "\nold mode " in p.read_text("latin-1")])

    def refused(self, code, *says):
        """Nothing is written, and nothing is said to be; returns what is said."""
        before = snapshot(self.tree)
        got, out, err = self.run_series(self.tree)
        self.assertEqual((got, out), (code, ""), err)
        for one in says:
            self.assertIn(one, err)
        self.assertEqual(snapshot(self.tree), before)
        self.assertFalse(list(self.out.glob("series-*")))
        return err

    def check_fails(self, *says):
        code, _, err = self.run_series("--check")
        self.assertEqual(code, 1)
        for one in says:
            self.assertIn(one, err)


def step(name, rule, subject="fs: a: a step"):
    """A patch that edits by itself"""
    return {f"{name}/message": f"{subject}\n\nOn the way.\n", f"{name}/fs/a.c.cocci": rule}


# What an overlay has besides: subjects of the patches for 6.1, and what is in them
WRITES = (
    ({}, "fs-a-one-more mm-b-new mm-t-tests",
     ["Subject: [PATCH 1/3] fs: a: one more\n\nWhy.\n---\n", "Some One <one@example.org>\n"]),
    # A folder edits what the patches before it left.
    (step("series/lists/05-step", edit("less", "x", "x - 2")) |
     step("series/lists/07-step", edit("less", "x - 2", "x - 3")),
     "fs-a-a-step fs-a-a-step fs-a-one-more mm-b-new mm-t-tests",
     ["-\treturn x;\n+\treturn x - 2;\n", "-\treturn x - 2;\n+\treturn x - 3;\n",
      "-\treturn x - 3;\n+\treturn x + 1;\n"]),
    # The first rules of an edit; all of them where no later patch has more
    ({"fs/a.c.cocci": f"{PLUS}\n{TWICE}",
      "series/lists/05-first": letter("fs: a: first", "fs/a.c up to plus")},
     "fs-a-first fs-a-one-more mm-b-new mm-t-tests",
     ["-\treturn x;\n+\treturn x + 1;\n", "-\treturn x + 1;\n+\treturn 2 * x + 1;\n"]),
    # It adds and replaces patches and leaves some out.
    ({"base/6.1/omit": "# is there\nmm/b.c\n", "base/6.1/series/omit": "# is there\ntree/20-b\n",
      "base/6.1/mm/c.c": "int c;\n", "base/6.1/series/lists/05-c": letter("mm: c", "mm/c.c"),
      "base/6.1/series/lists/10-a": letter("fs: a: as it was", "fs/Kconfig", "fs/a.c")},
     "mm-c fs-a-as-it-was mm-t-tests", []),
)
ROWS = OVERLAY["series/lists/10-a"] + "Rows:\n\t%s\n"
UNDONE = edit("minus", "x + 1", "x")
# What --check refuses
REFUSED = (
    ({"mm/c.c": ""}, "mm/c.c: no file of series/ carries it, nor does the cover leave it"),
    ({"series/lists/40": letter("mm", "mm/")},
     "mm/b.c: is carried by series/lists/40 and series/tree/20-b"),
    ({"series/lists/40": letter("mm", "mm/none.c")},
     "series/lists/40: mm/none.c: the overlay has no such path"),
    ({"series/lists/05": letter("fs", "fs/a.c up to none")}, "fs/a.c.cocci: has no rule none"),
    ({"series/lists/10-a": ROWS % "direct"}, "write below Rows: a case and its metric"),
    ({"series/lists/10-a": "one\ntwo\n\nPaths:\n\tmm/b.c\n"},
     "a message is a subject, an empty line, and why"),
    ({"series/lists/10-a": "one\n\nPaths:\nmm/b.c\n"}, "10-a:4: below a section's"),
    ({"base/6.1/series/omit": "# x\ntree/20-x\n"},
     "base/6.1/series/omit:2: series/ has no tree/20-x\n"),
    ({"base/6.1/series/tree/20-c": letter("mm", "mm/b.c")},
     "base/6.1/series/tree/20-c: has the number of series/tree/20-b\n"),
    ({"base/6.1/omit": "# is there\nmm/b.c\n"},
     "series/tree/20-b: carries no path on Linux 6.1\n"),
)


class Modern(Case):
    def test_what_is_written(self):
        """git am and patch make the overlay of it; --check is content; again, nothing changes."""
        for files, subjects, says in WRITES:
            with self.subTest(files):
                self.again(**files)
                self.assertEqual(self.run_series("--check")[0], 0)
                self.make()
                first = {p: p.stat().st_mtime_ns for p in self.out.rglob("*")}
                self.assertIn("nothing changed", self.make())
                self.assertEqual({p: p.stat().st_mtime_ns for p in self.out.rglob("*")}, first)
                self.assertEqual(self.subjects("series-6.1-tree"), subjects.split())
                text = "".join(p.read_text() for p in self.patches())
                for one in says:
                    self.assertIn(one, text)
                    text = text.partition(one)[2] or text
                whole, _ = overlay.overlay_for(self.root, "6.1")
                contents, _ = overlay.plan(self.root, whole, self.tree)
                self.am_and_patch("mm/t/one.sh")
                for path, content in contents.items():
                    if path != "Documentation/here.txt":
                        self.assertEqual((self.tree / path).read_bytes(), content.data, path)

    def test_a_patch_has_what_it_gave(self):
        fill(self.root, {"series/lists/10-a": ROWS % "read insn\n\twrite insn"})
        row = {"base": "6.1.7", "report": "engine", "case": "read", "metric": "insn",
               "unit": "insn", "stock": 200, "patched": 100, "ratio": 0.5,
               "patch": "series/lists/10-a"}
        fill(self.out, {"steps.json": json.dumps([
            row, {**row, "case": "write", "base": "6.12.3"},
            {**row, "case": "write", "patch": "series/tree/20-b"}])})
        self.make()
        texts = [p.read_text() for p in self.patches()]
        shutil.move(self.out / "steps.json", self.root / "series/steps.json")
        self.make()     # the ones that are kept
        self.assertIn("0.500\n---\n", self.patches()[0].read_text())
        self.assertIn("\nWhy.\n\nBefore and behind this patch, in QEMU with a clock that "
                      "counts instructions\n(insn: of one O_DIRECT request; time: on a disk of 200 "
                      "us a request):\n\n"
                      "case  metric  unit  before  behind  ratio\n"
                      "read  insn    insn  200.00  100.00  0.500\n---\n", texts[0])
        self.assertNotIn("before  behind", "".join(texts[1:]))

    def test_checkpatch_has_a_say_and_a_person_signs_off(self):
        fill(self.tree, {"scripts/checkpatch.pl": """\
die "signed?" unless grep { $_ eq "--no-signoff" } @ARGV;
print "mm/b.c:1: WARNING:TALK: too much\\n" if $ARGV[-1] =~ /0002/;
print "fs/a.c:1: WARNING:TALK: too much\\n" if $ARGV[-1] =~ /0001/;
print "total: 0 errors\\n";
"""})
        self.refused(1, "0001-fs-a-one-more.patch: checkpatch: fs/a.c:1: WARNING:TALK: too much\n")
        fill(self.root, {"series/cover": OVERLAY["series/cover"] + "\tTALK fs/* it may\n"})
        self.assertIn("how to apply and sign them: ", self.make())
        self.assertIn("git am -s", (self.out / "series-6.1-tree/README").read_text())
        fill(self.tree, {"scripts/checkpatch.pl": "die 'perl is too new';\n"})
        self.assertIn("/checkpatch.pl does not run here: perl is too new at ",
                      self.run_series(self.tree)[2])

    def test_the_tree_is_the_overlay_in_the_end(self):
        for files, path in ((step("series/tree/50-step", UNDONE), "fs/a.c"),
                            ({"series/tree/50-step/message": "fs: more\n\nWhy.\n",
                              "series/tree/50-step/fs/more.c": "int more;\n"}, "fs/more.c")):
            self.again(**files)
            self.refused(1, f"series/tree/50-step/message: {path} is not what the overlay makes of")
        self.again(**step("base/6.1/series/lists/05-step", edit("less", "gone", "x")))
        self.refused(1, "base/6.1/series/lists/05-step/fs/a.c.cocci:1: rule less: matches nothing")

    def test_what_check_refuses(self):
        for files, says in REFUSED:
            with self.subTest(files):
                self.again(**files)
                self.check_fails(says)


class Topics(Case):
    """On 7.3: three patches, of which the second needs the first; the third is its own topic."""

    def setUp(self):
        super().setUp()
        self.version_is("7.3.4")
        fill(self.tree, {"mm/c.c": "int c;\n"})
        fill(self.root, {
            "fs/a.c.cocci": f"{PLUS}\n{TWICE}", "mm/c.c.add": "int d;\n",
            "series/lists/05-first": letter("fs: a: first", "fs/a.c up to plus"),
            "series/lists/40-c": letter("mm: c", "mm/c.c", more="State: security list first\n"),
            "series/topics/one": "One\n\nWhat for.\n\nState: ready\n\nPatches:\n\t05-first\n",
            "series/topics/two": "Two\n\nState: RFC\n\nPatches:\n\t10-a\n\nAfter:\n\tone\n"
                                 "\nReview:\n\tToo short: no.\n"})

    def test_a_topic_stands_by_itself_or_after_others(self):
        for name, subject in (("one", "fs-a-first"), ("two", "fs-a-one-more"), ("c", "mm-c")):
            self.make("--topic", name)
            self.assertEqual(self.subjects(f"series-7.3-{name}"), [subject])
        two = self.out / "series-7.3-two"
        self.assertIn("State: RFC\nGoes on top of: one\n", (two / "README").read_text())
        self.assertEqual((two / "review").read_text(), "Too short: no.\n")
        self.assertIn("Subject: [RFC PATCH] fs: a", next(two.glob("0*")).read_text())
        commit(self.tree)
        for name in ("c", "one", "two"):
            git(self.tree, "am", "--quiet", *(self.out / f"series-7.3-{name}").glob("*.patch"))
        self.assertEqual((self.tree / "mm/c.c").read_text(), "int c;\nint d;\n")
        self.assertIn("return 2 * x + 1;", (self.tree / "fs/a.c").read_text())

    def test_all_of_them_and_a_cover_for_more_than_one_patch(self):
        fill(self.root, {"series/topics/one": "# comment\nOne thing\n\nFor all.\n"
                         "\nState: ready\nPatches:\n\t05-first\n\t10-a\nAfter:\n\tc\n",
                         "series/lists/05-first": letter("fs: a: first\n\nTest: \"x\" of\na/b",
                                                         "fs/a.c up to plus"),
                         "series/topics/two": None})
        self.make("--topic", "all")
        self.assertEqual(self.subjects("series-7.3-one"), ["fs-a-first", "fs-a-one-more"])
        self.assertIn("Subject: [PATCH 0/2] One thing\n\nFor all.\n\nIt goes on top of:\n - mm: c\n",
                      (self.out / "series-7.3-one/0000-cover-letter.txt").read_text())
        self.assertIn('make test: "x" of a/b\n', (self.out / "series-7.3-one/README").read_text())
        self.assertNotIn("Test:", (self.out / "series-7.3-one/0001-fs-a-first.patch").read_text())
        self.assertFalse((self.out / "series-7.3-c/0000-cover-letter.txt").exists())
        read_me = (self.out / "series-7.3-c/README").read_text()
        self.assertIn("security-bugs.rst says who is told", read_me)
        self.assertNotIn("b4", read_me)

    def test_what_a_topic_needs_is_to_be_named(self):
        text = (self.root / "series/topics/two").read_text()
        for after, says in (("After:\n\ttwo\n", "two: there is no such topic, or it builds on"),
                            ("", "10-a does not apply to the base alone; name below After:")):
            fill(self.root, {"series/topics/two": text.replace("After:\n\tone\n", after)})
            code, _, err = self.run_series(self.tree, "--topic", "two")
            self.assertEqual(code, 1)
            self.assertIn(says, err)
            self.assertFalse(self.patches())
        self.assertEqual(self.run_series(self.tree, "--topic", "all")[0], 1)
        self.assertEqual([p.parent.name for p in self.patches()],
                         ["series-7.3-c", "series-7.3-one"])

    def test_they_are_listed(self):
        fill(self.tree, {"scripts/get_maintainer.pl": """\
die "no git here" unless "@ARGV" =~ /^--no-git --no-git-fallback /;
print "Some <a\\@x>\\nlinux-kernel\\@x\\n$ARGV[-1]\\@y\\n";
"""})
        self.assertIn("c                security list first; 1 patch\n" + 17 * " " +
                      "mm/c.c@y\n" + 17 * " " +
                      "Cc: security@kernel.org (Documentation/process/security-bugs.rst)\n"
                      "one              ready; 1 patch\n" + 17 * " " + "fs/a.c@y\n"
                      "two              RFC; 1 patch, after one\n", self.make())
        self.assertFalse(self.out.exists())

    def test_each_patch_of_the_lists_is_in_one_small_topic(self):
        self.assertEqual(self.run_series("--check")[0], 0)
        for name, text, says in (
                ("two", "x\n\nState: ready\n", "series/lists/10-a: is in the topics []"),
                ("two", "x\n\nPatches:\n\t10-a\n", "a topic has a State:, up to 8 patches and 40"),
                ("two", "x\n\n" + 40 * "y\n" + "State: ready\nPatches:\n\t10-a\n",
                 "here are 1, and 42"),
                ("three", "x\n\nState: ready\nPatches:\n\t40-c\n",
                 "series/lists/40-c: is in the topics ['c', 'three'], not in one")):
            fill(self.root, {f"series/topics/{name}": text})
            self.check_fails(says)

    def test_tests_are_patches_against_their_suite(self):
        fill(self.root, {
            "series/suites/fs/tests/a/1": "#! /bin/sh\n# SPDX: x\n#\n# FS QA Test 1\n#\n# Why.\n"
                                          "#\n. ./x\n\nrun\n__OUTPUT__\nran\n",
            "series/lists/40-c": letter("mm: c", "mm/c.c",
                                        more="State: RFC\nTests:\n\tfs/tests/a/1 what\n")})
        self.make("--topic", "c")
        patch, = (self.out / "series-7.3-c/tests/fs").iterdir()
        self.assertIn("Subject: [PATCH] a/1: what\n\nWhy.\n---\n", patch.read_text())
        self.assertIn("+++ b/tests/a/1.out\n@@ -0,0 +1 @@\n+ran\n", patch.read_text())
        self.assertNotIn("__OUTPUT__", patch.read_text())
        fill(self.root, {"series/suites/fs/tests/a/2": "x\n"})
        self.check_fails("series/suites/fs/tests/a/2: is not there, or no topic names it")


class Trees(Case):
    def test_unknown(self):
        self.root = ROOT
        for version in ("2.4.17", "2.6.4", "2.6.35", "5.10.1"):
            self.version_is(version)
            self.refused(2, f"nothing is known of Linux {version}; there are fixes for "
                         "2.4.18 to 2.4.37, 2.6.5 to 2.6.8, 2.6.5 to 2.6.34, 7.3, 6.12, 6.1\n")
        self.assertEqual(self.run_series(self.tree, "--topic", "tree")[::2], (
            2, "series: --topic goes with Linux 7.3, 6.12, 6.1\n"))

    def test_what_will_not_do(self):
        commit(self.tree)
        for path, text, says in (
                ("fs/a.c", "int a;\n", "a dirty tree: 1 changed files, fs/a.c first"),
                (".overlay", "", "an overlay was applied to it"),
                ("Makefile", "all:\n", "not a kernel tree: no VERSION")):
            with self.subTest(says):
                fill(self.tree, {path: text})
                self.refused(2, says)
                git(self.tree, "checkout", "--quiet", ".")
                git(self.tree, "clean", "--quiet", "-f")
        fill(self.top, {"gitconfig": ""})
        self.refused(2, "set git config user.name and user.email")
        self.tree = self.tree / "gone"
        self.refused(2, "not a directory")

    def test_in_a_folder_of_a_repository(self):
        whole, self.tree = self.tree, self.tree / "gpl sources" / "linux"
        fill(self.tree, {**BASE, "fs/a b.c": ""})
        commit(whole)
        fill(self.tree, {"fs/a b.c": "int a;\n"})
        self.refused(2, "a dirty tree: 1 changed files, fs/a b.c first")
        git(self.tree, "checkout", "--quiet", ".")
        fill(whole, {"fs/a.c": "int a;\n"})        # no file of the tree
        self.make()
        git(whole, "checkout", "--quiet", ".")
        self.am()
        self.assertIn("return x + 1;", (self.tree / "fs/a.c").read_text())
        self.assertEqual(git(whole, "status", "--porcelain"), "")
        self.assertEqual((whole / "fs/a.c").read_text(), BASE["fs/a.c"])

    def test_links_are_not_followed(self):
        shutil.move(self.tree / "fs", self.top / "fs")
        (self.tree / "fs").symlink_to(self.top / "fs")
        self.refused(1, "fs/a.c.cocci: fs is a link in the base, and no patch goes through one\n")
        self.version_is("2.6.19")
        self.root = ROOT
        fill(self.top, dict(PARTS["common-dio"]))
        self.refused(1, "10-boundary/fs/direct-io.c.cocci: fs is a link in the base")

    def test_what_others_put_into_the_folder_stays(self):
        fill(self.out, {"series-6.1-tree/notes": "mine\n"})
        self.make()
        self.assertEqual((self.out / "series-6.1-tree/notes").read_text(), "mine\n")


def parts():
    """{part of an old tree: [(path, text)]}"""
    found = {}
    text = (Path(__file__).resolve().parent / "legacy.trees").read_text()
    for head, _, body in (part.partition("\n") for part in text.split("\n==> ")[1:]):
        name, *paths = head.split()
        found.setdefault(name, []).extend((path, body) for path in paths)
    return found


# An old tree: its parts, and the words that it has otherwise.
PARTS = parts()
BELOW = {
    "2.4.18": ("common-2.4", "2.4.22"),
    "2.4.18-14": ("common-2.4", "vendor-2.4"),
    "2.4.21-EL": ("common-2.4", "vendor-2.4"),
    "2.4.22": ("common-2.4",),
    "2.6.6": ("common-dio",),
    "2.6.7": ("common-dio", "2.6.6"),
    "2.6.32": ("common-dio",),
    "2.6.32-279": ("common-dio",),
    "2.6.32-642": ("common-dio", "2.6.32-279"),
}
SCSI = "drivers/scsi/"
OTHERWISE = {
    "vendor-2.4": [
        (SCSI + "hosts.h", "highmem_io:1;\n", "highmem_io:1;\n\n    unsigned can_do_varyio:1;\n"),
        (SCSI + "aic7xxx_old/aic7xxx.h", "highmem_io: 1",
         "highmem_io: 1,\t\\\n\tcan_do_varyio: 1"),
        ("include/linux/iobuf.h", "locked : 1,\n",
         "locked : 1,\n\t\t\tdovary : 1,\t/* vary-io */\n")],
    "2.4.18-14": [(SCSI + "qlogicisp.h", "isp1020_detect",
                   "isp1020_detect,\t\\\n\tcan_do_varyio:\t\t1")],
    "2.4.18": [("drivers/scsi/scsi.c", "\tq->", "        SDpnt->request_queue.")],
    "2.4.21-EL": [
        *((path, "can_do_varyio", "vary_io") for path in (
            "drivers/scsi/hosts.h", "drivers/scsi/aic7xxx_old/aic7xxx.h", "drivers/scsi/sd.c")),
        ("drivers/char/raw.c", "dovary", "varyio"), ("drivers/char/raw.c", "can_do_vary", "varyio"),
        ("drivers/scsi/sd.c", "read_ahead[SD_MAJOR(i)] = 0;",
         "read_ahead[SD_MAJOR(i)] = 0;\n\t\tblkdev_varyio[SD_MAJOR(i)] = NULL;"),
        ("drivers/addon/qla2200/qla2x00.h", "#define", "#ifdef SHT_HAS_VARY_IO\n"
         "#define VARY_IO vary_io: 1,\n#else\n#define VARY_IO\n#endif\n#define"),
        ("drivers/addon/qla2200/qla2x00.h", "emulated: 0 ", "VARY_IO emulated: 0 "),
        ("include/linux/iobuf.h", "\t\t\tdovary : 1,	/* vary-io */\n", ""),
        ("include/linux/iobuf.h", "initialized:1;", "initialized:1,\n\t\t\tvaryio : 1;"),
        ("fs/iobuf.c", "iobuf->locked = 0;\n", "iobuf->locked = 0;\n\tiobuf->varyio = 0;\n"),
        *(("fs/buffer.c", *pair) for pair in (
            ("iobuf->dovary && (offset == 0)", "iobuf->varyio"),
            ("RAWIO_BLOCKSIZE;\n\t\t\tif (iosize > length)\n\t\t\t\tiosize = length;\n", """\
length;
			for (block_iter = 1; block_iter < (iosize >> size_shift); block_iter++) {
				if (blocknr + block_iter != b[bufind + block_iter]) {
					iosize = size;
					break;
				}
			}
"""),
            ("\t\t\tiosize = length", "\t\t\tint block_iter;\n\n\t\t\tiosize = length"),
            ("\t\tbufind += (iosize/size);\n", ""),
            ("""\
		if (iobuf->dovary)
			submit_bh_blknr(rw, tmp);
		else
			submit_bh(rw, tmp);
""", """\
		tmp->b_rsector = blocknr << (size_shift - 9);
		bufind += iosize >> size_shift;
""")))],
    "2.6.7": [("mm/readahead.c", *pair) for pair in (
        ("preoffset=0;", "average;"), ("\tpreoffset = ra->prev_page;\n", ""),
        ("\t\tra->average = (ra->average +",
         "\t\taverage = ra->average;\n\t\tif (average < ra->serial_cnt) {\n"
         "\t\t\taverage++;\n\t\t}\n\t\tra->average = (average +"),
        ("( !first_access && preoffset >= ra->start &&\n"
         "\t\t\t\tpreoffset < (ra->start + ra->size))", "(!first_access)"),
        ("\t\t\t /* This comment belongs to what goes away. */\n", ""),
        ("preoffset - ra->start + 2;", "min(ra->average , (unsigned long)max);"),
        ("\t\t\t/*\n\t\t\t * This one too.\n\t\t\t */\n\t\t\tunsigned long average",
         "\t\t\taverage"),
        ("+ ra->average) / 2;\n\n", "+ ra->average + 1) / 2;\n\n"),
        ("((average >= max) || (offset == (ra->start +\n\t\t\t\t\t\t\tra->size - 1)))",
         "(average > max)"))],
    "2.6.32": [("fs/direct-io.c", *pair) for pair in (   # with a vendor's fields
        ("dio = kmalloc(", "dio = kzalloc("),
        ("\tdio->blocks_available = 0;\n\tdio->cur_page = NULL;\n\n"
         "\tdio->boundary = 0;\n\tdio->result = 0;\n", ""),
        ("\tssize_t result;", "\tvoid *vendor;\n\tssize_t result;"))],
    "2.6.32-279": [
        ("fs/direct-io.c", "if (dio->final_block_in_bio != dio->cur_page_block)\n",
         "if (dio->final_block_in_bio != dio->cur_page_block ||\n"
         "\t\t    dio->next != dio->cur_page_next)\n"),
        ("fs/direct-io.c", "\t\tif (dio->boundary)\n\t\t\tdio_bio_submit",
         "\t\telse if (dio->boundary)\n\t\t\tdio_bio_submit")],
    "2.6.32-642": [("fs/direct-io.c", *pair) for pair in (   # submission has a struct of its own
        ("\tstruct page *pages[DIO_PAGES];\t/* of user memory */\n", ""),
        ("/* of all */\n", "/* of all */\n\tstruct page *pages[DIO_PAGES];\n"),
        ("dio->", "sdio->"), ("sdio->rw", "dio->rw"),
        ("dio_bio_submit(dio)", "dio_bio_submit(dio, sdio)"),
        ("dio_send_cur_page(dio)", "dio_send_cur_page(dio, sdio, map_bh)"),
        ("\t\tgoto out;\n\n\tretval", "\t\tgoto out;\n"
         "\tmemset(dio, 0, offsetof(struct dio, pages));\n\tretval"))],
}
GONE = {"2.4.18": ["drivers/scsi/aic7xxx/aic7xxx_osm.c", "drivers/scsi/aic7xxx/aic7xxx_host.h"]}

WRITTEN, THERE, NOT = "written", "already there", "not needed"
FIXES_2_4 = ("10-scsi-partial-end", "20-varyio-core", "30-varyio-state", "31-varyio-detach",
             "32-varyio-exit", "40-varyio-sym53c8xx", "41-varyio-sym53c8xx-2", "42-varyio-aic7xxx",
             "43-varyio-aic7xxx-old", "44-varyio-qlogicisp", "45-varyio-qla2x00",
             "46-varyio-aic7xxx-linux")
FIXES_DIO = ("10-boundary", "20-dio-layout", "30-dio-clear")
VERDICTS = {
    "2.4.22": dict(zip(FIXES_2_4, (WRITTEN, WRITTEN, *3 * (NOT,), *5 * (WRITTEN,), NOT, NOT))),
    "2.4.18": dict(zip(FIXES_2_4, (WRITTEN, WRITTEN, *3 * (NOT,), WRITTEN, WRITTEN, NOT, WRITTEN,
                                   WRITTEN, NOT, WRITTEN))),
    "2.4.18-14": dict(zip(FIXES_2_4, (WRITTEN, THERE, *6 * (WRITTEN,), THERE, THERE, WRITTEN,
                                      NOT))),
    "2.4.21-EL": dict(zip(FIXES_2_4, (WRITTEN, THERE, WRITTEN, WRITTEN, THERE, WRITTEN, WRITTEN,
                                      THERE, THERE, WRITTEN, WRITTEN, NOT))),
    "2.6.6": {"10-readahead-average": WRITTEN, "20-readahead-restart": WRITTEN,
              **dict(zip(FIXES_DIO, (WRITTEN, WRITTEN, NOT)))},
    "2.6.7": {"10-readahead-average": THERE, "20-readahead-restart": WRITTEN,
              **dict(zip(FIXES_DIO, (WRITTEN, WRITTEN, NOT)))},
    "2.6.32": dict(zip(FIXES_DIO, (WRITTEN, WRITTEN, WRITTEN))),
    "2.6.32-279": dict(zip(FIXES_DIO, (WRITTEN, WRITTEN, NOT))),
    "2.6.32-642": dict(zip(FIXES_DIO, (WRITTEN, THERE, THERE))),
}
# What a fix leaves as it was, or where it goes, beyond what its message says below Has.
KEPT = {
    "2.4.18-14": [(path, "return 0; tpnt->can_do_varyio = 1;") for path in
                  ("drivers/scsi/sym53c8xx.c", "drivers/scsi/sym53c8xx_2/sym_glue.c")],
    "2.6.32": [("fs/direct-io.c", "dio = kmalloc(sizeof(*dio), GFP_KERNEL); retval = -ENOMEM; "
                "if (!dio) goto out; memset(dio, 0, offsetof(struct dio, pages));")],
    "2.6.32-279": [("fs/direct-io.c", "dio->next != dio->cur_page_next) dio_bio_submit(dio); }")],
    "2.6.32-642": [("fs/direct-io.c", one) for one in (
        "if (sdio->bio) dio_bio_submit(dio, sdio); } return ret;", "start, nr_pages); return ret;",
        "sdio->bio = NULL; }", "sdio->next != sdio->cur_page_next) dio_bio_submit(dio, sdio); }")],
}


def spaced(text):
    """The same code with other white space."""
    return "\n".join(line if line.startswith(("#", " *", "\t *")) or line.endswith("\\") else
                     re.sub(r" ([=<+-]|&&|\|\|) ", "  \\1\t", line).replace("if (", "if  ( ")
                     for line in text.split("\n"))


# What is in front of and behind the lines of a file of a vendor's: no patch may change that.
FRONT = b"/* caf\xe9 \t \x0c\n\r of another\r system  */\n"
BEHIND = b"\n\n\n/* \x85 */  \n\t\n#define NO_NEWLINE"


class Legacy(Case):
    def setUp(self):
        super().setUp()
        self.root = ROOT

    def use(self, shape):
        """Lays the tree down. Its checkpatch does not run on a perl of today."""
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir()
        self.version_is(shape.partition("-")[0])
        fill(self.tree, {"scripts/checkpatch.pl": "die 'perl is too new';\n"})
        for part in (*BELOW[shape], shape):
            for path, text in PARTS.get(part, ()):
                file = self.tree / path.removesuffix("+")
                fill(self.tree, {path.removesuffix("+"):
                                 (file.read_text() if path.endswith("+") else "") + text})
            for path, old, new in OTHERWISE.get(part, ()):
                self.edit(path, old, new)
        for path in GONE.get(shape, ()):
            (self.tree / path).unlink()

    def edit(self, path, old, new):
        text = (self.tree / path).read_text()
        self.assertIn(old, text)
        (self.tree / path).write_text(text.replace(old, new))

    def edit_by(self, path, pattern, new):
        text, count = re.subn(pattern, new, (self.tree / path).read_text())
        self.assertGreater(count, 0)
        (self.tree / path).write_text(text)

    def edit_dio(self, *pairs):
        for old, new in pairs:
            self.edit("fs/direct-io.c", old, new)

    def verdicts(self, out):
        found = re.findall(r"^  \S+?/(\S+) +(written|already there|not needed)", out, re.M)
        return dict(found)

    def written(self):
        """What make says, without what git does: {fix: verdict}, and the patches."""
        said, patches, faults = series.legacy_patches(ROOT, self.tree,
                                                      overlay.kernel_version(self.tree))
        self.assertEqual([str(fault) for fault in faults], [])
        return {fix.partition("/")[2]: verdict.partition(":")[0] for fix, verdict in said}, patches

    def judged(self, name):
        """(verdict, the faults as one text) of one fix."""
        folder, letter = next((f, at) for f, at in series.known(ROOT).items() if f.name == name)
        with tempfile.TemporaryDirectory() as scratch:
            trees = self.tree, Path(scratch, "work")
            verdict, _, faults = series.legacy_fix(ROOT, folder, letter, trees, Path(scratch))
        return verdict, "\n".join(map(str, faults))

    def indented_alike(self):
        """No code is indented by spaces between lines that are by tabs, or not at all."""
        for patch in self.patches():
            lines = patch.read_text().split("\n")
            for before, line, after in zip(lines, lines[1:], lines[2:]):
                if re.match(r"\+ +[^ *]", line):
                    self.assertFalse({before[1:2], after[1:2]} <= {"\t", ""}, line)
                if re.match(r"[ +]\s.*;", before):
                    self.assertNotRegex(line, r"^\+\w")

    def whole(self, shape):
        """The series on a tree, by git am and patch -p1; a second run finds nothing to do."""
        self.use(shape)
        for file in self.tree.rglob("*.c"):
            file.chmod(0o755)
        self.assertEqual(self.verdicts(self.make()), VERDICTS[shape])
        self.indented_alike()
        self.am_and_patch()
        for path, text in KEPT.get(shape, ()):
            self.assertIn(series.plain(text.encode()),
                          series.plain((self.tree / path).read_bytes()))
        for name, data in snapshot(self.tree).items():
            self.assertNotRegex(data, b"belongs to what goes|This one too", name)
        written = snapshot(self.out)
        self.assertIn("nothing is left to do", self.make())
        self.assertEqual(snapshot(self.out), written)

    def test_first_and_last_versions(self):
        for shape, version in (("2.4.22", "37"), ("2.6.6", "5"), ("2.6.32", "34")):
            with self.subTest(f"{shape} as {version}"):
                self.use(shape)
                self.edit("Makefile", f"SUBLEVEL = {shape.split('.')[2]}", f"SUBLEVEL = {version}")
                self.assertEqual(self.written()[0], VERDICTS[shape])

    def test_other_spacing_and_nothing_outside_the_hunks(self):
        for shape in ("2.4.18-14", "2.6.6", "2.6.32"):
            with self.subTest(shape):
                self.use(shape)
                patches = self.written()[1]
                for file in self.tree.rglob("*.[ch]"):
                    file.write_bytes(FRONT + spaced(file.read_text()).encode() + BEHIND)
                said, strange = self.written()
                self.assertEqual(said, VERDICTS[shape])
                for patch, other in zip(patches, strange):
                    for path, content in patch.contents.items():
                        data = other.contents[path].data
                        self.assertTrue(data.startswith(FRONT) and data.endswith(BEHIND), path)
                        self.assertEqual(series.plain(data[len(FRONT):-len(BEHIND)]),
                                         series.plain(content.data))

    def test_a_vendors_zero_is_respected_and_told(self):
        template, told = "drivers/scsi/aic7xxx/aic7xxx_osm.c", "the vendor says 0 in its template"
        self.use("2.4.21-EL")
        self.edit(template, ".vary_io\t= 1,", ".vary_io\t= 0,")
        self.assertEqual(self.judged("42-varyio-aic7xxx"), (f"not needed: {told}", ""))
        self.use("2.4.18-14")
        headers = {"40-varyio-sym53c8xx": "sym53c8xx.h",
                   "41-varyio-sym53c8xx-2": "sym53c8xx_2/sym53c8xx.h",
                   "42-varyio-aic7xxx": "aic7xxx/aic7xxx_host.h"}
        for fix, header in headers.items():
            self.edit(f"drivers/scsi/{header}", "highmem_io: 1", "highmem_io: 1, can_do_varyio: 0")
            self.assertEqual(self.judged(fix), (f"not needed: {told}", ""))

    def test_no_driver_opts_in_without_the_state_fix(self):
        self.use("2.4.21-EL")
        self.edit("fs/iobuf.c", "bufp[i] = iobuf;", "*bufp++ = iobuf;")
        self.refused(1, "legacy/2.4/30-varyio-state/fs/iobuf.c.cocci:", "rule handed_out: matches "
                     "nothing in fs/iobuf.c", "; what a fix does may be there in other words:\n")
        self.use("2.4.22")
        self.edit("include/linux/iobuf.h", "initialized:1;", "initialized:1, can_vary:1;")
        self.refused(1, "parts of a vendor's vary-io are here")

    def test_one_miss_is_one_line(self):
        self.use("2.4.22")
        self.edit("drivers/scsi/scsi.c", "q->queuedata = (void *) SDpnt;", "q->queuedata = SDpnt;")
        err = self.refused(1, "legacy/2.4/20-varyio-core/message:", ": drivers/scsi/scsi.c read ")
        self.assertEqual(err.count("\n"), 2, err)

    def test_trees_of_one_version_have_folders_of_their_own(self):
        self.use("2.6.32")
        self.make()
        first = snapshot(self.out)
        self.tree = self.tree.rename(self.top / "another")
        self.make()
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         ["series-2.6.32-another", "series-2.6.32-tree"])
        shutil.copytree(self.tree, self.top / "elsewhere/tree")
        code, _, err = self.run_series(self.top / "elsewhere/tree")
        self.assertEqual(code, 2)
        self.assertIn(f"series-2.6.32-tree is taken: Patches for Linux 2.6.32 in {self.top}/tree: "
                      "name another folder with --out", err)
        self.assertEqual({name: data for name, data in snapshot(self.out).items()
                          if name.startswith("series-2.6.32-tree/")}, first)

    def test_vary_io_without_what_makes_it_work(self):
        """One statement of it is gone or another: told by its name, and no driver opts in."""
        core = next(at for f, at in series.known(ROOT).items() if f.name == "20-varyio-core")
        for shape in "2.4.18-14", "2.4.21-EL":
            self.use(shape)
            trees = self.tree, self.top / "none"
            words = series.words_of(core, trees)
            for line in series.holding(trees, core, "Has", words).lines:
                path, _, text = series.fill_in(words, line).partition(": ")
                # Without the flag in iobuf.h it is no vendor's any more.
                if path == "include/linux/iobuf.h":
                    continue
                with self.subTest(shape, line=line):
                    self.use(shape)
                    tokens = series.plain(text.encode()).split()
                    self.edit_by(path, r"\s*".join(map(re.escape, tokens)), "gone()")
                    faults = self.judged("20-varyio-core")[1]
                    self.assertIn("parts of a vendor's vary-io are here", faults)
                    self.assertIn(f"more of this fix is there, but not {path}: {text}", faults)
        for flag in ("can_do_varyio", "vary_io"):
            with self.subTest(flag):
                self.use("2.4.22")
                self.edit("drivers/scsi/hosts.h", "unsigned emulated:1;",
                          f"unsigned emulated:1;\n    unsigned {flag}:1;")
                self.assertIn("parts of a vendor's vary-io are here",
                              self.judged("20-varyio-core")[1])

    def test_fixes_in_other_words(self):
        core, there = "20-varyio-core", "already there: in the words of "
        self.use("2.4.18-14")           # the flag is the last one, or has no blank
        for old, new in (("initialized:1;", ""), ("dovary : 1,", "dovary : 1;"),
                         ("dovary : 1;", "dovary:1;")):
            self.edit("include/linux/iobuf.h", old, new)
        self.assertEqual(self.judged(core), ("already there: the vendor's (can_do_varyio)", ""))
        self.edit("drivers/char/raw.c", "raw_devices[minor].can_do_vary = 0;", "")  # January 2002
        self.assertIn("parts of a vendor's vary-io are here", self.judged(core)[1])
        self.use("2.6.7")
        for old, new in (("serial_cnt", "currnt_wnd_hit"), ("min(ra->average", "min(average")):
            self.edit("mm/readahead.c", old, new)
        self.assertRegex(self.judged("10-readahead-average")[0], there + "August 2004")
        self.use("2.6.6")
        submit = "\t\tif (dio->boundary)\n\t\t\tdio_bio_submit(dio);\n"
        self.edit_dio((submit, ""), ("nr_pages);\n\tdio->boundary = 0;", "nr_pages);"),
                      ("add_page(dio);\n", "add_page(dio);\n" + submit),
                      ("if (dio->boundary) {", "if (boundary) {\n\tdio->boundary = 1;"),
                      ("blocknr)\n{\n\tint ret = 0;\n", "blocknr)\n{\n\tint ret = 0;\n"
                       "\tint boundary = dio->boundary;\n\n\tdio->boundary = 0;\n"),
                      ("\t\tdio->boundary = buffer_boundary(map_bh);",
                       "if (dio->blocks_available == this_chunk_blocks)\n"
                       "dio->boundary = buffer_boundary(map_bh);\nelse dio->boundary = 0;"))
        self.assertRegex(self.judged("10-boundary")[0], there + "November 2006")
        self.use("2.6.6")
        self.edit_dio(("buffer_boundary(map_bh);\n",
                       "buffer_boundary(map_bh);\nclear_buffer_boundary(map_bh);\n"))
        self.assertIn("the mark is cleared after the first block", self.judged("10-boundary")[1])

    def hunks(self, patch, trees):
        """Lets the patch into the work tree; yields (path, data) with one of its hunks undone."""
        for path, content in patch.contents.items():
            old = series.newest(trees, path).read_text("latin-1").splitlines(keepends=True)
            new = content.data.decode("latin-1").splitlines(keepends=True)
            overlay.write_file(trees[1], path, content.data, False)
            for i1, i2, j1, j2 in overlay.changes(old, new):
                undone = "".join([*new[:j1], *old[i1:i2], *new[j2:]]).encode("latin-1")
                if series.plain(undone) != series.plain(content.data):      # no comment
                    yield path, undone

    def test_each_hunk_is_missed_and_no_rule_does_its_work_twice(self):
        """And every fix has a tree that takes it."""
        fixes = {folder.name: (folder, letter) for folder, letter in series.known(ROOT).items()}
        takes = set()
        for shape in VERDICTS:
            self.use(shape)
            trees = self.tree, self.top / shape
            for patch in self.written()[1]:
                folder, letter = fixes[Path(patch.letter.name).parent.name]
                words = series.words_of(letter, trees)
                undone = list(self.hunks(patch, trees))
                alone = len(undone) == 1                # then it is as if there were none
                self.assertIsNotNone(series.holding(trees, letter, "Has", words))
                for path, data in undone:
                    with self.subTest(shape, fix=folder.name, undone=data):
                        overlay.write_file(trees[1], path, data, False)
                        self.assertIsNone(series.holding(trees, letter, "Has", words))
                        said = "".join(map(str, series.missing(trees, letter, words)))
                        self.assertRegex(said, "^$" if alone else f"but not {path}(, not)?: ")
                    overlay.write_file(trees[1], path, patch.contents[path].data, False)
                if folder.name not in takes:
                    self.no_rule_fits(series.spoken(folder, words, self.top / shape), trees[1])
                takes.add(folder.name)
        self.assertEqual(set(fixes), takes)

    def no_rule_fits(self, folder, work):
        found = overlay.scan(folder)[0]
        for path, source in ((p, s) for p, s in found.items() if s.form == "edit"):
            text, now = (folder / source.name).read_text(), (work / path).read_text("latin-1")
            for rule in overlay.lint(source.name, text):
                lines = "\n".join(text.split("\n")[rule.line - 1:rule.last])
                with self.subTest(f"{folder.name}: {rule.name}"), \
                     tempfile.TemporaryDirectory() as scratch, self.assertRaises(overlay.Fault):
                    then = overlay.after_rules(source.name, lines, work / path, scratch)
                    overlay.judge(source.name, path, rule, now, then)


for shape in VERDICTS:
    setattr(Legacy, f"test_{shape.replace('.', '_')}", lambda self, shape=shape: self.whole(shape))
