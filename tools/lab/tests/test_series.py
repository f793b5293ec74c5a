# SPDX-License-Identifier: GPL-2.0
"""Tests of series.py: the patches for the bases of overlay.py, and the fixes for 2.4 and 2.6.

The old trees are made of legacy.trees, and of what the messages say of a tree that has a fix. Each
fix is tried on one of them: what it does, that it knows its own work again, that no rule does its
work twice, and that each hunk is missed if it is not there. All paths have a blank.
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
from overlay import git

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
    return {name for name, p in files_in(folder).items() if p.stat().st_mode & 0o100}


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
    # Of a file that is new the folder takes away what a later patch brings.
    ({"mm/n.c": "int n(int x)\n{\n\treturn x;\n}\n", "series/tree/15-n/message": "mm: n\n",
      "series/tree/15-n/mm/n.c.cocci": edit("zero", "x", "0"),
      "series/tree/25-n": letter("mm: n: more", "mm/n.c")},
     "fs-a-one-more mm-n mm-b-new mm-n-more mm-t-tests", ["+\treturn 0;\n", "-\treturn 0;\n"]),
    # The first rules of an edit; all of them where no later patch has more
    ({"fs/a.c.cocci": f"{PLUS}\n{TWICE}",
      "series/lists/05-first": letter("fs: a: first", "fs/a.c up to plus")},
     "fs-a-first fs-a-one-more mm-b-new mm-t-tests",
     ["-\treturn x;\n+\treturn x + 1;\n", "-\treturn x + 1;\n+\treturn 2 * x + 1;\n"]),
    # It adds and replaces patches, and one that has nothing there is left out.
    ({"base/6.1/omit": "# is there\nmm/b.c\n", "base/6.1/mm/c.c": "int c;\n",
      "base/6.1/series/lists/05-c": letter("mm: c", "mm/c.c"),
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
    ({"series/lists/40": letter("mm", "mm/none.c", "fs/a.c up to none")},
     "series/lists/40: fs/a.c up to none: no overlay has that\n"
     "series: series/lists/40: mm/none.c: no overlay has that\n"),
    ({"series/lists/10-a": "one\ntwo\n\nPaths:\n\tmm/b.c\n"},
     "a message is a subject, an empty line, and why"),
    ({"series/lists/10-a": "one\n\nPaths:\nmm/b.c\n"}, "10-a:4: below a section's"),
    ({"series/lists/10-a": letter(f"fs: {'x' * 75}", "fs/")}, "at most 75 characters a line: fs: x"),
    ({"base/6.1/series/tree/20-c": letter("mm", "mm/c.c"), "base/6.1/mm/c.c": ""},
     "base/6.1/series/tree/20-c: has the number of series/tree/20-b"),
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
                contents, _ = overlay.plan(self.root, whole, overlay.Tree(self.tree))
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

    def test_the_tree_is_the_overlay_in_the_end(self):
        for files, path in ((step("series/tree/50-step", UNDONE), "fs/a.c"),
                            ({"series/tree/50-step/message": "fs: more\n\nWhy.\n",
                              "series/tree/50-step/fs/more.c": "int more;\n"}, "fs/more.c")):
            self.again(**files)
            self.refused(1, f"{path}: is not what the overlay makes of it")
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
        for after, says in (("After:\n\ttwo\n", "two: there is no such topic of this base, or"),
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
        fill(self.root, {
            "series/topics/two": "x\n\nState: ready\n",
            "series/topics/three": "x\n\nState: x\nPatches:\n\t40-c\nAfter:\n\tfour\n",
            "series/topics/four-lines": "x\n\n" + 40 * "y\n" + "State: x\nPatches:\n\t05-first\n",
            "series/topics/stateless": "x\n\nPatches:\n\t05-first\n"})
        self.check_fails("series/lists/10-a: is in the topics []",
                         "series/lists/40-c: is in the topics ['c', 'three'], not in one",
                         "series/topics/three: After: there is no topic four",
                         "up to 8 patches and 40 lines; here are 1, and 42",
                         "series/topics/stateless: a topic has a State:")

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
                         "2.4.18-2.4.37, 2.6.5-2.6.8, 2.6.5-2.6.34, 7.3, 6.12, 6.1\n")
        self.assertEqual(self.run_series(self.tree, "--topic", "tree")[::2], (
            2, "series: --topic goes with Linux 7.3, 6.12, 6.1\n"))

    def test_what_will_not_do(self):
        commit(self.tree)
        for path, text, says in (
                ("fs/a.c", "int a;\n", "dirty tree: commit or drop what is changed, fs/a.c first"),
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
        self.refused(2, "a dirty tree: commit or drop what is changed, fs/a b.c first")
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
        self.refused(1, "fs/a.c: fs is a link, and no patch goes through one\n")
        self.version_is("2.6.19")
        self.root = ROOT
        fill(self.top, Legacy.PARTS["dio"])
        self.refused(1, "fs/direct-io.c: fs is a link, and no patch goes through one\n")

    def test_what_others_put_into_the_folder_stays(self):
        fill(self.out, {"series-6.1-tree/notes": "mine\n"})
        self.make()
        self.assertEqual((self.out / "series-6.1-tree/notes").read_text(), "mine\n")


# Old trees: {version and name: (parts of legacy.trees, the words that it has in other ways, its
# sections Has as (fix, remark), the fixes that it does not need)}. It takes all others.
FLAGS = ("30-varyio-state", "31-varyio-detach", "32-varyio-exit")
LINUX, QLA, OSM = "46-varyio-aic7xxx-linux", "45-varyio-qla2x00", "42-varyio-aic7xxx"
CORE, AVERAGE, CLEAR = "20-varyio-core", "10-readahead-average", "30-dio-clear"
IN_TEMPLATE = [(fix, "in its template") for fix in ("43-varyio-aic7xxx-old",
                                                    "44-varyio-qlogicisp", OSM)]
TREES = {
    "2.4.22": ("2.4 osm plain", (), (), (*FLAGS, QLA, LINUX)),
    "2.4.18": ("2.4 2.4.18 plain", [("q->queuedata", "SDpnt->request_queue.queuedata")], (),
               (*FLAGS, OSM, QLA)),
    "2.4.18-14": ("2.4 osm vendor", (),
                  [(CORE, "the vendor's (can_do_varyio)"), *IN_TEMPLATE[:2]], [LINUX]),
    "2.4.21-EL": ("2.4 osm vendor", (), [(CORE, "the vendor's (vary_io)"), ("32-varyio-exit", ""),
                                         *IN_TEMPLATE[::2]], [LINUX]),
    "2.6.6": ("average restart dio", (), (), [CLEAR]),
    "2.6.7": ("restart dio", (), [(AVERAGE, "in the words of 2.6.7")], [CLEAR]),
    "2.6.32": ("dio", [("kmalloc", "kzalloc"), ("\tdio->blocks_available = 0;\n", "")], (), ()),
    "2.6.32-279": ("dio", [("\t\tif (dio->boundary)\n\t\t\tdio_bio_submit",
                            "\t\telse if (dio->boundary)\n\t\t\tdio_bio_submit")], (), [CLEAR]),
    "2.6.32-642": ("dio", [     # submission has a struct of its own
        ("\tstruct page *pages[DIO_PAGES];\t/* of user memory */\n", ""), ("dio->", "sdio->"),
        ("dio_bio_submit(dio)", "dio_bio_submit(dio, sdio)"),
        ("dio_send_cur_page(dio)", "dio_send_cur_page(dio, sdio, map_bh)")],
        [("20-dio-layout", ""), (CLEAR, "")], ()),
}
# What a fix leaves as it was, or where it goes, beyond what its message says below Has.
KEPT = {
    "2.4.18-14": [(path, "return 0; tpnt->can_do_varyio = 1;") for path in
                  ("drivers/scsi/sym53c8xx.c", "drivers/scsi/sym53c8xx_2/sym_glue.c")],
    "2.6.32": [("fs/direct-io.c", "dio = kmalloc(sizeof(*dio), GFP_KERNEL); retval = -ENOMEM; "
                "if (!dio) goto out; memset(dio, 0, offsetof(struct dio, pages));")],
    "2.6.32-642": [("fs/direct-io.c", one) for one in (
        "if (sdio->bio) dio_bio_submit(dio, sdio); } return ret;", "start, nr_pages); return ret;",
        "sdio->bio = NULL; }", "sdio->cur_page_block) dio_bio_submit(dio, sdio); }")],
}
# What is in front of and behind the lines of a file of a vendor's: no patch may change that.
FRONT = b"/* caf\xe9 \t \x0c\n\r of another\r system  */\n"
BEHIND = b"\n\n\n/* \x85 */  \n\t\n#define NO_NEWLINE"


def parts():
    """{part of an old tree: {path: text}}"""
    found = {}
    text = (Path(__file__).resolve().parent / "legacy.trees").read_text()
    for head, _, body in (part.partition("\n") for part in text.split("\n==> ")[1:]):
        for part, path in (one.split(":") for one in head.split()):
            found.setdefault(part, {})[path] = body
    return found


def spaced(text):
    """The same code with other white space."""
    return "\n".join(line if line.startswith(("#", " *", "\t *")) else
                     re.sub(r" ([=<+-]|&&|\|\|) ", "  \\1\t", line).replace("if (", "if  ( ")
                     for line in text.split("\n"))


class Legacy(Case):
    """The trees are in memory but where said otherwise."""

    PARTS = parts()

    def setUp(self):
        super().setUp()
        self.root = ROOT
        self.fixes = {Path(folder).name: at for folder, at in series.known(ROOT).items()}

    def memory(self, contents=()):
        tree = overlay.Tree(self.top / "none")
        tree.update(contents)
        return tree

    def add(self, tree, path, text):
        old = tree[path] or overlay.Content(b"")
        tree[path] = overlay.Content(old.data + text.encode())

    def has(self, tree, fix, remark, but=None):
        """Every text of a section Has but one, as a macro, so that it is in no function's way"""
        section = next(s for s in self.fixes[fix].all("Has") if s.remark == remark)
        words = series.words_of(tree, self.fixes[fix])
        gone = (but or "").partition(": ")[2] or "none"
        for line in section.lines:
            path, _, text = series.fill_in(words, line).partition(": ")
            if not path.endswith(", not"):
                self.add(tree, path, f"#define HAS {text.replace(gone, 'gone()')}\n")

    def tree_of(self, name, but=None):
        tree = self.memory()
        names, otherwise, has, _ = TREES[name]
        for part in names.split():
            for path, text in self.PARTS[part].items():
                for old, new in otherwise:
                    text = text.replace(old, new)
                self.add(tree, path, text)
        for fix, remark in has:
            self.has(tree, fix, remark, but)
        return tree

    def patches_of(self, tree, version):
        """({fix: verdict}, its patches); the tree is then as they made it"""
        said, patches, faults = series.legacy_patches(ROOT, tree, version.partition("-")[0])
        self.assertEqual([*map(str, faults)], [])
        return {fix.partition("/")[2]: verdict.partition(":")[0] for fix, verdict in said}, patches

    def judged(self, fix, tree):
        """(verdict, the faults as one text) of one fix"""
        verdict, _, faults = series.legacy_fix(ROOT, self.fixes[fix], tree)
        return verdict, "\n".join(map(str, faults))

    def test_each_tree(self):
        """What it gets, and that it then has all; with other white space, nothing but the hunks is
        another; each hunk is missed, no rule does its work twice. Every fix has a tree."""
        takers = set()
        for name, (_, _, has, not_needed) in TREES.items():
            with self.subTest(name):
                tree = self.tree_of(name)
                old = self.memory(tree)
                strange = self.memory({path: overlay.Content(
                    FRONT + spaced(content.data.decode()).encode() + BEHIND)
                    for path, content in old.items()})
                said, patches = self.patches_of(tree, name)
                takers |= {fix for fix, verdict in said.items() if verdict == "written"}
                self.assertEqual(said, {fix: "already there" if fix in dict(has) else
                                        "not needed" if fix in not_needed else "written"
                                        for fix in said})
                for path, text in KEPT.get(name, ()):
                    self.assertIn(series.plain(text.encode()), series.plain(tree[path].data))
                self.assertEqual(self.patches_of(tree, name)[1], [])
                self.assertEqual(self.patches_of(strange, name)[0], said)
                for path, content in tree.items():
                    self.assertNotRegex(content.data, b"belongs to what goes|This one too")
                    front, _, rest = strange[path].data.partition(FRONT)
                    code, behind, added = rest.partition(BEHIND)
                    self.assertEqual((front, behind), (b"", BEHIND), path)
                    self.assertEqual(series.plain(code + added), series.plain(content.data))
                for patch in patches:
                    self.each_hunk(patch, old)
                    old.update(patch.contents)
                    self.no_rule_fits(patch, old)
        self.assertEqual(takers, {*self.fixes})

    def each_hunk(self, patch, tree):
        """One hunk of it is undone; and none is indented otherwise than what is around it."""
        new_tree = self.memory(tree | patch.contents)
        words = series.words_of(new_tree, patch.letter)
        for path, content in patch.contents.items():
            old, new = ((one.data.decode("latin-1") if one else "").splitlines(keepends=True)
                        for one in (tree[path], content))
            self.indented_alike(new, overlay.changes(old, new))
            for i1, i2, j1, j2 in overlay.changes(old, new):
                undone = "".join([*new[:j1], *old[i1:i2], *new[j2:]]).encode("latin-1")
                new_tree[path] = overlay.Content(undone)
                with self.subTest(patch.letter.name, undone=undone):
                    if series.plain(undone) != series.plain(content.data):      # no comment
                        self.assertIsNone(series.verdict_of(new_tree, patch.letter, words))
            new_tree[path] = content
        self.assertEqual(series.verdict_of(new_tree, patch.letter, words).title, "Has")

    def indented_alike(self, lines, hunks):
        """No code is indented by spaces between lines that are by tabs, or not at all."""
        for line in (line for _, _, j1, j2 in hunks for line in range(j1, j2)):
            if re.match(r" +[^ *]", lines[line]):
                around = {lines[line - 1][:1], lines[line + 1][:1]}
                self.assertFalse(around <= {"\t", "", "\n"}, lines[line])
            if re.match(r"\s.*;", lines[line - 1]):
                self.assertNotRegex(lines[line], r"^\w")

    def no_rule_fits(self, patch, tree):
        found, _ = overlay.scan(ROOT, series.folder_of(patch.letter))
        words = series.words_of(tree, patch.letter)
        for path, source in found.items():
            for rule in overlay.rules_of(ROOT, source.name) if source.form == "edit" else ():
                with self.subTest(patch.letter.name, rule=rule.name), \
                     self.assertRaises(overlay.Fault):
                    rule.text, data = series.fill_in(words, rule.text), tree[path].data
                    then = overlay.after_rules([rule], path, data)
                    overlay.judge(path, rule, data.decode("latin-1"), then)

    def test_every_section_that_a_tree_may_have(self):
        """It has the fix in these words, and not if one of them is gone: of a vendor's vary-io that
        is told by its name, and no driver opts in."""
        for fix, letter in self.fixes.items():
            for section in (one for one in letter.all("Has")
                            if re.match("the vendor's|in the words", one.remark)):
                for but in (None, *(line for line in section.lines if ", not: " not in line)):
                    tree = self.memory()
                    self.has(tree, fix, section.remark, but)
                    verdict, said = self.judged(fix, tree)
                    with self.subTest(fix, section=section.remark, but=but):
                        self.assertEqual(verdict == f"already there: {section.remark}", not but)
                        # Without its flag in iobuf.h it is no vendor's any more.
                        if but and fix == CORE and not but.startswith("include/linux/iobuf.h"):
                            self.assertIn("parts of a vendor's vary-io are here", said)
                            self.assertIn(f"more of this fix is there, but not {but}", said)

    def test_what_else_is_looked_at(self):
        """A vendor's zero is respected, and what stands in the way of a fix is told."""
        zero = "not needed: the vendor says 0 in its template"
        stop = "parts of a vendor's vary-io are here"
        for name, fix, path, text, says in (
                ("2.4.18-14", "40-varyio-sym53c8xx", "drivers/scsi/sym53c8xx.h",
                 "can_do_varyio: 0", zero),
                ("2.4.18-14", OSM, "drivers/scsi/aic7xxx/aic7xxx_osm.c", ".can_do_varyio= 0", zero),
                ("2.4.22", CORE, "drivers/scsi/hosts.h", "unsigned can_do_varyio:1;", stop),
                ("2.4.22", CORE, "drivers/scsi/hosts.h", "unsigned vary_io:1;", stop),
                ("2.4.22", CORE, "include/linux/iobuf.h", "can_vary:1;", stop),
                ("2.6.6", "10-boundary", "fs/direct-io.c", "clear_buffer_boundary(map_bh);",
                 "the mark is cleared after the first block")):
            with self.subTest(fix, text=text):
                tree = self.tree_of(name)
                self.add(tree, path, f"#define HAS {text}\n")
                self.assertIn(says, "".join(self.judged(fix, tree)))

    def on_disk(self, tree, version):
        shutil.rmtree(self.tree)
        for path, content in tree.items():
            overlay.write(self.tree, path, content)
        self.version_is(version)

    def test_what_is_written_on_the_first_and_the_last_version(self):
        """git am and patch do it, and then nothing is left to do."""
        for name, version in (("2.4.22", "2.4.18"), ("2.4.22", "2.4.37"), ("2.6.6", "2.6.5"),
                              ("2.6.32", "2.6.34")):
            with self.subTest(version):
                shutil.rmtree(self.out, ignore_errors=True)
                tree = self.tree_of(name)
                self.on_disk(tree, version)
                self.assertRegex(self.make(), r"(?m)^  2.[46]\S*/1\S+ +written$")
                self.am_and_patch()
                written = snapshot(self.out)
                self.assertIn("nothing is left to do", self.make())
                self.assertEqual(snapshot(self.out), written)
                shutil.rmtree(self.tree / ".git")
                self.patches_of(tree, version)
                self.assertEqual({path: content.data for path, content in tree.items()},
                                 {path: data for path, data in snapshot(self.tree).items()
                                  if path in tree})

    def test_a_miss_is_one_line_and_nothing_is_written(self):
        for name, path, old, new, *says in (
                ("2.4.22", "drivers/scsi/scsi.c", b"(void *) SDpnt", b"SDpnt",
                 "legacy/2.4.18-2.4.37/20-varyio-core/message:", ": drivers/scsi/scsi.c reads "),
                ("2.4.21-EL", "fs/iobuf.c", b"bufp[i] = iobuf;", b"*bufp++ = iobuf;",
                 "/30-varyio-state/fs/iobuf.c.cocci:4: rule handed_out: matches nothing in fs/",
                 "; what a fix does may be there in other words:\n")):
            tree = self.tree_of(name)
            tree[path] = overlay.Content(tree[path].data.replace(old, new))
            self.on_disk(tree, "2.4.22")
            self.assertEqual(self.refused(1, *says).count("\n"), 2)

    def test_a_folder_is_of_one_tree(self):
        for top in (self.top, self.top / "elsewhere"):
            self.tree = top / "tree"
            self.tree.mkdir(parents=True, exist_ok=True)
            self.on_disk(self.tree_of("2.6.32"), "2.6.32")
            code, _, said = self.run_series(self.tree)
        self.assertEqual(code, 2)
        self.assertIn(f"series-2.6.32-tree is taken: Patches for Linux 2.6.32 in {self.top}/tree: "
                      "name another folder with --out", said)
