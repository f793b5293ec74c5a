#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the patches of this repository for a kernel tree.

    series.py TREE [--out DIR] [--overlay ROOT]   write DIR/series-6.1/ or, of an older TREE,
                                                  DIR/series-VERSION-NAME/ (DIR: $O or out)
    series.py --check [--overlay ROOT]            is every path in exactly one patch?

For Linux 6.1 each file of series/ is a patch, in the order of the names, which begin with a number
of their own: its message, and below "Paths:" what it carries (a path of the kernel, or a folder
with a slash at its end; or "PATH up to RULE", the first rules of an edit that a later patch carries
whole). A folder of series/ is a patch, too: its message, and edits, in the three forms of
overlay.py, of what the patches before it have left. series/cover is the cover letter; {results} in
it becomes a few rows of DIR/results.json, "Left out:" names paths that stay in this repository,
"Checkpatch:" what checkpatch --strict may say (type, file, reason).

For 2.4 and 2.6 each folder legacy/GENERATION/FIX/ is a patch: its message, and files in the three
forms of overlay.py. Below the message stands

    Trees: A - B        the versions that it is for
    Word: NAME TEXT     NAME in the rules and in what follows here is to read TEXT, in a tree where
                        all lines below hold; the first such section of a NAME counts
    Has: [REMARK]       likewise, a tree that has the fix; the section may come again
    Not needed: REASON  likewise, a tree that can do without
    Stop: REASON        likewise, a tree that is refused though it is neither

Such lines, each after a tab: "PATH" (it exists), "no PATH", "PATH: TEXT" (TEXT stands in it, white
space and comments aside), "PATH, not: TEXT". A tree that neither has a fix nor can do without must
take every rule of it. One that does not is refused and the rule named: nothing is written. Fixes
build on those before them, so none is looked at behind the first that does not fit.

TREE is only read. Patches are made in a scratch git repository with the identity of the user (git
config user.name, user.email); the date is that of the newest commit here, so that a second run
writes nothing. Nothing is signed off: that is for a person to do, and a README beside the patches
says how. Exit code as of overlay.py: 0 done, 1 a rule or patch is at fault or does not fit TREE,
2 usage, tree or system.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench  # noqa: E402 (the path comes first)
import overlay  # noqa: E402
from overlay import Applied, Fault, Refusal  # noqa: E402

COVER = "cover"
COVER_FILE = "0000-cover-letter.txt"                # not .patch: git am DIR/*.patch is to work
README = "README"
MESSAGE = "message"
MESSAGE_WIDTH = 75      # checkpatch.pl's
SECTIONS = ("Paths", "Left out", "Checkpatch", "Trees", "Has", "Not needed", "Stop", "Word")
VERSION = re.compile(r"\d+\.\d+\.\d+")
UP_TO = re.compile(r"(\S+) up to (\w+)")


@dataclass
class Section:
    title: str
    remark: str
    line: int
    lines: list = field(default_factory=list)


@dataclass
class Letter:
    name: str                                       # of its file, relative to the root
    text: str = ""
    sections: list = field(default_factory=list)

    def all(self, title):
        return [s for s in self.sections if s.title == title]

    def lines(self, title):
        return [line for s in self.all(title) for line in s.lines]

    def pairs(self, title):
        """{first word: the rest} of the lines below title."""
        return dict((line.split(None, 1) + [""])[:2] for line in self.lines(title))


@dataclass
class Patch:
    letter: Letter
    contents: dict      # {path: Content}


# Letters

