# SPDX-License-Identifier: GPL-2.0
"""Tests of series.py: the patches for 6.1, and the fixes for 2.4 and 2.6.

The old trees in legacy/ beside this file are no kernel code: they have the shape that the rules
look for and no more; a folder common-* or vendor-* holds what several of them have alike. Each fix
is tried on one of them: what it does, that it knows its own work again, and that each of its rules
is missed if a tree has one half of it already.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

LAB = Path(__file__).resolve().parents[1]
ROOT = LAB.parents[1]
TREES = Path(__file__).resolve().parent / "legacy"
sys.path.insert(0, str(LAB))
import overlay  # noqa: E402 (the path comes first)
import series  # noqa: E402

needs_spatch = unittest.skipUnless(shutil.which("spatch"), "spatch (package coccinelle) not found")
needs_git = unittest.skipUnless(shutil.which("git"), "git not found")

BASE = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\nEXTRAVERSION =\n",
    "fs/a.c": "int a(int x)\n{\n\treturn x;\n}\n",
    "fs/Kconfig": "config A\n\tbool\n",
}

OVERLAY = {
    "Makefile": "",
    "fs/a.c.cocci": "@plus@\nsymbol x;\n@@\n\n-return x;\n+return x + 1;\n",
    "fs/Kconfig.add": "config B\n\tbool\n",
    "mm/b.c": "int b;\n",
    "mm/t/one.sh": "#!/bin/sh\n",
    "mm/t/two": "2\n",
    "Documentation/here.txt": "of this repository\n",
    "series/cover": "# comment\nThree things\n\nWhy.\n\n{results}\n\n"
                    "Left out:\n\tDocumentation/here.txt\tabout this repository\n"
                    "Checkpatch:\n\tTALK mm/*.c it may\n",
    "series/10-a": "# comment\nfs: a: one more\n\nIt was too few.\n\nPaths:\n\tfs/Kconfig\n\tfs/a.c\n",
    "series/20-b": "mm: b: new\n\nIt was missing.\n\nPaths:\n\tmm/b.c\n",
    "series/30-t": "mm: t: tests\n\nSo that it shows.\n\nPaths:\n\tmm/t/\n",
}


def fill(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def git(tree, *args):
    return subprocess.run(["git", "-C", tree, *args], check=True, capture_output=True,
                          text=True).stdout


def commit(tree):
    git(tree, "init", "--quiet")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message=tree")


def snapshot(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and ".git" not in p.relative_to(folder).parts}


class Case(unittest.TestCase):
    """A tree, an overlay, and somebody who signs off."""

    def setUp(self):
        self.top = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tree, self.root, self.out = (self.top / n for n in ("tree", "root", "out"))
        fill(self.top, {"gitconfig": "[user]\n\tname = Some One\n\temail = one@example.org\n"})
        self.enterContext(mock.patch.dict(os.environ, {
            "GIT_CONFIG_GLOBAL": str(self.top / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}))
        fill(self.tree, BASE)
        fill(self.root, OVERLAY)

    def run_series(self, *args):
        """(exit code, stdout, stderr)"""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = series.main([*map(str, args), "--overlay", str(self.root), "--out",
                                str(self.out)])
        return code, out.getvalue(), err.getvalue()

    def make(self):
        code, out, err = self.run_series(self.tree)
        self.assertEqual(code, 0, err)
        return out

    def patches(self):
        return sorted(self.out.glob("series-*/*.patch"))

    def am_and_patch(self):
        """git am and patch -p1 of what was made: they end in the same tree."""
        commit(self.tree)
        shutil.copytree(self.tree, self.top / "other")
        git(self.tree, "am", "--quiet", *self.patches())
        for patch in self.patches():
            subprocess.run(["patch", "-s", "-p1", "-d", self.top / "other", "-i", patch],
                           check=True)
        self.assertEqual(snapshot(self.tree), snapshot(self.top / "other"))

    def refused(self, code, *says):
        before = snapshot(self.tree)
        got, _, err = self.run_series(self.tree)
        self.assertEqual(got, code, err)
        for one in says:
            self.assertIn(one, err)
        self.assertEqual(snapshot(self.tree), before)
        self.assertFalse(list(self.out.glob("series-*")))

    def check_fails(self, *says):
        code, _, err = self.run_series("--check")
        self.assertEqual(code, 1)
        for one in says:
            self.assertIn(one, err)


@needs_git
@needs_spatch
class Modern(Case):
    def test_am_and_patch_make_the_overlay(self):
        self.make()
        self.assertEqual([p.name for p in self.patches()],
                         ["0001-fs-a-one-more.patch", "0002-mm-b-new.patch",
                          "0003-mm-t-tests.patch"])
        self.am_and_patch()
        self.assertEqual(sorted(set(snapshot(self.tree)) - set(BASE)),
                         ["mm/b.c", "mm/t/one.sh", "mm/t/two"])
        self.assertIn("return x + 1;", (self.tree / "fs/a.c").read_text())
        self.assertIn("config A\n\tbool\nconfig B\n", (self.tree / "fs/Kconfig").read_text())

    def test_message_and_sign_off(self):
        self.make()
        text = self.patches()[0].read_text()
        self.assertIn("From: Some One <one@example.org>\n", text)
        self.assertIn("Subject: [PATCH 1/3] fs: a: one more\n\nIt was too few.\n\n"
                      "Signed-off-by: Some One <one@example.org>\n---\n", text)

    def test_second_run_writes_nothing_and_says_so(self):
        self.make()
        first = {p: p.stat().st_mtime_ns for p in self.out.rglob("*")}
        self.assertIn("nothing changed", self.make())
        self.assertEqual({p: p.stat().st_mtime_ns for p in self.out.rglob("*")}, first)

    def test_a_patch_that_went_leaves_no_file(self):
        self.make()
        (self.root / "series/30-t").unlink()
        shutil.rmtree(self.root / "mm/t")
        self.make()
        self.assertEqual(len(self.patches()), 2)

    def test_cover_has_the_tables(self):
        fill(self.out, {"results.json": json.dumps([
            {"report": "field-1", "case": "direct", "metric": "insn", "unit": "insn",
             "stock": 200, "patched": 100, "ratio": 0.5, "command": "x"}])})
        self.make()
        cover = (self.out / "series-6.1/0000-cover-letter.txt").read_text()
        self.assertIn("Subject: [PATCH 0/3] Three things\n\nWhy.\n", cover)
        self.assertRegex(cover, r"field-1 +direct +insn +insn +200.00 +100.00 +0.500")
        self.assertNotIn("Left out", cover)

    def test_cover_without_results_says_so(self):
        self.assertIn("make bench", self.run_series(self.tree)[2])

    def test_checkpatch_has_a_say(self):
        script = """\
