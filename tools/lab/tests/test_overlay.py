# SPDX-License-Identifier: GPL-2.0
"""Tests of overlay.py, each on a kernel tree of a few lines in a temporary directory.

After every test the base must be as it was; after every expected fault the target too.
Run as: python3 -m unittest discover -s tools/lab/tests
"""

import contextlib
import fcntl
import io
import os
import re
import resource
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
        self.put("fs/Kconfig.add", "# SPDX\nconfig NEW\n\tbool\n")
        self.put("fs/Makefile.add", "obj-y += three.o\n")
        self.assertEqual(self.apply()[:2], ["appended fs/Kconfig", "appended fs/Makefile"])
        self.target_is({"fs/Kconfig": BASE["fs/Kconfig"] + "# SPDX\nconfig NEW\n\tbool\n",
                        "fs/Makefile": BASE["fs/Makefile"] + "\nobj-y += three.o\n"})

    def test_append_before_a_line(self):
        self.put("fs/Kconfig.add", "# before: endmenu\n\nconfig NEW\n\tbool\n\n")
        self.apply()
        self.target_is({"fs/Kconfig": 'menu "Files"\n\nconfig THING\n\tbool "thing"\n\n'
                                      "config NEW\n\tbool\n\nendmenu\n"})

    def test_executable_bit(self):
        self.put("tools/testing/new.sh", "#!/bin/sh\n", 0o755)
        self.put("lib/run.sh.add", "true\n")
        self.put("fs/Kconfig", "# mine\n")
        self.replaces("fs/Kconfig")
        self.apply()
        modes = {p: bool(mode) for p, (_, mode) in sources(self.target).items()}
        self.assertEqual([p for p in modes if modes[p]], ["lib/run.sh", "tools/testing/new.sh"])
        (self.root / "tools/testing/new.sh").chmod(0o644)
        self.age()
        self.assertEqual(self.apply(), ["added tools/testing/new.sh",
                                        "overlay: 3 paths, 1 written"])
        status = (self.target / "tools/testing/new.sh").stat()
        self.assertEqual((status.st_mode & 0o111, status.st_mtime_ns), (0, OLD))

    def test_what_is_no_overlay(self):
        for path in ("README.md", "Makefile", "MAINTAINERS", ".ci/run", "series/one", "based/on",
                     "legacy/fs/x.c", "tools/lab/x.py", "out/fs/x.c", "kernel/x.c", "fsx/x.c"):
            self.put(path, "VERSION = 7\n")
        self.assertEqual(self.apply(), ["overlay: 0 paths, 0 written"])
        self.target_is({})

    def test_a_mutant_of_the_harness_is_a_plain_file(self):
        self.put("tools/testing/dio/at-once.cocci", "@@\n@@\n-a\n+b\n")
        self.assertEqual(self.apply()[0], "added tools/testing/dio/at-once.cocci")

    @needs_git
    def test_git_decides_in_a_checkout(self):
        self.put(".gitignore", "*.o\n")
        for name in ("tracked.c", "gone.c", "untracked.c", "built.o"):
            self.put("fs/" + name, "int x;\n")
        env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        for args in ("init -q", "add .gitignore fs/tracked.c fs/gone.c"):
            subprocess.run(["git", "-C", self.root, *args.split()], check=True, env=env)
        (self.root / "fs/gone.c").unlink()
        run = self.run_tool("--list", env=env)
        self.assertEqual((run.stderr, run.stdout),
                         ("", "replace fs/tracked.c\nreplace fs/untracked.c\n"))


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

    def test_a_layer_has_files_of_its_own(self):
        self.put("fs/new.c", "int trunk;\n")
        self.put("base/6.1/fs/new.c", "int layer;\n")
        self.put("base/6.1/fs/more.c", "int more;\n")
        self.put("base/6.12/fs/other.c", "int other;\n")
        self.put("base/6.12/fs/new.c.add", "int newer;\n")
        self.omit("fs/new.c", base="6.12")
        self.apply()
        self.target_is({"fs/new.c": "int layer;\n", "fs/more.c": "int more;\n"})

    def test_the_trunk_alone_is_for_the_newest(self):
        self.put("fs/new.c", "int trunk;\n")
        self.put("base/6.1/fs/new.c", "int layer;\n")
        self.omit("fs/new.c", base="6.12")
        self.of_version(7, 3, 4)
        self.apply()
        self.assertEqual(text_of(self.target, "fs/new.c"), "int trunk;\n")
        self.of_version(6, 12, 9)
        self.assertEqual(self.apply()[0], "deleted fs/new.c")

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

    def test_a_file_does_not_replace_what_an_edit_makes(self):
        self.put("fs/Kconfig.add", "config TRUNK\n")
        self.put("base/6.1/fs/Kconfig", "# mine\n")
        self.replaces("fs/Kconfig")
        self.fails("base/6.1/fs/Kconfig: replaces what fs/Kconfig.add makes: omit that")

    def test_faults_name_the_file_of_the_layer(self):
        self.put("fs/new.c", "x\n")
        self.put("base/6.1/fs/Kconfig.add", "config THING\n\tbool \"thing\"\n")
        self.put("base/6.1/fs/none.add", "x\n")
        self.put("base/6.1/fs/two.c", "x\n")
        self.put("base/6.1/fs/two.c.add", "x\n")
        self.fails("base/6.1/fs/two.c.add: base/6.1/fs/two.c is there too: one form for a path",
                   "base/6.1/fs/Kconfig.add: was applied before to fs/Kconfig",
                   "base/6.1/fs/none.add: the base has no fs/none")

    def test_omit_names_files_of_the_trunk(self):
        self.put("fs/Kconfig.add", "config TRUNK\n")
        self.omit("fs/Kconfig.add", "fs/Kconfig", "base/6.1/omit")
        self.fails("base/6.1/omit:4: the trunk has no file fs/Kconfig",
                   "base/6.1/omit:6: the trunk has no file base/6.1/omit")

    def test_lists_give_reasons(self):
        self.put("fs/one.c", "x\n")
        self.put("fs/two.c", "x\n")
        good = "# SPDX-License-Identifier: GPL-2.0\n\n# both are too new\n#\nfs/one.c\nfs/two.c\n"
        self.put("base/6.1/omit", good)
        self.assertEqual(self.apply(), ["overlay: 0 paths, 0 written"])
        for text, line in ((good.replace("\n\n", "\n").replace("# both are too new\n#\n", ""),
                            ":2: say why in a comment above fs/one.c"),
                           (good.replace("#\n", "#\n\n"), ":6: say why in a comment above "
                            "fs/one.c"),
                           (good.replace("both are too new", ""),
                            ":5: say why in a comment above fs/one.c"),
                           (good + "fs/one.c\n", ":7: fs/one.c is listed twice")):
            self.put("base/6.1/omit", text)
            self.fails("base/6.1/omit" + line)

    def test_only_what_is_listed_replaces_a_file_of_the_base(self):
        self.put("fs/Kconfig", "# mine\n")
        self.put("fs/new.c", "int new;\n")
        self.put("base/6.1/fs/Makefile", "# mine\n")
        refused = "%s: the base has fs/%s: edit it, or list it in base/replaces"
        self.fails(refused % ("fs/Kconfig", "Kconfig"),
                   refused % ("base/6.1/fs/Makefile", "Makefile"))
        self.replaces("fs/Kconfig")
        self.fails(refused % ("base/6.1/fs/Makefile", "Makefile"))
        self.replaces("fs/Kconfig", "fs/Makefile")
        self.apply()
        self.target_is({"fs/Kconfig": "# mine\n", "fs/Makefile": "# mine\n",
                        "fs/new.c": "int new;\n"})

    def test_what_is_listed_is_a_file_of_some_base(self):
        self.put("fs/new.c", "x\n")
        self.put("fs/Kconfig.add", "config NEW\n")
        self.put("base/6.12/fs/other.c", "x\n")
        self.replaces("fs/new.c", "fs/other.c", "fs/Kconfig", "fs/gone.c")
        self.fails("base/replaces:6: the overlay has no file fs/Kconfig",
                   "base/replaces:8: the overlay has no file fs/gone.c")

    def test_what_has_no_place_below_base(self):
        held = "base/ holds base/replaces and the layers of 6.12, 6.1"
        for name, says in (
                ("base/7.3/fs/x.c", "7.3 is the base of the trunk and has no layer"),
                ("base/5.10/fs/x.c", held), ("base/README", held), ("base/6.1", held),
                ("base/6.1/kernel/x.c", "base/6.1/ holds omit, series/, Documentation/, arch/, block/, "
                 "drivers/, fs/, include/, lib/, mm/, tools/testing/")):
            self.put(name, "x\n")
            with self.subTest(name):
                self.fails(f"{name}: {says}", args=("--list",))
                self.fails(f"{name}: {says}")
            shutil.rmtree(self.root / "base")
        self.put("base/6.1/series/lists/10-x", "x\n")
        self.assertEqual(self.apply(), ["overlay: 0 paths, 0 written"])

    def test_list_of_a_base(self):
        self.put("fs/a.c", "")
        self.put("fs/Kconfig.add", "x\n")
        self.put("fs/b.h.cocci", "")
        self.put("base/6.1/fs/b.h.cocci", "")
        self.put("base/6.1/fs/c.c", "")
        self.put("base/6.12/fs/d.c", "")
        self.omit("fs/Kconfig.add")
        self.replaces("fs/a.c")
        forms = "append fs/Kconfig\nreplace fs/a.c\nedit fs/b.h\n"
        old = "replace fs/a.c\nedit fs/b.h\nedit fs/b.h\nreplace fs/c.c\n"
        names = "base/replaces\nfs/Kconfig.add\nfs/a.c\nfs/b.h.cocci\n"
        old_names = "base/6.1/fs/b.h.cocci\nbase/6.1/fs/c.c\nbase/6.1/omit\nbase/replaces\n" \
                    "fs/a.c\nfs/b.h.cocci\n"
        for args, want in ((("--list",), forms), (("--list", "--base", "7.3"), forms),
                           (("--list", "--base", "6.1"), old), (("--files",), names),
                           (("--files", "--base", "6.1"), old_names)):
            with self.subTest(args):
                run = self.run_tool(*args)
                self.assertEqual((run.returncode, run.stdout, run.stderr), (0, want, ""))
        self.refused("no base 6.2: 7.3, 6.12, 6.1 (see --help)", args=("--list", "--base", "6.2"))
        self.refused("--base goes with --list and --files (see --help)",
                     args=(self.base, self.target, "--base", "6.1"))

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
                   "base/6.12/block/thing.c.cocci:1: unnamed rule", args=("--check-smpl",))

    @needs_spatch
    def test_try_says_each_rule_that_does_not_match(self):
        self.put("block/thing.c.cocci", "@gone@\n@@\n-gone();\n\n" + LOCKS + "\n" + EXPORT +
                 "\n@lost@\n@@\n-lost();\n")
        self.put("base/6.1/block/thing.c.cocci",
                 "@after@\ndeclarer name EXPORT_SYMBOL_GPL;\n@@\n EXPORT_SYMBOL_GPL(second);\n"
                 "+EXPORT_SYMBOL_GPL(fourth);\n\n@absent@\n@@\n-absent();\n")
        self.put("include/linux/thing.h.cocci", FIELD)
        self.put("fs/Kconfig", "x\n")
        said = ("base/6.1/block/thing.c.cocci: rule absent: matches nothing in block/thing.c",
                "block/thing.c.cocci: rule gone: matches nothing in block/thing.c",
                "block/thing.c.cocci: rule locks: matches 2 places in block/thing.c, 1 declared",
                "block/thing.c.cocci: rule lost: matches nothing in block/thing.c",
                "fs/Kconfig: the base has fs/Kconfig: edit it, or list it in base/replaces")
        self.fails(*said, args=("--try", self.base))
        self.fails(said[1], said[4])
        for name in ("block/thing.c.cocci", "base/6.1/block/thing.c.cocci", "fs/Kconfig"):
            (self.root / name).unlink()
        run = self.run_tool("--try", self.base)
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (0, "overlay: 1 paths, every rule matches\n", ""))
        self.refused("none: not a kernel tree: no Makefile", args=("--try", self.folder / "none"))


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

    def test_objects_outlive_a_deleted_source(self):
        self.fill()
        self.apply()
        put(self.target, "fs/new/deep.o", "object")
        (self.root / "fs/new/deep.c").unlink()
        self.apply()
        self.assertEqual(os.listdir(self.target / "fs/new"), ["deep.o"])

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
        spoilt = self.folder / "spoilt"
        self.put("fs/first.c", "int first;\n")
        self.put("fs/Kconfig.add", "# first\n")
        self.apply()
        steps = 0
        while True:
            shutil.rmtree(self.root)
            self.put("fs/Makefile.add", "# second\n")
            self.put("lib/second.c", "int second;\n")
            shutil.copytree(self.target, spoilt)
            finished = self.stop_after(steps, spoilt)
            shutil.rmtree(self.root)
            self.put("fs/third.c", "int third;\n")
            run = self.run_tool(self.base, spoilt)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            want = {**sources(self.base), "fs/third.c": (b"int third;\n", 0)}
            self.assertEqual(sources(spoilt), want, f"after {steps} steps")
            shutil.rmtree(spoilt)
            if finished:
                break
            steps += 1
        self.assertEqual(steps, 6)      # the manifest twice, one deletion, three files

    def stop_after(self, steps, target):
        """Apply in this process, killed at the given step. True if it came to the end."""
        class Killed(BaseException):
            pass

        def counting(call):
            def wrapped(*args, **keys):
                nonlocal steps
                if str(args[-1]).startswith(str(target)):
                    if not steps:
                        raise Killed
                    steps -= 1
                return call(*args, **keys)
            return wrapped

        with mock.patch("os.replace", counting(os.replace)), \
             mock.patch("os.unlink", counting(os.unlink)), \
             contextlib.redirect_stdout(io.StringIO()):
            try:
                overlay.do_apply(self.base, target, self.root)
                return True
            except Killed:
                return False