def read_letter(root, name):
    """A message with its sections, which come last."""
    letter, text = Letter(name), []
    for number, line in enumerate((root / name).read_text().splitlines(), 1):
        where = f"{name}:{number}"
        head = re.fullmatch(rf"({'|'.join(SECTIONS)}):(?:\s+(.*))?", line)
        if head:
            if head[1] == "Word" and len((head[2] or "").split()) < 2:
                raise Fault(where, "write it as Word: NAME TEXT")
            letter.sections.append(Section(head[1], head[2] or "", number))
        elif letter.sections and line.startswith("\t") and line.strip():
            letter.sections[-1].lines.append(line.strip())
        elif letter.sections and line.strip():
            raise Fault(where, "below a section's heading each line starts with a tab")
        elif not letter.sections and (text or not line.startswith("#")):
            text.append(line)
    letter.text = "\n".join(text).strip() + "\n"
    lines = letter.text.splitlines()
    if not lines[0] or len(lines) > 1 and lines[1]:
        raise Fault(name, "a message is a subject, an empty line, and why")
    for line in lines:
        if len(line) > MESSAGE_WIDTH:
            raise Fault(name, f"a message has at most {MESSAGE_WIDTH} characters a line: {line}")
    return letter


def letters(root, folder):
    names = sorted(p.name for p in (root / folder).iterdir() if p.name != COVER)
    for one, other in zip(names, names[1:]):
        if one.split("-")[0] == other.split("-")[0]:
            raise Fault(f"{folder}/{other}", f"has the number of {folder}/{one}")
    return [read_letter(root, f"{folder}/{name}" + f"/{MESSAGE}" * (root / folder / name).is_dir())
            for name in names]


# The series for 6.1: who carries what

def is_step(letter):
    """Does it edit by itself, in place of carrying paths of the overlay?"""
    return letter.name.endswith(f"/{MESSAGE}")


def covers(line, path):
    return path.startswith(line) if line.endswith("/") else path == line


def carriers(patches, cover, paths):
    """{letter's name: its paths}, and the faults: a path in none or in two, a line for nothing."""
    claims = [(p.name, line) for p in patches for line in p.lines("Paths")
              if not UP_TO.fullmatch(line)]
    claims += [(cover.name, line) for line in cover.pairs("Left out")]
    found, faults = {p.name: [] for p in patches}, []
    for path in paths:
        takers = [name for name, line in claims if covers(line, path)]
        if not takers:
            faults.append(Fault(path, "no file of series/ carries it, nor does series/cover "
                                "leave it out"))
        elif len(takers) > 1:
            faults.append(Fault(path, f"is carried by {' and '.join(takers)}"))
        elif takers[0] != cover.name:
            found[takers[0]].append(path)
    faults += [Fault(name, f"{line}: the overlay has no such path") for name, line in claims
               if not any(covers(line, path) for path in paths)]
    faults += [Fault(p.name, "carries no path") for p in patches
               if not is_step(p) and not p.lines("Paths")]
    return found, faults


def modern(root):
    """The letters, the cover, the overlay and who carries what of it."""
    found, faults = overlay.scan(root)
    patches, cover = letters(root, "series"), read_letter(root, f"series/{COVER}")
    carried, more = carriers(patches, cover, sorted(found))
    return patches, cover, found, carried, faults + more


def first_rules(root, line, scratch):
    """"PATH up to RULE" as an overlay of its own, in scratch."""
    path, last = UP_TO.fullmatch(line).groups()
    name = f"{path}.cocci"
    text = (root / name).read_text()
    rule = next((r for r in overlay.lint(name, text) if r.name == last), None)
    if not rule:
        raise Fault(name, f"has no rule {last}")
    (scratch / name).parent.mkdir(parents=True)
    (scratch / name).write_text("\n".join(text.split("\n")[:rule.last]) + "\n")
    return overlay.scan(scratch)


def part_of(root, letter, tree, now):
    """What a patch makes of a file before another patch brings the whole: ({path: Content}, faults).
    tree: the base; now: what the patches before have made of it."""
    if is_step(letter):
        folder = (root / letter.name).parent
        found, faults = overlay.scan(folder)
        gather(tree, now, found)
        contents, more = overlay.plan(folder, found, now)
        return contents, [named(root, folder, fault) for fault in faults + more]
    contents, faults = {}, []
    for line in filter(UP_TO.fullmatch, letter.lines("Paths")):
        with tempfile.TemporaryDirectory(prefix="series.") as scratch:
            found, more = first_rules(root, line, Path(scratch))
            part, fail = overlay.plan(Path(scratch), found, tree)
        contents.update(part)
        faults += more + fail
    return contents, faults


