# SPDX-License-Identifier: GPL-2.0
"""Tests of overlay.py, each on a kernel tree of a few lines in a temporary directory.

After every test the base must be as it was; after every expected fault the target too.
Run as: python3 -m unittest discover -s tools/lab/tests
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

TOOL = Path(__file__).resolve().parents[1] / "overlay.py"
sys.path.insert(0, str(TOOL.parent))
import overlay  # noqa: E402 (the path comes first)

needs_spatch = unittest.skipUnless(shutil.which("spatch"), "spatch (package coccinelle) not found")
needs_git = unittest.skipUnless(shutil.which("git"), "git not found")

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
    "fs/Kconfig": 'menu "Files"\n\nconfig THING\n\tbool "thing"\n\nendmenu\n',
    "fs/Makefile": "obj-y += one.o\nobj-y += two.o",
    "lib/run.sh": "#!/bin/sh\n",
    "kernel/other.c": "int other;\n",
}

FIELD = "@thing_c@\n@@\n struct thing {\n \t...\n \tint b;\n+\tint c;\n };\n"
EXPORT = "@export@\n@@\n int second(...)\n {\n \t...\n }\n+EXPORT_SYMBOL_GPL(second);\n"
LOCKS = "@locks@\nexpression t;\n@@\n lock_thing(t);\n+note(t);\n"


def put(root, path, text, mode=0o644):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)


def text_of(root, path):
    return (root / path).read_bytes().decode("latin-1")


def snapshot(root):
    """All that a build or a user can see of a tree."""
    found = {}
    for file in sorted(root.rglob("*")):
        status = file.lstat()
        name = file.relative_to(root).as_posix()
        if file.is_symlink():
            found[name] = os.readlink(file)
        elif file.is_file():
            found[name] = (file.read_bytes(), status.st_mtime_ns, status.st_mode)
        else:
            found[name] = "directory"
    return found


def sources(root):
    """Content and executable bit of each file but the manifest."""
    return {name: (seen[0], seen[2] & 0o111) for name, seen in snapshot(root).items()
            if isinstance(seen, tuple) and name != ".overlay"}


class OverlayTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="test overlay.")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.base, self.target = self.folder / "base", self.folder / "target"
        self.root = self.folder / "root"
        self.root.mkdir()
        for path, text in BASE.items():
            put(self.base, path, text, 0o755 if path.endswith(".sh") else 0o644)
        shutil.copytree(self.base, self.target)
        self.age()
        self.pristine = snapshot(self.base)
        self.addCleanup(lambda: self.assertEqual(snapshot(self.base), self.pristine))

    def age(self):
        """Make each file of the target look long unchanged."""
        for file in self.target.rglob("*"):
            if file.is_file() and not file.is_symlink():
                os.utime(file, ns=(OLD, OLD))

    def put(self, path, text, mode=0o644):
        put(self.root, path, text, mode)

    def put_base(self, path, text, mode=0o644):
        put(self.base, path, text, mode)
        self.pristine = snapshot(self.base)

    def replaces(self, *paths):
        self.put("base/replaces", "".join(f"# because\n{path}\n" for path in paths))

    def run_tool(self, *args, env=None):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
             mock.patch.dict(os.environ, env or {}, clear=bool(env)):
            code = overlay.main([*map(str, args), "--overlay", str(self.root)])
        return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())

    def apply(self):
        """Apply, expecting success; returns the lines on stdout."""
        run = self.run_tool(self.base, self.target)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.splitlines()

    def fails(self, *lines, code=1, args=None, env=None):
        """Run, expecting these lines on stderr and an untouched target."""
        before = snapshot(self.target)
        run = self.run_tool(*(args or (self.base, self.target)), env=env)
        said = run.stderr.replace(str(self.folder) + "/", "").splitlines()
        self.assertEqual(said, ["overlay: " + line for line in lines])
        self.assertEqual((run.returncode, run.stdout), (code, ""))
        self.assertEqual(snapshot(self.target), before)

    def refused(self, *lines, **more):
        self.fails(*lines, code=2, **more)

    def target_is(self, changed):
        """The target holds the base but for changed: {path: text, or None if gone}."""
        want = {p: t for p, t in {**BASE, **changed}.items() if t is not None}
        have = {p: data.decode("latin-1") for p, (data, _) in sources(self.target).items()}
        self.assertEqual(have, want)


class Forms(OverlayTest):
    def test_new_file_and_replacement(self):
        self.put("fs/new/deep.c", "int deep;\n")
        self.put("fs/Kconfig", "# mine\n")
        self.replaces("fs/Kconfig")
        self.assertEqual(self.apply(), ["replaced fs/Kconfig", "added fs/new/deep.c",
                                        "overlay: 2 paths, 2 written"])
        self.target_is({"fs/new/deep.c": "int deep;\n", "fs/Kconfig": "# mine\n"})

    @needs_spatch
    def test_edit_keeps_every_other_byte(self):
        self.put("include/linux/thing.h.cocci", FIELD)
        self.put("block/thing.c.cocci", EXPORT)
        self.assertEqual(self.apply()[:2], ["edited block/thing.c", "edited include/linux/thing.h"])
        header = BASE["include/linux/thing.h"].replace("\tint b;\n", "\tint b;\n\tint c;\n")
        code = BASE["block/thing.c"].replace("}\n\n#ifdef",
                                             "}\nEXPORT_SYMBOL_GPL(second);\n\n#ifdef")
        self.target_is({"include/linux/thing.h": header, "block/thing.c": code})

    @needs_spatch
    def test_rules_build_on_one_another(self):
        self.put("block/thing.c.cocci", """\
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
""")
        self.assertEqual(self.apply()[-1], "overlay: 1 paths, 1 written")
        text = text_of(self.target, "block/thing.c")
        self.assertIn("\tenter();\n\tenter_more();\n\tlock_thing(t);\n\tif (t)\n", text)
        self.assertEqual(text.count("second(0, t);"), 1)
        self.assertEqual(text.count("enter();"), 1)

    @needs_spatch
    def test_declared_places(self):
        for places in ("2", "1-2"):
            self.put("block/thing.c.cocci", f"// places: {places}\n" + LOCKS)
            self.apply()
            self.assertEqual(text_of(self.target, "block/thing.c").count("\tnote(t);\n"), 2)
        self.put("block/thing.c.cocci", "// places: 3-4\n" + LOCKS)
        self.fails("block/thing.c.cocci: rule locks: matches in part: 2 of 3 places in "
                   "block/thing.c")

    @needs_spatch
    def test_an_endif_may_stand_beside_another(self):
        """No sign that the rule was applied before."""
        self.put("block/thing.c.cocci",
                 "// places: 2\n@guard@\ndeclarer name EXPORT_SYMBOL_GPL;\n@@\n"
                 "+#ifdef CONFIG_MORE\n EXPORT_SYMBOL_GPL(third);\n+#endif\n")
        self.apply()
        self.assertIn("#ifdef CONFIG_MORE\nEXPORT_SYMBOL_GPL(third);\n#endif\n#endif\n",
                      text_of(self.target, "block/thing.c"))

    def test_append(self):
        self.put("fs/Kconfig.add", "# before: endmenu\n\nconfig NEW\n\tbool\n\n")
        self.put("fs/Makefile.add", "obj-y += three.o\n")
        self.assertEqual(self.apply()[:2], ["appended fs/Kconfig", "appended fs/Makefile"])
        self.target_is({"fs/Kconfig": 'menu "Files"\n\nconfig THING\n\tbool "thing"\n\n'
                                      "config NEW\n\tbool\n\nendmenu\n",
                        "fs/Makefile": BASE["fs/Makefile"] + "\nobj-y += three.o\n"})

    def test_executable_bit(self):
        self.put("tools/testing/new.sh", "#!/bin/sh\n", 0o755)
        self.put("lib/run.sh.add", "true\n")
        self.put("fs/Kconfig", "# mine\n")
        self.replaces("fs/Kconfig")
        self.apply()
        modes = {p: bool(mode) for p, (_, mode) in sources(self.target).items()}
        self.assertEqual([p for p in modes if modes[p]], ["lib/run.sh", "tools/testing/new.sh"])
        (self.root / "tools/testing/new.sh").chmod(0o644)
        self.assertEqual(self.apply(), ["added tools/testing/new.sh",
                                        "overlay: 3 paths, 1 written"])

    def test_what_is_no_overlay_or_no_edit(self):
        for path in ("README.md", "Makefile", ".ci/run", "series/one", "based/on", "legacy/fs/x.c",
                     "tools/lab/x.py", "out/fs/x.c", "kernel/x.c", "fsx/x.c"):
            self.put(path, "VERSION = 7\n")
        self.put("tools/testing/dio/at-once.cocci", "@@\n@@\n-a\n+b\n")
        self.assertEqual(self.apply(), ["added tools/testing/dio/at-once.cocci",
                                        "overlay: 1 paths, 1 written"])

    @needs_git
    def test_git_decides_in_a_checkout(self):
        self.put(".gitignore", "*.o\n")
        for name in ("tracked.c", "gone.c", "untracked.c", "built.o"):
            self.put("fs/" + name, "int x;\n")
        env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        for args in ("init -q", "add .gitignore fs/tracked.c fs/gone.c"):
            subprocess.run(["git", "-C", self.root, *args.split()], check=True, env=env)
        (self.root / "fs/gone.c").unlink()
        run = self.run_tool("--files", env=env)
        self.assertEqual((run.stderr, run.stdout), ("", "fs/tracked.c\nfs/untracked.c\n"))


class Layers(OverlayTest):
    """The base is 6.1, so base/6.1/ applies; base/6.12/ never does."""

    HALVES = "@half@\n@@\n struct thing {\n \t...\n \tint c;\n+\tint d;\n };\n"

    def omit(self, *names, base="6.1"):
        self.put(f"base/{base}/omit", "".join(f"# cannot match\n{name}\n" for name in names))

    def of_version(self, *numbers):
        """Both trees are of another version from here on."""
        for tree in (self.base, self.target):
            put(tree, "Makefile", "VERSION = %d\nPATCHLEVEL = %d\nSUBLEVEL = %d\n" % numbers)
        self.pristine = snapshot(self.base)

    @needs_spatch
    def test_a_layer_is_applied_to_what_the_trunk_made(self):
        self.put("include/linux/thing.h.cocci", FIELD)
        self.put("base/6.1/include/linux/thing.h.cocci", self.HALVES)
        self.put("fs/Makefile.add", "obj-y += three.o\n")
        self.put("base/6.1/fs/Makefile.add", "# before: obj-y += three.o\nobj-y += 2.5.o\n")
        self.assertEqual(self.apply(), ["appended fs/Makefile", "edited include/linux/thing.h",
                                        "overlay: 2 paths, 2 written"])
        self.assertEqual(text_of(self.target, "fs/Makefile"),
                         BASE["fs/Makefile"] + "\nobj-y += 2.5.o\n\nobj-y += three.o\n")
        self.assertIn("\tint b;\n\tint c;\n\tint d;\n};\n",
                      text_of(self.target, "include/linux/thing.h"))

    @needs_spatch
    def test_a_layer_edits_a_file_that_the_trunk_brings(self):
        self.put("lib/new.h", "struct thing {\n\tint c;\n};\n")
        self.put("lib/new.sh", "#!/bin/sh\n", 0o755)
        self.put("base/6.1/lib/new.h.cocci", self.HALVES)
        self.put("base/6.1/lib/new.sh.add", "true\n")
        self.assertEqual(self.apply()[:2], ["added lib/new.h", "added lib/new.sh"])
        self.target_is({"lib/new.h": "struct thing {\n\tint c;\n\tint d;\n};\n",
                        "lib/new.sh": "#!/bin/sh\ntrue\n"})
        self.assertTrue(os.access(self.target / "lib/new.sh", os.X_OK))
        self.assertEqual(self.apply(), ["overlay: 2 paths, 0 written"])
        shutil.rmtree(self.root / "base")
        self.apply()
        self.assertEqual(text_of(self.target, "lib/new.sh"), "#!/bin/sh\n")

    def test_a_layer_has_files_of_its_own_and_the_newest_base_none(self):
        self.put("fs/new.c", "int trunk;\n")
        self.put("base/6.1/fs/new.c", "int layer;\n")
        self.put("base/6.1/fs/more.c", "int more;\n")
        self.put("base/6.12/fs/other.c", "int other;\n")
        self.omit("fs/new.c", base="6.12")
        self.apply()
        self.target_is({"fs/new.c": "int layer;\n", "fs/more.c": "int more;\n"})
        self.of_version(7, 3, 4)
        self.assertEqual(self.apply()[:2], ["added fs/new.c", "deleted fs/more.c"])
        self.assertEqual(text_of(self.target, "fs/new.c"), "int trunk;\n")
        self.of_version(6, 12, 9)
        self.assertEqual(self.apply()[:2], ["added fs/other.c", "deleted fs/new.c"])

    def test_what_is_omitted(self):
        self.put("fs/Kconfig.add", "config TRUNK\n")
        self.put("fs/Makefile.add", "obj-y += trunk.o\n")
        self.put("fs/new.c", "x\n")
        self.put("base/6.1/fs/Kconfig.add", "config LAYER\n")
        self.put("base/6.1/fs/Makefile", "# mine\n")
        self.replaces("fs/Makefile")
        self.omit("fs/Kconfig.add", "fs/Makefile.add", "fs/new.c")
        self.apply()
        self.target_is({"fs/Kconfig": BASE["fs/Kconfig"] + "config LAYER\n",
                        "fs/Makefile": "# mine\n"})

    def test_faults_of_a_layer_and_of_its_list(self):
        self.put("fs/new.c", "x\n")
        self.put("fs/Makefile.add", "obj-y += new.o\n")
        self.put("base/6.1/fs/Makefile", "# mine\n")
        self.put("base/6.1/fs/Kconfig.add", "config THING\n\tbool \"thing\"\n")
        self.put("base/6.1/fs/none.add", "x\n")
        self.put("base/6.1/fs/two.c", "x\n")
        self.put("base/6.1/fs/two.c.add", "x\n")
        self.replaces("fs/Makefile")
        self.omit("fs/new.c", "fs/Kconfig", "base/6.1/omit")
        self.fails("base/6.1/fs/two.c.add: base/6.1/fs/two.c is there too: one form for a path",
                   "base/6.1/omit:4: the trunk has no file fs/Kconfig",
                   "base/6.1/omit:6: the trunk has no file base/6.1/omit",
                   "base/6.1/fs/Makefile: replaces what fs/Makefile.add makes: omit that",
                   "base/6.1/fs/Kconfig.add: was applied before to fs/Kconfig",
                   "base/6.1/fs/none.add: the base has no fs/none")

    def test_lists_give_reasons(self):
        self.put("fs/one.c", "x\n")
        good = "# SPDX-License-Identifier: GPL-2.0\n\n# too new\n#\nfs/one.c\n"
        self.put("base/6.1/omit", good)
        self.assertEqual(self.apply(), ["overlay: 0 paths, 0 written"])
        for text, line in ((good.replace("# too new\n#\n", ""), ":3: say why in a comment above "
                            "fs/one.c"),
                           (good.replace("#\n", "#\n\n"), ":6: say why in a comment above "
                            "fs/one.c"),
                           (good + "fs/one.c\n", ":6: fs/one.c is listed twice")):
            self.put("base/6.1/omit", text)
            self.fails("base/6.1/omit" + line)

    def test_only_what_is_listed_replaces_a_file_of_the_base(self):
        self.put("fs/Kconfig", "# mine\n")
        self.put("fs/new.c", "int new;\n")
        self.put("base/6.1/fs/Makefile", "# mine\n")
        refused = "%s: the base has fs/%s: edit it, or list it in base/replaces"
        self.fails(refused % ("fs/Kconfig", "Kconfig"),
                   refused % ("base/6.1/fs/Makefile", "Makefile"))
        self.replaces("fs/Kconfig", "fs/Makefile", "fs/gone.c")
        self.fails("base/replaces:6: the overlay has no file fs/gone.c")
        self.replaces("fs/Kconfig", "fs/Makefile")
        self.apply()
        self.target_is({"fs/Kconfig": "# mine\n", "fs/Makefile": "# mine\n",
                        "fs/new.c": "int new;\n"})

    def test_what_has_no_place_below_base(self):
        held = "base/ holds base/replaces and the layers of 6.12, 6.1"
        for name, says in (
                ("base/7.3/fs/x.c", "7.3 is the base of the trunk and has no layer"),
                ("base/5.10/fs/x.c", held), ("base/README", held), ("base/6.1", held),
                ("base/6.1/kernel/x.c", "base/6.1/ holds omit, series/, Documentation/, arch/, "
                 "block/, drivers/, fs/, include/, lib/, mm/, tools/testing/")):
            self.put(name, "x\n")
            with self.subTest(name):
                self.fails(f"{name}: {says}")
            shutil.rmtree(self.root / "base")
        self.put("base/6.1/series/lists/10-x", "x\n")
        self.assertEqual(self.apply(), ["overlay: 0 paths, 0 written"])

    def test_files_of_a_base(self):
        self.put("fs/a.c", "")
        self.put("fs/Kconfig.add", "x\n")
        self.put("fs/b.h.cocci", "")
        self.put("base/6.1/fs/b.h.cocci", "")
        self.put("base/6.12/fs/d.c", "")
        self.omit("fs/Kconfig.add")
        self.replaces("fs/a.c")
        for args, want in ((("--files",), "base/replaces fs/Kconfig.add fs/a.c fs/b.h.cocci"),
                           (("--files", "--base", "6.1"), "base/6.1/fs/b.h.cocci base/6.1/omit "
                            "base/replaces fs/a.c fs/b.h.cocci")):
            run = self.run_tool(*args)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertEqual(run.stdout.split(), want.split())

    @needs_spatch
    def test_check_of_all_layers(self):
        self.put("block/thing.c.cocci", EXPORT)
        self.put("base/6.12/block/thing.c.cocci", EXPORT)
        self.put("base/6.1/tools/testing/dio/mutant.cocci", "@@\n@@\n-a;\n")
        run = self.run_tool("--check-smpl")
        self.assertEqual((run.stdout, run.stderr), ("overlay: 3 semantic patches parse\n", ""))
        self.put("base/6.12/block/thing.c.cocci", EXPORT.replace("@export@", "@@"))
        self.put("base/6.1/tools/testing/dio/mutant.cocci", "@a@\n@@\n-a(;\n")
        self.omit("fs/none.c")
        self.fails("base/6.1/omit:2: the trunk has no file fs/none.c",
                   "base/6.1/tools/testing/dio/mutant.cocci:3: spatch: parse error near ';'",
                   "base/6.12/block/thing.c.cocci:1: a rule begins with @NAME ...@ on a line of "
                   "its own", args=("--check-smpl",))


class Repeats(OverlayTest):
    def fill(self):
        self.put("fs/new/deep.c", "int deep;\n")
        self.put("fs/Kconfig.add", "# more\n")
        self.put("lib/run.sh", "#!/bin/sh\ntrue\n", 0o755)
        self.replaces("lib/run.sh")

    @needs_spatch
    def test_second_run_writes_nothing(self):
        self.fill()
        self.put("include/linux/thing.h.cocci", FIELD)
        self.apply()
        self.age()
        before = snapshot(self.target)
        self.assertEqual(self.apply(), ["overlay: 4 paths, 0 written"])
        self.assertEqual(snapshot(self.target), before)

    def test_only_what_changed_gets_a_new_time(self):
        self.fill()
        put(self.target, "fs/new/deep.o", "object")
        self.apply()
        self.age()
        self.put("fs/new/deep.c", "int deeper;\n")
        self.assertEqual(self.apply(), ["added fs/new/deep.c", "overlay: 3 paths, 1 written"])
        fresh = [p for p, seen in snapshot(self.target).items()
                 if seen != "directory" and seen[1] != OLD and p != ".overlay"]
        self.assertEqual(fresh, ["fs/new/deep.c"])
        (self.root / "fs/new/deep.c").unlink()
        self.apply()
        self.assertEqual(os.listdir(self.target / "fs/new"), ["deep.o"])

    @needs_spatch
    def test_removal_restores_the_base(self):
        self.fill()
        self.put("include/linux/thing.h.cocci", FIELD)
        self.apply()
        self.age()
        shutil.rmtree(self.root)
        self.root.mkdir()
        self.assertEqual(self.apply(), [
            "restored fs/Kconfig", "deleted fs/new/deep.c", "restored include/linux/thing.h",
            "restored lib/run.sh", "overlay: 0 paths, 4 written"])
        self.assertEqual(sources(self.target), sources(self.base))
        self.assertFalse((self.target / "fs/new").exists())
        self.assertNotEqual((self.target / "fs/Kconfig").stat().st_mtime_ns, OLD)

    def test_a_link_in_the_target_is_replaced_not_followed(self):
        (self.target / "fs/Kconfig").unlink()
        (self.target / "fs/Kconfig").symlink_to(self.base / "fs/Kconfig")
        os.unlink(self.target / "fs/Makefile")
        os.link(self.base / "fs/Makefile", self.target / "fs/Makefile")
        self.put("fs/Kconfig", "# mine\n")
        self.put("fs/Makefile", "# mine\n", 0o755)
        self.replaces("fs/Kconfig", "fs/Makefile")
        self.apply()
        self.target_is({"fs/Kconfig": "# mine\n", "fs/Makefile": "# mine\n"})

    def test_cut_short_anywhere_the_next_run_repairs(self):
        """Stop before each single step of writing; then another overlay must come out right."""
        for steps in range(8):      # the manifest twice, a deletion, three files
            for folder in (self.target, self.root):
                shutil.rmtree(folder)
            shutil.copytree(self.base, self.target)
            self.put("fs/first.c", "int first;\n")
            self.put("fs/Kconfig.add", "# first\n")
            self.apply()
            shutil.rmtree(self.root)
            self.put("fs/Makefile.add", "# second\n")
            self.put("lib/second.c", "int second;\n")
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
            self.put("fs/third.c", "int third;\n")
            self.apply()
            self.assertEqual(sources(self.target), {**sources(self.base),
                                                    "fs/third.c": (b"int third;\n", 0)})


THING, HEADER = BASE["block/thing.c"], BASE["include/linux/thing.h"]
AFTER = "@after@\n@@\n int second(...);\n+int fourth(void);\n"
# What is at fault: path of the overlay and its text, path of the base and its text, what is said
FAULTS = (
    # spatch drops a rule that adds after a prototype, and with another says nothing of it
    ("include/linux/thing.h.cocci", AFTER + FIELD, "", "",
     ": rule after: matches nothing in include/linux/thing.h"),
    ("include/linux/thing.h.cocci", AFTER, "", "",
     ": spatch drops all rules: does one add after a prototype?"),
    ("block/thing.c.cocci", "// places: 3\n" + LOCKS, "", "",
     ": rule locks: matches in part: 2 of 3 places in block/thing.c"),
    ("block/thing.c.cocci", LOCKS, "", "",
     ": rule locks: matches 2 places in block/thing.c, 1 declared"),
    ("block/thing.c.cocci", EXPORT.replace("second", "third"), "block/thing.c",
     THING.replace("\nEXPORT_SYMBOL", "\n\n  EXPORT_SYMBOL"),
     ": rule export: was applied before to block/thing.c"),
    ("block/thing.c.cocci", "// places: 2\n" + LOCKS, "block/thing.c",
     THING.replace("\tlock_thing(t);\n\tif", "\tlock_thing(t);\n\tnote(t);\n\tif"),
     ": rule locks: was applied before to block/thing.c"),
    ("include/linux/thing.h.cocci", FIELD, "include/linux/thing.h",
     HEADER.replace("\tint b;\n", "\tint b;\n\tint  c;\n"),
     ": rule thing_c: matches nothing in include/linux/thing.h, and what it adds is there"),
    ("block/thing.c.cocci", "@gone@\n@@\n gone(t);\n+there(t);\n", "", "",
     ": rule gone: matches nothing in block/thing.c"),
    ("block/thing.c.cocci", "@r@\n@@\n-int first(void\n+int f(void)\n { ... }\n", "", "",
     ":5: spatch: parse error near '{'"),
    ("fs/Kconfig.add", "config THING\n\n\tbool  \"thing\"\n", "", "",
     ": was applied before to fs/Kconfig"),
    ("fs/Kconfig.add", "# before: endmenu\nconfig THING\n\tbool  \"thing\"\n", "", "",
     ": was applied before to fs/Kconfig"),
    ("fs/Kconfig.add", "# before: endmenu\n\n \n", "", "", ": adds nothing"),
    ("fs/Kconfig.add", "# before: endif\nconfig NEW\n", "", "",
     ':1: fs/Kconfig has 0 lines "endif", one is needed'),
    ("fs/Kconfig.add", "# before: bool\nconfig NEW\n", "fs/Kconfig", "\tbool\nbool\n",
     ':1: fs/Kconfig has 2 lines "bool", one is needed'),
    ("fs/none.add", "x\n", "", "", ": the base has no fs/none"),
    ("fs/sub", "x\n", "fs/sub/one", "", ": fs/sub is no regular file in the base"),
    ("fs/Kconfig.cocci", EXPORT, "", "", ": a semantic patch edits only .c and .h files"),
    *((name, text, path, BASE[path].replace("\n", "\r\n"),
       f": {path} has CRLF line ends in the base: convert the tree, and try again")
      for name, text, path in (("fs/Kconfig.add", "config NEW\n", "fs/Kconfig"),
                               ("block/thing.c.cocci", EXPORT, "block/thing.c"),
                               ("fs/Makefile", "all:\n", "fs/Makefile"))),
)
# What lint refuses
REFUSED = (
    ("// x\n\n@@\n@@\n-a;\n", ":3: a rule begins with @NAME ...@ on a line of its own"),
    (EXPORT + "@ depends on export @\n@@\n-a;\n", ":8: a rule begins"),
    ("@script:python@\n@@\nprint(1)\n", ":1: a rule begins"),
    ("@a@ @@\n-a;\n", ":1: a rule begins"),
    ("@a@\n@@\n-a;\n+b(\"/*\");\n@@\n@@\n-c(\"*/\");\n", ":5: a rule begins"),
    ("@a@\n@@\n first(...);\n\n@b@\n@@\n-a;\n", ":1: rule a: only matches"),
    (EXPORT + EXPORT, ":1: rule export: only matches, or is there twice"),
    ("@a@\n@@\n second(...)\n {\n \t<...\n-\ta\n+\tb\n \t...>\n }\n",
     ":5: <... matches zero times without a word: use <+..."),
    ("virtual patch\n" + EXPORT, ":1: only comments may precede the first rule"),
    ("// nothing\n", ": holds no rule"),
    ("// places: two\n" + EXPORT, ":1: write // places: N directly above"),
    ("// places: 2\n\n" + EXPORT, ":1: write // places: N directly above"),
)


class Faults(OverlayTest):
    @needs_spatch
    def test_faults(self):
        """A good file beside it is not written either."""
        for name, text, path, there, says in FAULTS:
            with self.subTest(name, text=text, there=there):
                self.put("fs/good.c", "int good;\n")
                self.put(name, text)
                self.replaces(*["fs/Makefile"] * (name == "fs/Makefile"))
                if path:
                    self.put_base(path, there)
                self.fails(name + says)
                shutil.rmtree(self.root)
                shutil.rmtree(self.base)
                shutil.copytree(self.target, self.base)
        self.pristine = snapshot(self.base)

    @needs_spatch
    def test_what_lint_refuses(self):
        for text, says in REFUSED:
            self.put("block/thing.c.cocci", text)
            for args in (("--check-smpl",), (self.base, self.target)):
                with self.subTest(text, args=args[0]):
                    run = self.run_tool(*args)
                    self.assertEqual(run.returncode, 1)
                    self.assertIn("block/thing.c.cocci" + says, run.stderr)
        self.put("block/thing.c.cocci", "// <...\n@a@\n@@\n int second(...)\n {\n \t<+...\n"
                 "-\treturn 1;\n+\treturn 2; // <...\n \t...+>\n }\n")
        self.apply()

    @needs_spatch
    def test_a_base_edited_by_the_tool_is_known_again(self):
        self.put("block/thing.c.cocci", EXPORT)
        self.put("include/linux/thing.h.cocci", FIELD)
        self.apply()
        (self.target / ".overlay").unlink()
        again = self.folder / "again"
        shutil.copytree(self.base, again)
        self.fails("block/thing.c.cocci: rule export: was applied before to block/thing.c",
                   "include/linux/thing.h.cocci: rule thing_c: matches nothing in "
                   "include/linux/thing.h, and what it adds is there", args=(self.target, again))

    @needs_spatch
    def test_no_cocciconfig_has_a_say(self):
        (self.folder / ".cocciconfig").write_text("[spatch]\n\toptions = --no-such-option\n",
                                                  encoding="utf-8")
        self.put("block/thing.c.cocci", EXPORT)
        run = subprocess.run([sys.executable, TOOL, "base", "target", "--overlay", "root"],
                             cwd=self.folder, env={**os.environ, "HOME": str(self.folder)},
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    @needs_spatch
    def test_spatch_is_not_asked_twice(self):
        """And the temporary folder has a blank in its name."""
        self.put("block/thing.c.cocci", EXPORT)
        with mock.patch.object(overlay, "CACHE", self.folder / "cache"), \
             mock.patch.object(tempfile, "tempdir", str(self.folder)):
            self.apply()
            made = text_of(self.target, "block/thing.c")
            shutil.copyfile(self.base / "block/thing.c", self.target / "block/thing.c")
            with mock.patch.object(overlay, "spatch", side_effect=KeyError):
                self.apply()
                self.assertEqual(text_of(self.target, "block/thing.c"), made)
                self.put("block/thing.c.cocci", LOCKS)
                self.assertRaises(KeyError, self.apply)

    def test_spatch_fails_or_is_missing(self):
        self.put("block/thing.c.cocci", EXPORT)
        for script, says in (("kill -SEGV $$\n", "failed with code -11: no message"),
                             ("echo Stack overflow >&2\nexit 2\n", "failed with code 2: Stack "
                              "overflow")):
            put(self.folder / "bin", "spatch", "#!/bin/sh\n" + script, 0o755)
            self.fails("block/thing.c.cocci: spatch " + says,
                       env={**os.environ, "PATH": str(self.folder / "bin")})
        self.refused("spatch not found: install the package coccinelle",
                     env={**os.environ, "PATH": "/nonexistent"})

    def test_links(self):
        (self.root / "fs").mkdir()
        (self.root / "fs/file").symlink_to("/etc/hostname")
        (self.base / "lib/Kconfig").symlink_to("../fs/Kconfig")
        (self.base / "mm").symlink_to("block")
        self.pristine = snapshot(self.base)
        self.put("lib/Kconfig.add", "# more\n")
        self.put("mm/thing.c.cocci", EXPORT)
        said = " is a link in the base, and no patch goes through one"
        self.fails("fs/file: not a regular file", "lib/Kconfig.add: lib/Kconfig" + said,
                   "mm/thing.c.cocci: mm" + said)

    def test_target_leads_elsewhere(self):
        shutil.rmtree(self.target / "fs")
        (self.target / "fs").symlink_to(self.base / "fs")
        self.put("fs/new.c", "x\n")
        self.refused("target/fs is not a directory: TARGET is no copy of BASE")


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

    @needs_spatch
    def test_kernel_doc_holds_no_more_against_the_files_than_before(self):
        sources = {p: s for p, s in self.found.items() if p.endswith((".c", ".h"))}
        made, faults = overlay.plan(self.root, sources, self.base)
        self.assertEqual(faults, [])
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path, content in made.items():
            put(folder, path, content.data.decode("latin-1"))
        self.assertEqual(self.faults(folder, made) - self.faults(self.base, made), set())

    def test_no_entry_lands_behind_a_menu(self):
        for path in (p for p in self.found if p.endswith("/Kconfig")):
            with self.subTest(path):
                made = overlay.wanted(self.root, self.found[path], self.base, path)
                text = made.data.decode()
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
    )

    def test_shapes(self):
        for old, rule, new, wanted in self.SHAPES:
            with self.subTest(new=new):
                self.assertEqual(overlay.tidy(old, new, rule), wanted)


class Trees(OverlayTest):
    def other(self, version):
        other = self.folder / version
        put(other, "Makefile", "VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\n"
            % tuple(version.split(".")))
        return other

    def test_version_of(self):
        run = self.run_tool("--version-of", self.base)
        self.assertEqual((run.returncode, run.stdout), (0, "6.1.77\n"))

    def test_trees_that_will_not_do(self):
        inner, none = self.base / "out", self.folder / "none"
        inner.symlink_to(self.base)
        self.pristine = snapshot(self.base)
        two = "BASE and TARGET must be two trees, neither in the other"
        for args, says in (
                ((self.other("6.10.0"), self.target),
                 "6.10.0: Linux 6.10.0 is not supported; supported: 7.3, 6.12, 6.1"),
                ((none, self.target), "none: not a kernel tree: no Makefile"),
                (("--version-of", self.root / "none"), "root/none: not a kernel tree: no Makefile"),
                ((self.base, self.other("6.1.9")), "6.1.9: Linux 6.1.9, but BASE is 6.1.77"),
                ((self.base, none), "none: not a directory"),
                ((self.base, inner), two), ((self.base, self.base), two),
                ((self.base, self.base / "block"), two),
                ((self.base,), "BASE and TARGET are needed (see --help)"),
                ((self.base, "--files"), "no tree goes with this option (see --help)"),
                (("--frob",), "unrecognized arguments: --frob (see --help)")):
            with self.subTest(says):
                self.refused(says, args=args)
        shutil.rmtree(self.root)
        self.refused("root: not a directory")

    def test_where_an_overlay_was(self):
        self.put("fs/new.c", "x\n")
        self.apply()
        self.refused("target: not a pristine base: an overlay was applied to it",
                     args=(self.target, self.base))
        for path in ("../fs/x", "fs/../../x", "/etc/x", "junk"):
            put(self.target, ".overlay", f"replace {path}\n")
            self.refused(f"target/.overlay: {path}: not a path that this tool wrote")


if __name__ == "__main__":
    unittest.main()