class Faults(OverlayTest):
    def edit_fails(self, text, *lines):
        """The only fault is in block/thing.c.cocci; a good file beside it is not written either."""
        self.put("fs/good.c", "int good;\n")
        self.put("block/thing.c.cocci", text)
        self.fails(*("block/thing.c.cocci" + line for line in lines))

    @needs_spatch
    def test_a_dropped_rule_matches_nothing(self):
        """spatch drops a rule that adds after a prototype, and with another says nothing of it."""
        after = "@after@\n@@\n int second(...);\n+int fourth(void);\n"
        self.put("include/linux/thing.h.cocci", after + FIELD)
        self.fails("include/linux/thing.h.cocci: rule after: matches nothing in "
                   "include/linux/thing.h")
        self.put("include/linux/thing.h.cocci", after)
        self.fails("include/linux/thing.h.cocci: spatch drops all rules: does one add after a "
                   "prototype?")

    @needs_spatch
    def test_matches_in_part(self):
        self.edit_fails("// places: 3\n" + LOCKS,
                        ": rule locks: matches in part: 2 of 3 places in block/thing.c")

    @needs_spatch
    def test_insertion_applied_before(self):
        for spaced in ("\nEXPORT_SYMBOL", "\n\n  EXPORT_SYMBOL"):
            self.put_base("block/thing.c", BASE["block/thing.c"].replace("\nEXPORT_SYMBOL", spaced))
            self.edit_fails(EXPORT.replace("second", "third"),
                            ": rule export: was applied before to block/thing.c")

    @needs_spatch
    def test_one_place_of_two_applied_before(self):
        self.put_base("block/thing.c", BASE["block/thing.c"].replace(
            "\tlock_thing(t);\n\tif", "\tlock_thing(t);\n\tnote(t);\n\tif"))
        self.edit_fails("// places: 2\n" + LOCKS,
                        ": rule locks: was applied before to block/thing.c")

    @needs_spatch
    def test_vanished_anchor_applied_before(self):
        self.put_base("include/linux/thing.h",
            "struct thing {\n\tint a;\n\tint b;\n\tint  c;\n};\n")
        self.put("include/linux/thing.h.cocci", FIELD)
        self.fails("include/linux/thing.h.cocci: rule thing_c: matches nothing in "
                   "include/linux/thing.h, and what it adds is there")

    @needs_spatch
    def test_applied_before_is_not_guessed_of_metavariables(self):
        rule = "@gone@\n%s t;\n@@\n gone(t);\n+lock_thing(t);\n"
        self.edit_fails(rule % "expression", ": rule gone: matches nothing in block/thing.c")
        self.edit_fails(rule % "symbol", ": rule gone: matches nothing in block/thing.c, and what "
                        "it adds is there")

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
    def test_spatch_cannot_parse(self):
        self.edit_fails("@r@\n@@\n-int first(void\n+int f(void)\n { ... }\n",
                        ":5: spatch: parse error near '{'")

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
                self.put_base("block/thing.c", "int other;\n" + BASE["block/thing.c"])
                self.assertRaises(KeyError, self.apply)
                self.put_base("block/thing.c", BASE["block/thing.c"])
                self.put("block/thing.c.cocci", LOCKS)
                self.assertRaises(KeyError, self.apply)

    def with_spatch(self, script):
        tools = self.folder / "bin"
        tools.mkdir()
        if script:
            put(tools, "spatch", "#!/bin/sh\n" + script, 0o755)
        return {**os.environ, "PATH": str(tools)}

    def test_spatch_crashes(self):
        self.put("block/thing.c.cocci", EXPORT)
        self.fails("block/thing.c.cocci: spatch died of signal 11",
                   env=self.with_spatch("kill -SEGV $$\n"))

    def test_spatch_fails(self):
        self.put("block/thing.c.cocci", EXPORT)
        self.fails("block/thing.c.cocci: spatch failed with code 2: Stack overflow",
                   env=self.with_spatch("echo init_defs_builtins: x >&2\n"
                                        "echo Stack overflow >&2\nexit 2\n"))

    def test_spatch_missing(self):
        self.put("block/thing.c.cocci", EXPORT)
        env = self.with_spatch(None)
        self.refused("spatch not found: install the package coccinelle", env=env)
        self.refused("spatch not found: install the package coccinelle", env=env,
                     args=("--check-smpl",))

    def test_append_applied_before(self):
        for head in ("", "# before: endmenu\n"):
            self.put("fs/Kconfig.add", head + "config THING\n\n\tbool  \"thing\"\n")
            self.fails("fs/Kconfig.add: was applied before to fs/Kconfig")

    def test_append_of_nothing(self):
        for head in ("", "# before: endmenu\n"):
            self.put("fs/Kconfig.add", head + "\n \n")
            self.fails("fs/Kconfig.add: adds nothing")

    def test_append_before_a_line_that_is_not_there_once(self):
        self.put("fs/Kconfig.add", "# before: endif\nconfig NEW\n")
        self.fails('fs/Kconfig.add:1: fs/Kconfig has no line "endif"')
        self.put("fs/Kconfig.add", "# before: bool\nconfig NEW\n")
        self.put_base("fs/Kconfig", "\tbool\nbool\n")
        self.fails('fs/Kconfig.add:1: fs/Kconfig has 2 lines "bool", one is needed')

    @needs_spatch
    def test_line_ends_of_another_system(self):
        for path in ("fs/Kconfig", "block/thing.c", "lib/run.sh"):
            self.put_base(path, BASE[path].replace("\n", "\r\n"),
                0o755 if path.endswith(".sh") else 0o644)
        self.put("fs/Kconfig.add", "config NEW\n")
        self.put("block/thing.c.cocci", EXPORT)
        self.put("lib/run.sh", "#!/bin/sh\nfalse\n", 0o755)
        self.fails(*(f"{name}: {path} has CRLF line ends in the base: convert the tree, and try "
                     "again" for name, path in (("block/thing.c.cocci", "block/thing.c"),
                                                ("fs/Kconfig.add", "fs/Kconfig"),
                                                ("lib/run.sh", "lib/run.sh"))))

    def test_append_to_a_missing_file(self):
        self.put("fs/none.add", "x\n")
        self.fails("fs/none.add: the base has no fs/none")

    def test_one_form_for_a_path(self):
        self.put("fs/Kconfig", "x\n")
        self.put("fs/Kconfig.add", "x\n")
        self.put("fs/x.c.cocci", FIELD)
        self.put("fs/x.c.add", "x\n")
        lines = ("fs/Kconfig.add: fs/Kconfig is there too: one form for a path",
                 "fs/x.c.cocci: fs/x.c.add is there too: one form for a path")
        self.fails(*lines, args=("--list",))

    def test_symbolic_links(self):
        (self.root / "fs").mkdir()
        (self.root / "fs/file").symlink_to("/etc/hostname")
        (self.root / "fs/folder").symlink_to("/etc")
        self.fails("fs/file: not a regular file", "fs/folder: not a regular file")

    def test_links_in_the_base(self):
        (self.base / "lib/Kconfig").symlink_to("../fs/Kconfig")
        (self.base / "mm").symlink_to("block")
        self.pristine = snapshot(self.base)
        self.put("lib/Kconfig.add", "# more\n")
        self.put("mm/thing.c.cocci", EXPORT)
        said = " is a link in the base, and no patch goes through one"
        self.fails("lib/Kconfig.add: lib/Kconfig" + said, "mm/thing.c.cocci: mm" + said)

    def test_folder_where_a_file_should_be(self):
        (self.base / "fs/sub").mkdir()
        self.pristine = snapshot(self.base)
        self.put("fs/sub", "x\n")
        self.fails("fs/sub: fs/sub is no regular file in the base")

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

    def test_lines_added(self):
        old = "a \n\nb\n"
        for new, wanted in ((old, old),
                            ("a \n\t\n\nc \nb\n", "a \n\nc\nb\n"),
                            ("a \n\n\t\nb\n", "a \n\nb\n"),
                            ("a \n\nb\n\t\nc\n", "a \n\nb\n\nc\n")):
            with self.subTest(new=new):
                self.assertEqual(overlay.tidy(old, new), wanted)

    def test_lines_indented_with_blanks(self):
        old, rule = "a\n", "+int f(int one,\n+\t\t\tint two)\n"
        for new, wanted in (("int f(int one,\n      int two)\na\n",
                             "int f(int one,\n\t\t\tint two)\na\n"),
                            ("      int three)\na\n", "      int three)\na\n"),
                            ("\tint two)\na\n", "\tint two)\na\n")):
            with self.subTest(new=new):
                self.assertEqual(overlay.tidy(old, new, rule), wanted)
        new = "  a;\n  b;\n"       # the rule does not say how far
        self.assertEqual(overlay.tidy("  a;\n", new, "+b;\n"), new)

    def test_members_of_an_initializer(self):
        old, rule = "\t.a = b,\n", "+\t.open\t\t= f,\n"
        for new, wanted in (("\t.a = b,\n\t.open  = f,\n", "\t.a = b,\n\t.open\t\t= f,\n"),
                            ("\t.open  = f,\n\t.a = b,\n", "\t.open\t\t= f,\n\t.a = b,\n"),
                            ("\t.a = b,\n\t.open = g,\n", "\t.a = b,\n\t.open = g,\n")):
            with self.subTest(new=new):
                self.assertEqual(overlay.tidy(old, new, rule), wanted)