def modern_patches(root, tree):
    patches, cover, found, carried, faults = modern(root)
    if faults:
        raise faults[0]
    whole, faults = overlay.plan(root, found, tree)
    made = []
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        now = Path(scratch)
        for letter in patches if not faults else ():
            contents, more = part_of(root, letter, tree, now)
            faults += more
            contents.update({path: whole[path] for path in carried[letter.name]})
            for path, content in contents.items() if not more else ():
                put(now, path, content.data, 0o644)
            made.append(Patch(letter, contents))
    return made, cover, faults


# The fixes for 2.4 and 2.6: does a tree have one, need it, or neither?

def numbers(version):
    return tuple(map(int, version.split(".")))


def trees_of(letter):
    """(first, last) version that a fix is for."""
    remark = "".join(s.remark for s in letter.all("Trees"))
    ends = remark.split(" - ")
    if len(ends) != 2 or not all(map(VERSION.fullmatch, ends)):
        raise Fault(letter.name, "write the versions as Trees: 2.6.8 - 2.6.32")
    return tuple(ends)


def known(root):
    """{folder of a fix: its letter}, in the order in which they are applied."""
    folders = sorted(p.parent for p in (root / "legacy").glob(f"*/*/{MESSAGE}"))
    return {f: read_letter(root, (f / MESSAGE).relative_to(root).as_posix()) for f in folders}


def plain(data):
    """Source text without comments, with one space for each white space."""
    text = re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda m: m[1] or " ",
                  data.decode("latin-1"), flags=re.S)
    return " ".join(text.split())


def newest(trees, path):
    """A file of the tree, as the fixes so far have made it; trees: (TREE, work tree)."""
    return next((t / path for t in reversed(trees) if (t / path).exists()), trees[0] / path)


def holds(trees, line):
    """Is what a line below Has, Not needed, Stop or Word says so?"""
    path, colon, text = line.partition(": ")
    if not colon:
        gone = line.startswith("no ")
        return gone != newest(trees, line[3:] if gone else line).exists()
    wanted = not path.endswith(", not")
    file = newest(trees, path.removesuffix(", not"))
    return file.is_file() and (plain(text.encode()) in plain(file.read_bytes())) == wanted


def fill_in(words, text):
    """The text with the tree's words in it; words: {NAME: TEXT}."""
    for name, value in words.items():
        text = re.sub(rf"\b{name}\b", lambda _, value=value: value, text)
    return text


def holding(trees, letter, title, words):
    """The first section of this title of which every line holds."""
    for section in letter.all(title):
        if all(holds(trees, fill_in(words, line)) for line in section.lines):
            return section
    return None


def words_of(letter, trees):
    """{NAME: TEXT, or None if no section fits}."""
    words = {}
    for section in letter.all("Word"):
        name, value = section.remark.split(None, 1)
        if words.setdefault(name) is None and all(holds(trees, line) for line in section.lines):
            words[name] = value
    return words


def wordless(letter, name, trees):
    """Why there is no text for a word."""
    sections = [s for s in letter.all("Word") if s.remark.split()[0] == name]
    paths = sorted({line.partition(": ")[0] for s in sections for line in s.lines})
    gone = [path for path in paths if not newest(trees, path).exists()]
    return Fault(f"{letter.name}:{sections[0].line}", f"the tree has no {gone[0]}" if gone else
                 f"{' and '.join(paths)} read otherwise than this fix knows (Word: {name})")


def spoken(folder, words, scratch):
    """The folder of a fix; if it has words to fill in, a copy in scratch with the tree's."""
    if not words:
        return folder
    copy = scratch / folder.name
    shutil.copytree(folder, copy)
    for file in copy.rglob("*.cocci"):
        file.write_text(fill_in(words, file.read_text()))
    return copy


def gather(tree, work, paths):
    """Copy what a fix looks at into the work tree, if no fix before did."""
    for path in paths:
        copy = work / path
        if (tree / path).is_file() and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree / path, copy)


