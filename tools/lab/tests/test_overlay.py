# SPDX-License-Identifier: GPL-2.0
"""Tests of overlay.py, each on a kernel tree of a few lines in a temporary directory.

After every test the base must be as it was; after every expected fault the target too.
Run as: python3 -m unittest discover -t tools/lab -s tools/lab/tests
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import overlay

TOOL = Path(__file__).resolve().parents[1] / "overlay.py"

OLD = 10 ** 18          # a modification time long past, in ns

BASE = {
    "Makefile": "# a comment\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 77\nEXTRAVERSION =\n",
    "block/thing.c": """\
#include "thing.h"

/* caf\xe9 */
static int first(struct thing *t)
{
\tlock_thing(t);
\treturn 0;
}

int second(struct thing *t)
{
\tlock_thing(t);
\tif (t)
\t\treturn 1;
\treturn 0;
}

#ifdef CONFIG_THIRD
int third(struct thing *t)
{
\treturn first(t)  +   second(t);
}
EXPORT_SYMBOL_GPL(third);
#endif
""",
    "include/linux/thing.h": """\
struct thing {
\tint a;
\tint b;
};

int second(struct thing *t);
""",
    "fs/index.rst": "   two\n",
    "fs/Kconfig": 'menu "Files"\n\nconfig THING\n\tbool "thing"\n\nendmenu\n',
    "fs/Makefile": "obj-y += one.o\nobj-y += two.o",
    "lib/run.sh": "#!/bin/sh\n",
    "kernel/other.c": "int other;\n",
}
THING, HEADER, MAKEFILE = (BASE[path] for path in ("block/thing.c", "include/linux/thing.h",
                                                   "fs/Makefile"))

FIELD = "@thing_c@\n@@\n struct thing {\n \t...\n \tint b;\n+\tint c;\n };\n"
MORE = "@more@\n@@\n struct thing {\n \t...\n \tint c;\n+\tint d;\n };\n"
EXPORT = "@export@\n@@\n int second(...)\n {\n \t...\n }\n+EXPORT_SYMBOL_GPL(second);\n"
LOCKS = "@locks@\nexpression t;\n@@\n lock_thing(t);\n+note(t);\n"
AFTER = "@after@\n@@\n int second(...);\n+int fourth(void);\n"
SAYS = "@\n// comment: /* c => /* a c\n"
# A rule that knows what one before it matched, and one that builds on its text
BUILDS = """\
// SPDX-License-Identifier: GPL-2.0
/*
 * @not a rule@
 */
@find@
identifier f;
@@
 int f(...)
 {
+	enter();
 	...
 	if (t)
 		return 1;
 	...
 }

@call depends on find@
identifier find.f;
@@
-f(t)
+f(0, t)

@more@
@@
 enter();