class Lint(OverlayTest):
    """What --check-smpl refuses, and applying too."""

    def setUp(self):
        super().setUp()
        if not shutil.which("spatch"):
            self.skipTest("spatch (package coccinelle) not found")

    def test_what_is_refused(self):
        for text, line in (
                ("// x\n\n@@\n@@\n-a;\n", ":3: unnamed rule"),
                (EXPORT + "@ depends on export @\n@@\n-a;\n", ":8: unnamed rule"),
                ("@a@\n@@\n first(...);\n\n@b@\n@@\n-a;\n",
                 ":1: rule a: only matches: each rule must edit"),
                ("@a@\n@@\n second(...)\n {\n \t<...\n-\ta\n+\tb\n \t...>\n }\n",
                 ":5: <... matches zero times without a word: use <+..."),
                ("@script:python@\n@@\nprint(1)\n", ":1: script rules are not supported"),
                ("@initialize:python@\n@@\nx = 1\n", ":1: script rules are not supported"),
                ("virtual patch\n" + EXPORT, ":1: virtual rules are not supported"),
                ("# spatch --in-place\n" + EXPORT, ":1: only comments may precede the first rule"),
                ("@a@ @@\n-a;\n", ":1: the header of a rule needs the form @name ...@ and its own "
                 "line"),
                (EXPORT + EXPORT, ":8: rule export: a second rule of this name"),
                ("@a@\nexpression e;\n", ":1: rule a: its declarations do not end"),
                ("@a@\n@b@\n@@\n-a;\n", ":2: the line that ends the declarations is @@ alone"),
                ("// nothing\n", ": holds no rule"),
                ("// places: two\n" + EXPORT, ":1: write this as // places: N"),
                ("// places: 0\n" + EXPORT, ":1: write this as // places: N"),
                ("// places: 2\n\n" + EXPORT,
                 ":1: // places: N goes directly above the header of a rule"),
                (EXPORT + "// places: 2\n",
                 ":8: // places: N goes directly above the header of a rule"),
                ("@a@\n@@\n-a;\n+b(\"/*\");\n@@\n@@\n-c(\"*/\");\n", ":5: unnamed rule")):
            self.put("block/thing.c.cocci", text)
            for args in (("--check-smpl",), (self.base, self.target)):
                with self.subTest(text, args=args[0]):
                    self.fails("block/thing.c.cocci" + line, args=args)

    def test_loud_dots_and_comments_are_fine(self):
        self.put("block/thing.c.cocci", "// <...\n@a@\n@@\n int second(...)\n {\n \t<+...\n"
                 "-\treturn 1;\n+\treturn 2; // <...\n \t...+>\n }\n")
        self.apply()
        self.assertIn("\t\treturn 2;", text_of(self.target, "block/thing.c"))

    def test_only_c_is_edited(self):
        self.put("fs/Kconfig.cocci", EXPORT)
        self.fails("fs/Kconfig.cocci: a semantic patch edits only .c and .h files",
                   args=("--check-smpl",))