def named(root, folder, fault):
    """A fault of a fix, with file and line of the rule from the root of the repository."""
    where, what = str(fault).split(": ", 1)
    file, rule = folder / where, re.match(r"rule (\w+):", what)
    if rule and file.is_file():
        heads = [n for n, line in enumerate(file.read_text().splitlines(), 1)
                 if re.match(rf"@\s*{rule[1]}\b", line)]
        where = ":".join([where, *map(str, heads)])
    return Fault(f"{folder.relative_to(root).as_posix()}/{where}", what)


def why_not(step, *args):
    """The fault that one step of a fix meets, if any."""
    try:
        step(*args)
    except Fault as fault:
        return fault
    return None


def one_rule(name, path, rule, text, file):
    """Apply a rule by itself."""
    lines = "\n".join(text.split("\n")[rule.line - 1:rule.last])
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        then = overlay.after_rules(name, lines, file, scratch)
    overlay.judge(name, path, rule, file.read_bytes().decode("latin-1"), then)


def step_by_step(folder, found, tree):
    """(what to say if it is missing, what speaks against it or None) of each step by itself."""
    missing = "is missing, though more of this fix is in the tree"
    for path, source in found.items():
        name, file = source.name, tree / path
        if source.form == "append":
            yield Fault(name, missing), why_not(overlay.appended, folder, name, file, path)
        elif source.form == "edit":
            text = (folder / name).read_text()
            for rule in overlay.lint(name, text):
                yield rule.fault(name, missing), why_not(one_rule, name, path, rule, text, file)


def halves(folder, found, tree, faults):
    """The faults of a fix; where most of it is in the tree already, those of what is missing."""
    if not all((tree / path).is_file() for path in found):
        return faults
    steps = list(step_by_step(folder, found, tree))
    there = [why for _, why in steps if isinstance(why, Applied)]
    missing = [fault for fault, why in steps if not why]
    return missing if 0 < len(missing) <= len(there) else faults


def legacy_fix(root, folder, letter, trees, scratch):
    """(what is to be said of a fix, its Patch or None, faults); trees: (TREE, work tree)."""
    words = words_of(letter, trees)
    known_words = {name: value for name, value in words.items() if value}
    for title, verdict in (("Has", "already there"), ("Not needed", "not needed")):
        section = holding(trees, letter, title, known_words)
        if section:
            return f"{verdict}: {section.remark}".removesuffix(": "), None, []
    stop = holding(trees, letter, "Stop", known_words)
    if stop:
        return "", None, [Fault(f"{letter.name}:{stop.line}", stop.remark)]
    for name in set(words) - set(known_words):
        return "", None, [wordless(letter, name, trees)]
    spoken_folder = spoken(folder, words, scratch)
    found, faults = overlay.scan(spoken_folder)
    gather(*trees, found)
    contents, more = overlay.plan(spoken_folder, found, trees[1])
    if faults + more:
        faults = halves(spoken_folder, found, trees[1], faults + more)
        return "", None, [named(root, folder, fault) for fault in faults]
    for path, content in contents.items():
        (trees[1] / path).parent.mkdir(parents=True, exist_ok=True)
        (trees[1] / path).write_bytes(content.data)
    return "written", Patch(letter, contents), []


def legacy_patches(root, tree, version):
    """([(fix, what is to be said of it)], its patches, faults) for an old tree."""
    fixes = {folder: letter for folder, letter in known(root).items()
             if numbers(trees_of(letter)[0]) <= numbers(version) <= numbers(trees_of(letter)[1])}
    if not fixes:
        generations = sorted({trees_of(letter) for letter in known(root).values()},
                             key=lambda ends: [*map(numbers, ends)])
        raise Refusal(f"{tree}: nothing is known of Linux {version}; there are fixes for "
                      + ", ".join([*map(" to ".join, generations), *overlay.SUPPORTED]))
    said, patches = [], []
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        work = Path(scratch, "work")
        work.mkdir()
        for folder, letter in fixes.items():
            verdict, patch, faults = legacy_fix(root, folder, letter, (tree, work), Path(scratch))
            if faults:
                return said, patches, faults
            said.append((folder.relative_to(root / "legacy").as_posix(), verdict))
            patches += [patch] if patch else []
    return said, patches, []