+enter_more();
"""


def replaces(*paths):
    return {"base/replaces": "".join(f"# because\n{path}\n" for path in paths)}


def omit(*names):
    return {"base/6.1/omit": "".join(f"# cannot match\n{name}\n" for name in names)}


# What an overlay has, and what comes of it
APPLIES = (
    ({"fs/new/deep.c": "int deep;\n", "fs/Kconfig": "# mine\n", **replaces("fs/Kconfig")},
     {"fs/new/deep.c": "int deep;\n", "fs/Kconfig": "# mine\n"}),
    # An edit keeps every other byte.
    ({"include/linux/thing.h.cocci": FIELD, "block/thing.c.cocci": EXPORT},
     {"include/linux/thing.h": HEADER.replace("b;\n", "b;\n\tint c;\n"),
      "block/thing.c": THING.replace("}\n\n#ifdef", "}\nEXPORT_SYMBOL_GPL(second);\n\n#ifdef")}),
    ({"block/thing.c.cocci": BUILDS},
     {"block/thing.c": THING.replace("\tlock_thing(t);\n\tif", "\tenter();\n\tenter_more();\n"
                                     "\tlock_thing(t);\n\tif").replace("second(t);\n}",
                                                                       "second(0, t);\n}")}),
    *(({"block/thing.c.cocci": f"// places: {places}\n" + LOCKS},
       {"block/thing.c": THING.replace("k_thing(t);\n", "k_thing(t);\n\tnote(t);\n")})
      for places in ("2", "1-2")),
    ({"block/thing.c.cocci": "// places: 3\n" + LOCKS.replace("@\n", SAYS, 1)},
     {"block/thing.c": THING.replace("k_thing(t);\n", "k_thing(t);\n\tnote(t);\n")
      .replace("/* c", "/* a c")}),
    ({"fs/Kconfig.add": "# before: endmenu\n\nconfig NEW\n\tbool\n\n",
      "fs/index.rst.add": "# before: two\n   one\n", "fs/Makefile.add": "obj-y += three.o\n"},
     {"fs/index.rst": "   one\n   two\n",
      "fs/Kconfig": BASE["fs/Kconfig"].replace("endmenu", "config NEW\n\tbool\n\nendmenu"),
      "fs/Makefile": MAKEFILE + "\nobj-y += three.o\n"}),
    # What is no overlay, or no edit
    (dict.fromkeys(("README.md", "Makefile", ".ci/run", "series/one", "legacy/fs/x.c",
                    "tools/lab/x.py", "out/fs/x.c", "kernel/x.c", "fsx/x.c",
                    "base/6.1/series/lists/10-x"), "VERSION = 7\n") |
     {"fs/new.c": "x\n"}, {"fs/new.c": "x\n"}),
    # A layer is applied to what the trunk made, of the base's files and of its own.
    ({"include/linux/thing.h.cocci": FIELD, "base/6.1/include/linux/thing.h.cocci": MORE,
      "fs/Makefile.add": "obj-y += three.o\n",
      "base/6.1/fs/Makefile.add": "# before: obj-y += three.o\nobj-y += 2.5.o\n",
      "lib/new.h": "struct thing {\n\tint c;\n};\n", "base/6.1/lib/new.h.cocci": MORE},
     {"include/linux/thing.h": HEADER.replace("b;\n", "b;\n\tint c;\n\tint d;\n"),
      "fs/Makefile": MAKEFILE + "\nobj-y += 2.5.o\n\nobj-y += three.o\n",
      "lib/new.h": "struct thing {\n\tint c;\n\tint d;\n};\n"}),
    ({"fs/Kconfig.add": "config TRUNK\n", "fs/Makefile.add": "obj-y += trunk.o\n",
      "fs/new.c": "x\n", "base/6.1/fs/Kconfig.add": "config LAYER\n",
      "base/6.1/fs/Makefile": "# mine\n", **replaces("fs/Makefile"),
      **omit("fs/Kconfig.add", "fs/Makefile.add", "fs/new.c")},
     {"fs/Kconfig": BASE["fs/Kconfig"] + "config LAYER\n", "fs/Makefile": "# mine\n"}),
    # A layer has one rule of the trunk's file, and all of another.
    ({"block/thing.c.cocci": EXPORT + "// places: 2\n" + LOCKS.replace("s@", "s depends on export@")
      + "\n// places: 2\n@gone@\n@@\n-gone();\n",
      "base/6.12/include/linux/thing.h.cocci": FIELD + MORE,
      "base/6.1/block/thing.c.cocci": "// rules of block/thing.c.cocci: locks\n\n" + EXPORT,
      "base/6.1/include/linux/thing.h.cocci":
      "// rules of base/6.12/include/linux/thing.h.cocci\n", **omit("block/thing.c.cocci")},
     {"block/thing.c": THING.replace("k_thing(t);\n", "k_thing(t);\n\tnote(t);\n")
      .replace("}\n\n#ifdef", "}\nEXPORT_SYMBOL_GPL(second);\n\n#ifdef"),
      "include/linux/thing.h": HEADER.replace("b;\n", "b;\n\tint c;\n\tint d;\n")}),
)
# What is at fault: files of the overlay, files of the base that are otherwise, and what is said
FAULTS = (
    # spatch drops a rule that adds after a prototype, and with another says nothing of it
    ({"include/linux/thing.h.cocci": AFTER + FIELD}, {},
     "include/linux/thing.h.cocci:1: rule after: matches nothing in include/linux/thing.h"),
    *(({"block/thing.c.cocci": text}, base, "block/thing.c.cocci" + says) for text, base, says in (
        ("// places: 3-4\n" + LOCKS, {},
         ":1: rule locks: matches 2 places in block/thing.c, not 3"),
        (LOCKS, {}, ":1: rule locks: matches 2 places in block/thing.c, not 1"),
        (EXPORT.replace("second", "third"),
         {"block/thing.c": THING.replace("\nEXPORT_SYMBOL", "\n\n  EXPORT_SYMBOL")},
         ":1: rule export: was applied before to block/thing.c"),
        ("// places: 2\n" + LOCKS,
         {"block/thing.c": THING.replace("\tlock_thing(t);\n\tif",
                                         "\tlock_thing(t);\n\tnote(t);\n\tif")},
         ":1: rule locks: was applied before to block/thing.c"),
        (LOCKS.replace("@\n", SAYS.replace("/* c", "t)"), 1), {},
         ":1: rule locks: 10 places have \"t)\", one is needed"),
        ("@gone@\n@@\n gone(t);\n+there(t);\n", {},
         ":1: rule gone: matches nothing in block/thing.c"))),
    *(({"fs/Kconfig.add": text}, base, "fs/Kconfig.add" + says) for text, base, says in (
        ("config THING\n\n\tbool  \"thing\"\n", {}, ": was applied before to fs/Kconfig"),
        ("# before: bool\nconfig NEW\n", {"fs/Kconfig": "\tbool\nbool\n"},
         ':1: fs/Kconfig has 2 lines "bool", one is needed'))),
    ({"fs/none.add": "x\n"}, {}, "fs/none.add: the base has no fs/none"),
    ({"fs/one.c.cocci": EXPORT, "block/thing.c.cocci": "// rules of fs/one.c.cocci: locks\n",
      **omit("fs/one.c.cocci")}, {}, "block/thing.c.cocci: fs/one.c.cocci has no rule locks"),
    ({"fs/Kconfig.add": "config NEW\n"}, {"fs/Kconfig": "menu\r\n"},
     "fs/Kconfig.add: fs/Kconfig has CRLF line ends in the base: convert the tree, and try again"),
    ({"fs/Kconfig": "# mine\n"}, {},
     "fs/Kconfig: the base has fs/Kconfig: edit it, or list it in base/replaces"),
    (replaces("fs/gone.c"), {}, "base/replaces: the overlay has no file fs/gone.c"),
    (omit("fs/Kconfig"), {}, "base/6.1/omit: the trunk has no file fs/Kconfig"),
    ({"fs/Makefile.add": "x\n", "base/6.1/fs/Makefile": "# mine\n", **replaces("fs/Makefile")}, {},
     "base/6.1/fs/Makefile: replaces what fs/Makefile.add makes: omit that"),
)
# What lint refuses
REFUSED = (
    ("// x\n\n@@\n@@\n-a;\n", ": begins with a rule, @NAME ...@ on a line of its own"),
    ("@a@\n@@\n-a;\n+b(\"/*\");\n@@\n@@\n-c(\"*/\");\n", ":1: rule a: ends where no other"),
    ("@a@\n@@\n first(...);\n\n@b@\n@@\n-a;\n", ":1: rule a: only matches"),
    (EXPORT + EXPORT, ":1: rule export: is there twice"),
    ("@a@\n@@\n second(...)\n {\n \t<...\n-\ta\n+\tb\n \t...>\n }\n",
     ":1: rule a: <... matches zero times without a word: use <+..."),
    ("virtual patch\n" + EXPORT, ": begins with a rule"),
    ("// nothing\n", ": begins with a rule"),
    ("// places: 2\n\n" + EXPORT, ": write // places: N directly above"),
)


def put(root, path, text, mode=0o644):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)


def snapshot(root):
    """All that a build or a user can see of a tree."""
    return {file.relative_to(root).as_posix():
            os.readlink(file) if file.is_symlink() else
            (file.read_bytes(), file.stat().st_mtime_ns, file.stat().st_mode) if file.is_file() else
            "directory" for file in root.rglob("*")}


def sources(root):
    """Content and executable bit of each file but the manifest."""
    return {name: (seen[0], seen[2] & 0o111) for name, seen in snapshot(root).items()
            if isinstance(seen, tuple) and name != ".overlay"}


class OverlayTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="test overlay.")))
        self.base, self.target, self.root = (self.folder / n for n in ("base", "target", "root"))
        for path, text in BASE.items():
            put(self.base, path, text, 0o755 if path.endswith(".sh") else 0o644)
        self.fresh()
        self.addCleanup(lambda: self.assertEqual(snapshot(self.base), self.pristine))

    def fresh(self):
        """Begin with no overlay, and with a target of files that look long unchanged."""
        for folder in (self.root, self.target):
            shutil.rmtree(folder, ignore_errors=True)
        self.root.mkdir()
        shutil.copytree(self.base, self.target)
        self.age()
        self.pristine = snapshot(self.base)

    def age(self):
        for file in self.target.rglob("*"):
            if file.is_file() and not file.is_symlink():
                os.utime(file, ns=(OLD, OLD))

    def put(self, files, mode=0o644):
        for path, text in files.items():
            put(self.root, path, text, mode)

    def run_tool(self, *args):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = overlay.main([*map(str, args), "--overlay", str(self.root)])
        return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())

    def apply(self):
        """Apply, expecting success; returns the lines on stdout."""
        run = self.run_tool(self.base, self.target)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.splitlines()

    def fails(self, *lines, code=1, args=None):
        """Run, expecting these lines on stderr and an untouched target."""
        before = snapshot(self.target)
        run = self.run_tool(*(args or (self.base, self.target)))
        said = run.stderr.replace(str(self.folder) + "/", "").splitlines()
        self.assertEqual(said, ["overlay: " + line for line in lines])
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertEqual(snapshot(self.target), before)

    def target_is(self, changed):
        """The target holds the base but for changed: {path: text}."""
        have = {p: data.decode("latin-1") for p, (data, _) in sources(self.target).items()}
        self.assertEqual(have, {**BASE, **changed})


class Applied(OverlayTest):
    def test_what_comes_of_it(self):
        """A second run writes nothing, and one without the overlay restores the base."""
        for files, changed in APPLIES:
            with self.subTest(files):
                self.fresh()
                self.put(files)
                self.assertEqual(self.apply()[-1],
                                 f"overlay: {len(changed)} paths, {len(changed)} written")
                self.target_is(changed)
                self.age()
                before = snapshot(self.target)
                self.assertEqual(self.apply(), [f"overlay: {len(changed)} paths, 0 written"])
                self.assertEqual(snapshot(self.target), before)
                shutil.rmtree(self.root)
                self.root.mkdir()
                self.assertEqual(len(self.apply()), len(changed) + 1)
                self.assertEqual(sources(self.target), sources(self.base))
                self.assertEqual({*snapshot(self.target)}, {*snapshot(self.base), ".overlay"})

    def test_git_decides_in_a_checkout(self):
        self.put({".gitignore": "*.o\n"} | {f"fs/{name}": "int x;\n" for name in (
            "tracked.c", "gone.c", "untracked.c", "built.o")})
        for args in ("init -q", "add .gitignore fs/tracked.c fs/gone.c"):
            overlay.git(self.root, *args.split())
        (self.root / "fs/gone.c").unlink()
        run = self.run_tool("--files")
        self.assertEqual((run.stderr, run.stdout), ("", "fs/tracked.c\nfs/untracked.c\n"))

    def test_files_of_a_base(self):
        self.put({"fs/a.c": "", "fs/Kconfig.add": "x\n", "fs/b.h.cocci": EXPORT,
                  "base/6.1/fs/b.h.cocci": "// rules of base/6.12/fs/d.h.cocci: more\n",
                  "base/6.12/fs/d.h.cocci": MORE,
                  **omit("fs/Kconfig.add"), **replaces("fs/a.c")})
        for args, want in (((), "base/replaces fs/Kconfig.add fs/a.c fs/b.h.cocci"),
                           (("--base", "6.1"), "base/6.1/fs/b.h.cocci base/6.1/omit "
                            "base/6.12/fs/d.h.cocci base/replaces fs/a.c fs/b.h.cocci")):
            self.assertEqual(self.run_tool("--files", *args).stdout.split(), want.split())

    def test_only_what_changed_gets_a_new_time(self):
        self.put({"fs/new/deep.c": "int deep;\n", "fs/Kconfig.add": "# more\n"})
        put(self.target, "fs/new/deep.o", "object")
        self.apply()
        self.age()
        self.put({"fs/new/deep.c": "int deeper;\n"})
        self.apply()
        fresh = [p for p, seen in snapshot(self.target).items()
                 if seen != "directory" and seen[1] != OLD and p != ".overlay"]
        self.assertEqual(fresh, ["fs/new/deep.c"])
        (self.root / "fs/new/deep.c").unlink()
        self.apply()
        self.assertEqual(os.listdir(self.target / "fs/new"), ["deep.o"])

    def test_cut_short_anywhere_the_next_run_repairs(self):
        """Stop before each single step of writing; then another overlay must come out right."""
        for steps in range(8):      # the manifest twice, a deletion, three files
            self.fresh()
            self.put({"fs/first.c": "int first;\n", "fs/Kconfig.add": "# first\n"})
            self.apply()
            shutil.rmtree(self.root)
            self.put({"fs/Makefile.add": "# second\n", "lib/second.c": "int second;\n"})
            real, left = (os.replace, os.unlink), iter([True] * steps)

            def one(call, *args, left=left):
                if str(args[-1]).startswith(str(self.target)) and not next(left, None):
                    raise KeyboardInterrupt
                return call(*args)

            with mock.patch("os.replace", lambda *a, one=one: one(real[0], *a)), \
                 mock.patch("os.unlink", lambda *a, one=one: one(real[1], *a)):
                code = self.run_tool(self.base, self.target).returncode
            self.assertEqual(code, 130 if steps < 6 else 0)
            shutil.rmtree(self.root)
            self.put({"fs/third.c": "int third;\n"})
            self.apply()
            self.assertEqual(sources(self.target), {**sources(self.base),
                                                    "fs/third.c": (b"int third;\n", 0)})


class Faults(OverlayTest):
    def test_faults(self):
        """A good file beside it is not written either."""
        changed = {path for _, base, _ in FAULTS for path in base}
        for files, base, says in FAULTS:
            with self.subTest(says):
                for path in changed:
                    put(self.base, path, BASE[path])
                self.fresh()
                for path, text in base.items():
                    put(self.base, path, text)
                self.pristine = snapshot(self.base)
                self.put({"fs/good.c": "int good;\n", **files})
                self.fails(says)

    def test_what_lint_refuses(self):
        for text, says in REFUSED:
            self.put({"block/thing.c.cocci": text})
            for args in (("--check-smpl",), (self.base, self.target)):
                with self.subTest(text, args=args[0]):
                    run = self.run_tool(*args)
                    self.assertEqual(run.returncode, 1)
                    self.assertIn("block/thing.c.cocci" + says, run.stderr)

    def test_all_layers_are_checked(self):
        for layer in ("", "base/6.12/", "base/6.1/"):
            self.put({f"{layer}block/thing.c.cocci": EXPORT})
        self.assertEqual(self.run_tool("--check-smpl").stdout,
                         "overlay: 3 semantic patches parse\n")
        self.put({"base/6.12/block/thing.c.cocci": EXPORT.replace("@export@", "@@"),
                  "base/6.1/block/thing.c.cocci": "@a@\n@@\n-a(;\n", "fs/Kconfig.cocci": EXPORT})
        self.fails("base/6.1/block/thing.c.cocci:3: spatch: parse error near ';'",
                   "base/6.12/block/thing.c.cocci: begins with a rule, @NAME ...@ on a line of "
                   "its own, or a comment",
                   "fs/Kconfig.cocci: a semantic patch edits only .c and .h files",     # once
                   args=("--check-smpl",))

    def test_spatch_is_not_asked_twice(self):
        """And the temporary folder has a blank in its name."""
        self.put({"block/thing.c.cocci": EXPORT})
        with mock.patch.object(overlay, "CACHE", self.folder / "cache"), \
             mock.patch.object(tempfile, "tempdir", str(self.folder)):
            self.apply()
            made = sources(self.target)
            shutil.copyfile(self.base / "block/thing.c", self.target / "block/thing.c")
            with mock.patch.object(overlay, "spatch", side_effect=KeyError):
                self.apply()
                self.assertEqual(sources(self.target), made)
                self.put({"block/thing.c.cocci": LOCKS})
                self.assertRaises(KeyError, self.apply)


class Trees(OverlayTest):
    def test_links(self):
        (self.root / "fs").mkdir()
        (self.root / "fs/file").symlink_to("/etc/hostname")
        (self.base / "lib/Kconfig").symlink_to("../fs/Kconfig")
        (self.base / "mm").symlink_to("block")
        self.pristine = snapshot(self.base)
        self.put({"lib/Kconfig.add": "# more\n", "mm/thing.c.cocci": EXPORT})
        said = " is a link, and no patch goes through one"
        self.fails("fs/file: fs/file" + said, "lib/Kconfig: lib/Kconfig" + said,
                   "mm/thing.c: mm" + said)

    def test_trees_that_will_not_do(self):
        none = self.folder / "none"
        for args, says in (((none, self.target), "none: not a kernel tree: no Makefile"),
                           ((self.base, none), "none: not a kernel tree: no Makefile"),
                           ((self.base, self.base), "BASE and TARGET must be two trees"),
                           ((self.base,), "BASE and TARGET are needed (see --help)")):
            with self.subTest(says):
                self.fails(says, code=2, args=args)
        for version, says in (("6.10.0", "base: Linux 6.10.0 is not supported; supported: 7.3, "
                               "6.12, 6.1"), ("6.1.9", "target: Linux 6.1.77, but BASE is 6.1.9")):
            put(self.base, "Makefile", "VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\n"
                % tuple(version.split(".")))
            self.pristine = snapshot(self.base)
            self.fails(says, code=2)


class Base(unittest.TestCase):
    """This repository's files against the base that the lab unpacked."""

    def setUp(self):
        self.root = TOOL.parents[2]
        run = subprocess.run([TOOL.parent / "kernel.sh", "dir", "source"], capture_output=True,
                             text=True, check=False)
        self.base = Path(run.stdout.strip() or "/nonexistent")
        if not (self.base / "Makefile").exists():
            self.skipTest("the base is not unpacked (make kernel)")
        version = overlay.kernel_version(self.base).rpartition(".")[0]
        self.found, faults = overlay.overlay_for(self.root, version)
        self.assertEqual(faults, [])

    def faults(self, folder, paths):
        """What kernel-doc holds against the files, without line numbers."""
        run = subprocess.run(["perl", self.base / "scripts/kernel-doc", "-none",
                              *filter(lambda p: (folder / p).exists(), paths)],
                             capture_output=True, text=True, check=False, cwd=folder)
        return set(re.sub(r":\d+:", ":", run.stderr).splitlines())

    def test_kernel_doc_holds_no_more_against_the_files_than_before(self):
        sources = {p: s for p, s in self.found.items() if p.endswith((".c", ".h"))}
        made, faults = overlay.plan(self.root, sources, overlay.Tree(self.base))
        self.assertEqual(faults, [])
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path, content in made.items():
            put(folder, path, content.data.decode("latin-1"))
        self.assertEqual(self.faults(folder, made) - self.faults(self.base, made), set())

    def test_no_entry_lands_behind_a_menu(self):
        for path in (p for p in self.found if p.endswith("/Kconfig")):
            with self.subTest(path):
                made, _ = overlay.plan(self.root, {path: self.found[path]}, overlay.Tree(self.base))
                text = made[path].data.decode()
                self.assertNotRegex(text.rpartition("\nendmenu\n")[2] if "\nendmenu\n" in text
                                    else "", r"(?m)^config ")