class Trees(OverlayTest):
    def test_version_of(self):
        run = self.run_tool("--version-of", self.base)
        self.assertEqual((run.returncode, run.stdout), (0, "6.1.77\n"))

    def other_base(self, makefile):
        other = self.folder / "other"
        put(other, "Makefile", makefile)
        return other

    def test_unsupported_version(self):
        other = self.other_base("VERSION = 6\nPATCHLEVEL = 10\nSUBLEVEL = 0\n")
        self.refused("other: Linux 6.10.0 is not supported; supported: 7.3, 6.12, 6.1",
                     args=(other, self.target))

    def test_not_a_kernel_tree(self):
        self.refused("none: not a kernel tree: no Makefile",
                     args=(self.folder / "none", self.target))
        other = self.other_base("all:\n\ttrue VERSION = 6\n")
        self.refused("other: not a kernel tree: no VERSION in its Makefile",
                     args=(other, self.target))
        self.refused("other: not a kernel tree: no VERSION in its Makefile",
                     args=("--version-of", other))

    def test_target_of_another_version(self):
        other = self.other_base("VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 9\n")
        self.refused("other: Linux 6.1.9, but BASE is 6.1.77", args=(self.base, other))

    def test_target_missing(self):
        self.refused("none: not a directory", args=(self.base, self.folder / "none"))

    def test_base_is_never_the_target(self):
        inner = self.base / "out"
        message = "BASE and TARGET must be two trees, neither in the other"
        inner.symlink_to(self.base)
        self.pristine = snapshot(self.base)
        self.refused(message, args=(self.base, inner))
        self.refused(message, args=(self.base, self.base))
        self.refused(message, args=(self.base, self.base / "block"))

    def test_base_with_an_overlay(self):
        self.put("fs/new.c", "x\n")
        self.apply()
        self.refused("target: not a pristine base: an overlay was applied to it",
                     args=(self.target, self.base))

    def test_manifest_of_another(self):
        for line in ("replace ../fs/x", "replace fs/../../x", "replace /etc/x", "junk", "odd fs/x"):
            put(self.target, ".overlay", line + "\n")
            self.refused("target/.overlay:1: not a line that this tool wrote")

    def test_overlay_missing(self):
        shutil.rmtree(self.root)
        self.refused("root: not a directory")

    def test_two_at_once(self):
        handle = os.open(self.target, os.O_RDONLY)
        self.addCleanup(os.close, handle)
        fcntl.flock(handle, fcntl.LOCK_EX)
        self.put("fs/new.c", "x\n")
        self.refused("target: another run is at work on it")

    def test_usage(self):
        self.refused("BASE and TARGET are needed (see --help)", args=(self.base,))
        self.refused("no tree goes with this option (see --help)", args=(self.base, "--list"))
        self.refused("unrecognized arguments: --frob (see --help)", args=("--frob",))

    def test_disk_full(self):
        """The writer stops at the big file: one line, and the next run completes the work."""
        self.put("fs/a.c", "x\n")
        self.put("fs/big.c", "x" * 100000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        run = subprocess.run([sys.executable, "-B", TOOL, self.base, self.target, "--overlay",
                              self.root], preexec_fn=limit, capture_output=True, text=True,
                             check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr),
                         (2, "added fs/a.c\n", "overlay: system: File too large\n"))
        self.assertEqual(self.apply(), ["added fs/big.c", "overlay: 2 paths, 1 written"])
        self.assertFalse((self.target / ".overlay.tmp").exists())


if __name__ == "__main__":
    unittest.main()