# Trees

def git(folder, *args, env=None):
    outer = {k: v for k, v in os.environ.items()            # a hook of git may have started us
             if not k.startswith("GIT_") or k.startswith("GIT_CONFIG")}
    run = subprocess.run(["git", "-C", folder, *args], capture_output=True, check=False,
                         env={**outer, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **(env or {})})
    if run.returncode:
        said = os.fsdecode(run.stderr).strip().splitlines() or ["no message"]
        raise Refusal(f"{folder}: git {args[0]}: {said[0]}")
    return os.fsdecode(run.stdout)


def check_tree(tree):
    """The version of a tree that nobody is at work in."""
    if not tree.is_dir():
        raise Refusal(f"{tree}: not a directory")
    version = overlay.kernel_version(tree)
    if (tree / overlay.MANIFEST).exists():
        raise Refusal(f"{tree}: not a pristine tree: an overlay was applied to it")
    changed = changes_in(tree)
    if changed:
        raise Refusal(f"{tree}: a dirty tree: {len(changed)} changed files, {changed[0]} first: "
                      "commit or drop that")
    return version


def changes_in(tree):
    """Files that git sees changed below tree, which may be a folder of a larger repository."""
    try:
        prefix = git(tree, "rev-parse", "--show-prefix").rstrip("\n")
    except Refusal as refusal:
        if "not a git repository" in str(refusal):
            return []
        raise
    lines = git(tree, "status", "--porcelain", "--untracked-files=no", ".").splitlines()
    return [line[3:].removeprefix(prefix) for line in lines]


def check_leftovers(tree, patches):
    """A patch that was applied by half leaves its rejects behind."""
    for path in (path for patch in patches for path in patch.contents):
        for left in (f"{path}.rej", f"{path}.orig"):
            if (tree / left).exists():
                raise Refusal(f"{tree}: a dirty tree: {left} is there: finish or undo that patch")


# Patches

def identity(root):
    """The environment that makes commits the user's, and the same in each run."""
    try:
        name, mail = (git(root, "config", "--get", key).strip() for key in ("user.name",
                                                                            "user.email"))
    except Refusal:
        raise Refusal("the patches bear your name: set git config user.name and "
                      "user.email") from None
    if (root / ".git").exists():
        date = git(root, "log", "-1", "--format=%ct").strip()
    else:
        date = str(int((root / "Makefile").stat().st_mtime))
    env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"}
    for role in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": mail,
                f"GIT_{role}_DATE": f"@{date} +0000"}
    return env


def put(repo, path, data, mode):
    file = repo / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.chmod(mode)


def commit_patches(repo, tree, patches, env):
    """One commit for the files of the base that are touched, one for each patch."""
    def commit(*message):
        git(repo, "add", "--all", "--force", env=env)
        git(repo, "-c", "gc.auto=0", "commit", "--quiet", "--allow-empty", *message, env=env)

    git(repo, "init", "--quiet", "--initial-branch=series", env=env)
    git(repo, "config", "core.autocrlf", "false", env=env)
    for path in {path for patch in patches for path in patch.contents}:
        if (tree / path).is_file():
            put(repo, path, (tree / path).read_bytes(),
                0o755 if overlay.executable(tree / path) else 0o644)
    commit("--message=base")
    git(repo, "tag", "base", env=env)
    for patch in patches:
        for path, content in patch.contents.items():
            put(repo, path, content.data, 0o755 if content.executable else 0o644)
        commit(f"--message={patch.letter.text}")


def with_results(text, out):
    """The cover's text, with a few of the measured rows where it says {results}."""
    bench.RESULTS = str(out / "results.json")
    results = bench.cover(bench.load())
    if not results:
        print(f"series: nothing for the cover in {bench.RESULTS} (make bench)", file=sys.stderr)
    table = bench.table(results) if results else "(not measured yet)"
    return text.replace("{results}", table)