class Tidy(unittest.TestCase):
    """What spatch adds is brought into shape, what was there is left alone."""

    PARAMETER, MEMBER = "+int f(int one,\n+\t\t\tint two)\n", "+\t.open\t\t= f,\n"
    SHAPES = (      # what was there, what the rules add, what spatch makes of it, what is wanted
        ("a \n\nb\n", "", "a \n\nb\n", "a \n\nb\n"),
        ("a \n\nb\n", "", "a \n\t\n\nc \nb\n", "a \n\nc\nb\n"),
        ("a \n\nb\n", "", "a \n\n\t\nb\n", "a \n\nb\n"),
        ("a \n\nb\n", "", "a \n\nb\n\t\nc\n", "a \n\nb\n\nc\n"),
        ("a\n", PARAMETER, "int f(int one,\n      int two)\na\n",
         "int f(int one,\n\t\t\tint two)\na\n"),
        ("a\n", PARAMETER, "      int three)\na\n", "      int three)\na\n"),
        ("a\n", PARAMETER, "\tint two)\na\n", "\tint two)\na\n"),
        ("  a;\n", "+b;\n", "  a;\n  b;\n", "  a;\n  b;\n"),   # the rule does not say how far
        ("\t.a = b,\n", MEMBER, "\t.a = b,\n\t.open  = f,\n", "\t.a = b,\n\t.open\t\t= f,\n"),
        ("\t.a = b,\n", MEMBER, "\t.open  = f,\n\t.a = b,\n", "\t.open\t\t= f,\n\t.a = b,\n"),
        ("\t.a = b,\n", MEMBER, "\t.a = b,\n\t.open = g,\n", "\t.a = b,\n\t.open = g,\n"),
        ("a\n", '+f(1, "b");\n', 'a\n\tf(1,"b");\n', 'a\n\tf(1, "b");\n'),
        ("a\n", "+\t{ B },\n", "a\n\t{\n\t\tB\n\t},\nc\n", "a\n\t{ B },\nc\n"),
    )

    def test_shapes(self):
        for old, rule, new, wanted in self.SHAPES:
            with self.subTest(new=new):
                self.assertEqual(overlay.tidy(old, new, rule), wanted)