print "mm/b.c:1: WARNING:TALK: too much\\n" if $ARGV[-1] =~ /0002/;
print "fs/a.c:1: WARNING:TALK: too much\\n" if $ARGV[-1] =~ /0001/ and -e "%s";
print "total: 0 errors\\n";
""" % (self.top / "strict")
        fill(self.tree, {"scripts/checkpatch.pl": script})
        self.make()
        shutil.rmtree(self.out)
        fill(self.top, {"strict": ""})
        self.refused(1, "0001-fs-a-one-more.patch: checkpatch: fs/a.c:1: WARNING:TALK: too much")

    def test_checkpatch_of_another_age(self):
        fill(self.tree, {"scripts/checkpatch.pl": "die 'perl is too new';\n"})
        self.assertIn("does not run here: ['perl is too new", self.run_series(self.tree)[2])

    def test_path_in_no_patch(self):
        fill(self.root, {"mm/c.c": "int c;\n"})
        self.check_fails("mm/c.c: no file of series/ carries it")
        self.refused(1, "mm/c.c: no file of series/ carries it")

    def test_path_in_two(self):
        fill(self.root, {"series/40": "mm: all\n\nWhy.\n\nPaths:\n\tmm/\n"})
        self.check_fails("mm/b.c: is carried by series/20-b and series/40",
                         "mm/t/two: is carried by series/30-t and series/40")

    def test_line_for_nothing(self):
        fill(self.root, {"series/40": "mm: none\n\nWhy.\n\nPaths:\n\tmm/none.c\n"})
        self.check_fails("series/40: mm/none.c: the overlay has no such path")

    def test_messages(self):
        for text, says in (("one\ntwo\n\nPaths:\n\tmm/b.c\n", "a subject, an empty line, and why"),
                           ("one\n\nPaths:\nmm/b.c\n", ":4: below a section's heading"),
                           ("one\n\nWhy.\n", "carries no path")):
            fill(self.root, {"series/20-b": text})
            self.check_fails("series/20-b" + says if says[0] == ":" else says)

    def test_this_repository(self):
        self.root = ROOT
        code, out, err = self.run_series("--check")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"^series: \d+ patches carry \d+ paths; \d+ fixes for older trees\n$")


@needs_git
@needs_spatch
class Trees(Case):
    def test_unknown(self):
        for version in ("2.5.75", "2.6.33", "5.10.1"):
            numbers = zip(("VERSION", "PATCHLEVEL", "SUBLEVEL"), version.split("."))
            fill(self.tree, {"Makefile": "".join(f"{k} = {v}\n" for k, v in numbers)})
            self.root = ROOT
            self.refused(2, f"nothing is known of Linux {version}; there are fixes for "
                         "2.4.18 to 2.4.22, 2.6.6 to 2.6.8, 2.6.8 to 2.6.32, 6.1\n")

    def test_no_kernel(self):
        fill(self.tree, {"Makefile": "all:\n"})
        self.refused(2, "not a kernel tree: no VERSION in its Makefile")
        (self.tree / "Makefile").unlink()
        self.refused(2, "not a kernel tree: no Makefile")
        self.tree = self.tree / "gone"
        self.refused(2, "not a directory")

    def test_dirty(self):
        commit(self.tree)
        fill(self.tree, {"fs/a.c": "int a;\n"})
        self.refused(2, "a dirty tree: 1 changed files, fs/a.c first")

    def test_leftovers_of_a_patch(self):
        fill(self.tree, {"fs/a.c.rej": ""})
        self.refused(2, "a dirty tree: fs/a.c.rej is there")

    def test_overlay_applied(self):
        fill(self.tree, {".overlay": ""})
        self.refused(2, "an overlay was applied to it")

    def test_no_spatch(self):
        with mock.patch.object(overlay.shutil, "which", lambda p: p != "spatch"):
            self.refused(2, "spatch not found: install the package coccinelle")

    def test_nobody_signs_off(self):
        fill(self.top, {"gitconfig": ""})
        self.refused(2, "set git config user.name and user.email")

    def test_read_only(self):
        access = os.access
        with mock.patch.object(series.os, "access",
                               lambda path, *how: path != self.tree and access(path, *how)):
            self.assertIn("is read-only: apply them to a copy of it", self.make())

    def test_output_cannot_be_written(self):
        fill(self.out, {"series-6.1": ""})
        code, _, err = self.run_series(self.tree)
        self.assertEqual((code, err.count("\n")), (2, 2), err)      # and that results are missing

    def test_usage(self):
        for args in ((), (self.tree, "--check"), (self.tree, self.tree)):
            self.assertEqual(self.run_series(*args)[0], 2)


# An old tree: what lies below, its own folder over that, and the words that it has otherwise.
BELOW = {
    "2.4.18-14": ("common-2.4", "vendor-2.4"),
    "2.4.21-EL": ("common-2.4", "vendor-2.4"),
    "2.4.22": ("common-2.4",),
    "2.6.6": ("common-2.6-early",),
    "2.6.7": ("common-2.6-early",),
    "2.6.32": ("2.6.19",),
}
OTHERWISE = {
    "2.4.21-EL": [(path, "can_do_varyio", "vary_io")
                  for path in ("drivers/scsi/hosts.h", "drivers/scsi/aic7xxx_old/aic7xxx.h")],
    "2.6.32": [("fs/direct-io.c", "dio = kmalloc(", "dio = kzalloc("),
               ("fs/direct-io.c", "\tdio->blocks_available = 0;\n\tdio->cur_page = NULL;\n\n"
                                  "\tdio->boundary = 0;\n\tdio->result = 0;\n", "")],
}

WRITTEN, THERE, NOT = "written", "already there", "not needed"
FIXES_2_4 = ("10-scsi-partial-end", "20-varyio-core", "30-varyio-state", "40-varyio-sym53c8xx",
             "41-varyio-sym53c8xx-2", "42-varyio-aic7xxx", "43-varyio-aic7xxx-old",
             "44-varyio-qlogicisp", "45-varyio-qla2x00")
VERDICTS = {
    "2.4.22": dict(zip(FIXES_2_4, (WRITTEN, WRITTEN, NOT, *5 * (WRITTEN,), NOT))),
    "2.4.18-14": dict(zip(FIXES_2_4, (WRITTEN, THERE, WRITTEN, *3 * (WRITTEN,), THERE, THERE,
                                      WRITTEN))),
    "2.4.21-EL": dict(zip(FIXES_2_4, (WRITTEN, THERE, NOT, *3 * (WRITTEN,), THERE, WRITTEN,
                                      WRITTEN))),
    "2.6.6": {"10-readahead-average": WRITTEN, "20-readahead-restart": WRITTEN},
    "2.6.7": {"10-readahead-average": THERE, "20-readahead-restart": WRITTEN},
    "2.6.19": {"10-boundary": WRITTEN, "20-dio-layout": WRITTEN, "30-dio-clear": NOT},
    "2.6.32": {"10-boundary": WRITTEN, "20-dio-layout": WRITTEN, "30-dio-clear": WRITTEN},
}
# What must be in the files of a tree after its series, and what must not.
EFFECTS = {
    "2.4.22": {
        "drivers/scsi/scsi_lib.c": ("if (uptodate && nsect > sectors) break;",
                                    "while (sectors > 0 && bh);"),
        "drivers/scsi/sd.c": ("!b_size",),
        "drivers/scsi/hosts.h": ("unsigned can_do_varyio:1;",),
        "drivers/scsi/scsi.c": ("q->vary_io = SHpnt->hostt->can_do_varyio;",),
        "drivers/block/ll_rw_blk.c": ("q->vary_io = 0;",),
        "fs/buffer.c": ("tmp = bh[i]; iosize += tmp->b_size;", "blocknr = b[bufind]; iosize = size;",
                        "tmp->b_size = iosize;", "tmp->b_blocknr = blocknr / (iosize / size);",
                        "bufind += iosize / size; length -= iosize; offset += iosize;",
                        "!b[bufind++]"),
        "drivers/scsi/qlogicisp.c": ("tmpt->can_do_varyio = 1;",),
        "drivers/scsi/aic7xxx_old.c": ("template->can_do_varyio = 1;",),
    },
    "2.4.18-14": {
        "fs/iobuf.c": ("iobuf->locked = 0; iobuf->dovary = 0;", "iobuf->dovary = 0; bufp[i] = iobuf;"),
        "drivers/scsi/sym53c8xx.c": ("return 0; tpnt->can_do_varyio = 1;",),
        "drivers/scsi/sym53c8xx_2/sym_glue.c": ("return 0; tpnt->can_do_varyio = 1;",),
        "drivers/scsi/aic7xxx/aic7xxx_osm.c": ("template->can_do_varyio = 1;",),
        "drivers/addon/qla2200/qla2x00.c": ("template->can_do_varyio = 1;",),
        "drivers/scsi/qlogicisp.c": ("!can_do_varyio",),
    },
    "2.4.21-EL": {
        "drivers/scsi/sym53c8xx.c": ("tpnt->vary_io = 1;",),
        "drivers/addon/qla2200/qla2x00.c": ("template->vary_io = 1;",),
    },
    "2.6.6": {
        "mm/readahead.c": ("if (ra->average < ra->serial_cnt) ra->average++; ra->average =",
                           "ra->next_size = min(ra->average, (unsigned long)max);",
                           "if (average > max) {", "ra->ahead_size = 0; ra->average = max / 2;",
                           "!preoffset", "!>= max) ||", "!unsigned long preoffset"),
    },
    "2.6.7": {"mm/readahead.c": ("ra->ahead_size = 0; ra->average = max / 2;",)},
    "2.6.19": {
        "fs/direct-io.c": ("if (dio->blocks_available == this_chunk_blocks) dio->boundary = buffer",
                           "if (ret == 0 && dio->boundary) { dio->boundary = 0; ret = dio_send_cur",
                           "struct page *pages[DIO_PAGES]; };", "!if (dio->boundary)",
                           "!dio->bio = NULL; dio->boundary", "!nr_pages); dio->boundary",
                           "dio = kmalloc(sizeof(*dio), GFP_KERNEL);", "!memset"),
    },
    "2.6.32": {
        "fs/direct-io.c": ("dio = kmalloc(sizeof(*dio), GFP_KERNEL); retval = -ENOMEM; "
                           "if (!dio) goto out; memset(dio, 0, offsetof(struct dio, pages));",
                           "!kzalloc"),
    },
}


def spaced(text):
    """The same code with other white space."""
    return "\n".join(line if line.startswith(("#", " *", "\t *")) or line.endswith("\\") else
                     re.sub(r" ([=<+-]|&&|\|\|) ", "  \\1\t", line).replace("if (", "if  ( ")
                     for line in text.split("\n"))


@needs_git
@needs_spatch
class Legacy(Case):
    def setUp(self):
        super().setUp()
        self.root = ROOT

    def use(self, shape):
        """Lays the tree down; NAME.add is appended to NAME, as in an overlay."""
        shutil.rmtree(self.tree)
        for folder in (*BELOW.get(shape, ()), shape):
            shutil.copytree(TREES / folder, self.tree, dirs_exist_ok=True)
        for more in list(self.tree.rglob("*.add")):
            with open(more.with_suffix(""), "a") as file:
                file.write(more.read_text())
            more.unlink()
        for path, old, new in OTHERWISE.get(shape, ()):
            self.edit(path, old, new)

    def edit(self, path, old, new):
        text = (self.tree / path).read_text()
        self.assertIn(old, text)
        (self.tree / path).write_text(text.replace(old, new))

    def verdicts(self, out):
        found = re.findall(r"^  \S+?/(\S+) +(written|already there|not needed)", out, re.M)
        return dict(found)

    def apply_and_again(self):
        """git am, patch -p1 and a second run, which finds nothing to do."""
        self.am_and_patch()
        written = snapshot(self.out)
        out = self.make()
        self.assertNotIn(WRITTEN, self.verdicts(out).values())
        self.assertIn("nothing is left to do", out)
        self.assertEqual(snapshot(self.out), written)

    def effects(self, shape):
        for path, wanted in EFFECTS[shape].items():
            text = series.plain((self.tree / path).read_bytes())
            for one in wanted:
                there = series.plain(one.removeprefix("!").encode()) in text
                self.assertEqual(there, one[0] != "!", f"{path}: {one}")
            self.assertNotIn("belongs to what goes", (self.tree / path).read_text())
            self.assertNotIn("This one too", (self.tree / path).read_text())

    def whole(self, shape):
        self.use(shape)
        self.assertEqual(self.verdicts(self.make()), VERDICTS[shape])
        self.apply_and_again()
        self.effects(shape)

    def test_2_4_22(self):
        self.whole("2.4.22")

    def test_2_4_18_vendor(self):
        self.whole("2.4.18-14")

    def test_2_4_21_vendor(self):
        self.whole("2.4.21-EL")

    def test_2_6_6(self):
        self.whole("2.6.6")

    def test_2_6_7(self):
        self.whole("2.6.7")

    def test_2_6_19(self):
        self.whole("2.6.19")

    def test_2_6_32(self):
        self.whole("2.6.32")

    def test_vendor_with_kzalloc_and_fields_of_its_own(self):
        self.use("2.6.19")
        self.edit("Makefile", "SUBLEVEL = 19", "SUBLEVEL = 9")
        self.edit("fs/direct-io.c", "dio = kmalloc(", "dio = kzalloc(")
        self.edit("fs/direct-io.c", "	ssize_t result;", "	void *vendor;\n	ssize_t result;")
        self.edit("fs/direct-io.c", "	int total_pages;", "	u64 stamp;\n	int total_pages;")
        self.assertEqual(self.verdicts(self.make()),
                         {"10-boundary": WRITTEN, "20-dio-layout": WRITTEN,
                          "30-dio-clear": WRITTEN})
        self.apply_and_again()

    def test_other_spacing(self):
        for shape in ("2.4.18-14", "2.6.6", "2.6.32"):
            with self.subTest(shape):
                self.use(shape)
                for file in self.tree.rglob("*.[ch]"):
                    file.write_text(spaced(file.read_text()))
                self.assertEqual(self.verdicts(self.make()), VERDICTS[shape])

    def test_macro_initialiser(self):
        self.use("2.4.22")
        commit(self.tree)
        self.make()
        git(self.tree, "am", "--quiet", *self.patches())
        git(self.tree, "rm", "--quiet", "-r", "drivers/scsi/qlogicisp.c")
        shutil.copy(TREES / "common-2.4/drivers/scsi/qlogicisp.c", self.tree / "drivers/scsi")
        shutil.copy(TREES / "2.4.18-14/drivers/scsi/qlogicisp.h", self.tree / "drivers/scsi")
        shutil.rmtree(self.tree / ".git")
        self.assertEqual(self.verdicts(self.make())["44-varyio-qlogicisp"], THERE)

    def test_half_a_vendor(self):
        self.use("2.4.18-14")
        self.edit("drivers/scsi/hosts.h", "unsigned can_do_varyio:1;", "")
        self.refused(1, "legacy/2.4/20-varyio-core/message:", "a flag that no driver sets")
        self.use("2.4.22")
        self.edit("drivers/scsi/hosts.h", "unsigned emulated:1;",
                  "unsigned emulated:1;\n    unsigned can_do_varyio:1;")
        self.refused(1, "legacy/2.4/20-varyio-core/message:", "brw_kiovec() does not know of it")

    def test_every_fix_has_a_tree_that_takes_it(self):
        takes = {fix for fixes in VERDICTS.values() for fix, verdict in fixes.items()
                 if verdict == WRITTEN}
        self.assertEqual({folder.name for folder in series.known(ROOT)}, takes)

    def half(self, name, lines):
        """The tree, and a work tree where these lines of a semantic patch were applied before."""
        trees = self.tree, self.top / "work"
        shutil.rmtree(trees[1], ignore_errors=True)
        path = name.removesuffix(".cocci")
        (trees[1] / path).parent.mkdir(parents=True)
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        flag = re.sub(r"\bFLAG\b", "can_do_varyio", "\n".join(lines))
        then = overlay.after_rules(name, flag, self.tree / path, str(scratch))
        if then == (self.tree / path).read_text(encoding="latin-1"):
            return None                     # it builds on another rule
        (trees[1] / path).write_text(then, encoding="latin-1")
        return trees

    def refused_half(self, folder, letter, name, rule, lines):
        trees = self.half(name, lines)
        if not trees:
            return 0
        with tempfile.TemporaryDirectory() as scratch:
            verdict, patch, faults = series.legacy_fix(ROOT, folder, letter, trees, Path(scratch))
        self.assertEqual((verdict, patch), ("", None))
        self.assertRegex(str(faults[0]),
                         rf"^legacy/[^/]+/{folder.name}/(message:\d+|{name}:\d+: rule \w+): ")
        return 1

    def test_half_a_fix_is_refused(self):
        """One rule, or all but one, finds its work done by another hand; the rest does not."""
        tried = 0
        for folder, letter in series.known(ROOT).items():
            self.use(next(s for s in VERDICTS if VERDICTS[s].get(folder.name) == WRITTEN))
            files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.cocci"))
            for name in files:
                text = (folder / name).read_text().split("\n")
                rules = overlay.lint(name, "\n".join(text))
                for rule in rules if len(rules) + len(files) > 2 else []:
                    with self.subTest(f"{folder.name}/{name}: {rule.name}"):
                        tried += self.refused_half(folder, letter, name, rule,
                                                   text[rule.line - 1:rule.last])
                    if len(rules) == 1:
                        continue
                    with self.subTest(f"{folder.name}/{name}: all but {rule.name}"):
                        trees = self.half(name, text[:rule.line - 1] + text[rule.last:])
                        self.assertFalse(trees and series.holding(trees, letter, "Has"))
        self.assertGreater(tried, 15)

    def test_a_rule_that_fits_nowhere_is_named(self):
        self.use("2.6.19")
        self.edit("fs/direct-io.c", "submit_bio(dio->rw, bio);", "generic_make_request(bio);")
        self.refused(1, "is refused, nothing was written",
                     "legacy/2.6-late/10-boundary/fs/direct-io.c.cocci:",
                     ": rule keep_at_submit: matches nothing in fs/direct-io.c")

    def test_a_file_that_is_missing_is_named(self):
        self.use("2.6.19")
        (self.tree / "fs/direct-io.c").unlink()
        self.refused(1, "legacy/2.6-late/10-boundary/fs/direct-io.c.cocci: the base has no "
                        "fs/direct-io.c")


if __name__ == "__main__":
    unittest.main()