def format_patches(repo, folder, cover, out, env):
    """Write the commits as mails into folder."""
    args = ["--cover-letter"] if cover else []
    git(repo, "format-patch", "--quiet", "--no-signature", "--full-index",
        f"--output-directory={folder}", *args, "base..", env=env)
    for file in folder.glob("0000-*"):
        subject, _, body = with_results(cover.text, out).partition("\n")
        mail = file.read_text().replace("*** SUBJECT HERE ***", subject)
        (folder / COVER_FILE).write_text(mail.replace("*** BLURB HERE ***", body.strip()))
        file.unlink()


# Stands beside the patches. The first line says for which tree they are.
READ_ME = """{title}

To apply them, in the tree: git am {folder}/*.patch
or without git, one after the other: patch -p1 < {folder}/0001-...

They carry no Signed-off-by. It says that you may pass the work on and answer for it (the
Developer's Certificate of Origin), so no program can give it: read the patches, then apply them
with git am -s, or git commit -s after patch. Who sends them on signs before git format-patch.
"""


def may_say(line, allowed):
    """Is "FILE:LINE: LEVEL:TYPE: text" covered by "TYPE FILE REASON", two shell patterns?"""
    kind, file = (allowed.split(None, 2) + [""])[:2]
    found = re.match(r"(.*?):\d*:? *(?:ERROR|WARNING|CHECK):([A-Z_]+)", line)
    return bool(found and fnmatch(found[2], kind) and fnmatch(found[1], file))


def checkpatch(tree, folder, allowed):
    """What the tree's own checkpatch says, less what is allowed: [Fault]."""
    script = tree / "scripts/checkpatch.pl"
    if not script.is_file():
        return []
    faults = []
    for patch in sorted(folder.glob("*.patch")):
        strict = ["--strict", "--show-types", "--showfile"] if allowed is not None else []
        run = subprocess.run(["perl", script, "--no-tree", "--no-signoff", "--terse", *strict,
                              patch], cwd=folder, capture_output=True, text=True,
                             errors="replace", check=False)
        lines = [line.removeprefix(f"{patch}:") for line in run.stdout.splitlines()
                 if re.search(r":\d*: *(ERROR|WARNING|CHECK)", line)]
        if not lines and run.returncode and "total:" not in run.stdout:
            said = run.stderr.strip().split("\n")[0] or f"exit code {run.returncode}"
            print(f"series: {script} does not run here: {said}", file=sys.stderr)
            return faults
        faults += [Fault(patch.name, f"checkpatch: {line}") for line in lines
                   if not allowed or not any(may_say(line, one) for one in allowed)]
    return faults


def files_of(folder):
    """{name: content} of what an earlier run, or this one, put into the folder."""
    if not folder.is_dir():
        return {}
    return {p.name: p.read_bytes() for p in [*folder.glob("0*"), folder / README] if p.exists()}


def deliver(made, folder):
    """Make folder hold what was made. False: it did before."""
    old, new = files_of(folder), files_of(made)
    if old == new:
        return False
    title = old.get(README, b"").partition(b"\n")[0]
    if title and title != new[README].partition(b"\n")[0]:
        raise Refusal(f"{folder} is taken: {title.decode()}: name another folder with --out (make: "
                      "O=)")
    folder.mkdir(parents=True, exist_ok=True)
    for name in old:
        (folder / name).unlink()
    for name in new:
        shutil.copyfile(made / name, folder / name)
    return True


# The commands

def check_fix(root, folder):
    """The semantic patches of a fix, parsed and held against the rules of the house."""
    found, faults = overlay.scan(folder)
    for source in (s for s in found.values() if s.form == "edit"):
        try:
            overlay.lint(source.name, (folder / source.name).read_text())
            with tempfile.TemporaryDirectory(prefix="series.") as scratch:
                overlay.parse_smpl(folder, source.name, scratch)
        except Fault as fault:
            faults.append(fault)
    if not found:
        faults.append(Fault(".", "changes nothing"))
    return [named(root, folder, fault) for fault in faults]


def do_check(root):
    faults = []
    try:
        patches, _, found, _, faults = modern(root)
        for letter in filter(is_step, patches):
            faults += check_fix(root, (root / letter.name).parent)
        for line in (line for p in patches for line in p.lines("Paths") if UP_TO.fullmatch(line)):
            with tempfile.TemporaryDirectory(prefix="series.") as scratch:
                first_rules(root, line, Path(scratch))
        fixes = known(root)
        for folder, letter in fixes.items():
            trees_of(letter)
            faults += check_fix(root, folder)
    except Fault as fault:
        faults.append(fault)
    if not faults:
        print(f"series: {len(patches)} patches carry {len(found)} paths; {len(fixes)} fixes for "
              "older trees")
    return report(faults)


def report(faults):
    for fault in faults:
        print(f"series: {fault}", file=sys.stderr)
    return 1 if faults else 0


def make_patches(root, tree, patches, cover, title, folder, out):
    """Write the patches into folder. (has it changed, faults)"""
    env = identity(root)
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        repo, made = Path(scratch, "repo"), Path(scratch, "made")
        repo.mkdir()
        commit_patches(repo, tree, patches, env)
        format_patches(repo, made, cover, out, env)
        (made / README).write_text(READ_ME.format(title=title, folder=folder.absolute()))
        faults = checkpatch(tree, made, cover.lines("Checkpatch") if cover else None)
        return not faults and deliver(made, folder), faults


def refuse(tree, version, faults):
    print(f"series: {tree} (Linux {version}) is refused, nothing was written:", file=sys.stderr)
    return report(faults)


def do_series(root, tree, out):
    for program in ("git", "perl"):
        if not shutil.which(program):
            raise Refusal(f"{program} not found")
    overlay.need_spatch()
    version, said, cover = check_tree(tree), [], None
    short = version.rpartition(".")[0]
    if short in overlay.SUPPORTED:
        patches, cover, faults = modern_patches(root, tree)
        folder, title = out / f"series-{short}", f"Patches for Linux {short}"
    else:
        said, patches, faults = legacy_patches(root, tree, version)
        folder = out / f"series-{version}-{tree.name}"
        title = f"Patches for Linux {version} in {tree}"
    if faults:
        return refuse(tree, version, faults)
    check_leftovers(tree, patches)
    changed = False
    if patches:
        changed, faults = make_patches(root, tree, patches, cover, title, folder, out)
    if faults:
        return refuse(tree, version, faults)
    print(f"series: Linux {version} in {tree}")
    for fix, verdict in said:
        print(f"  {fix:32} {verdict}")
    if not patches:
        print("series: nothing is left to do: the tree has or needs none of the fixes")
        return 0
    print(f"series: {len(patches)} patch{'es' * (len(patches) > 1)} in {folder}"
          + ("" if changed else ": nothing changed"))
    if not os.access(tree, os.W_OK):
        print(f"series: {tree} is read-only: apply them to a copy of it")
    print(f"series: how to apply and sign them: {folder / README}")
    return 0


def arguments(argv):
    parser = overlay.Parser(prog="series.py", description=__doc__, allow_abbrev=False,
                            usage="%(prog)s TREE | --check [--overlay ROOT] [--out DIR]",
                            formatter_class=overlay.argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=Path, metavar="TREE")
    parser.add_argument("--check", action="store_true")
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--overlay", type=Path, metavar="ROOT", default=here)
    parser.add_argument("--out", type=Path, metavar="DIR",
                        default=Path(os.environ.get("O") or here / "out"))
    args = parser.parse_args(argv)
    if args.check == bool(args.tree):
        parser.error("name a kernel tree, or --check")
    return args


def main(argv):
    try:
        args = arguments(argv)
        if args.check:
            return do_check(args.overlay)
        return do_series(args.overlay, Path(os.path.abspath(args.tree)), args.out)
    except Fault as fault:
        return report([fault])
    except Refusal as refusal:
        print(f"series: {refusal}", file=sys.stderr)
    except OSError as error:
        print(f"series: {error.filename or 'system'}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
