#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the patches of this repository for a kernel tree.

    series.py TREE [--topic NAME] [--out DIR] [--overlay ROOT]
            write DIR/series-VERSION-NAME/, or of a tree older than those that overlay.py knows
            DIR/series-VERSION-FOLDER/ (DIR: $O or out); NAME: tree is the whole series, all each
            topic; without it of the newest base list the topics, of others write tree
    series.py --check [--overlay ROOT]      is every path of every base in exactly one patch?

The series is the whole overlay: the patches of series/lists/, for the mailing lists, then those of
series/tree/, for people who run the kernel. Each file there is a patch, in the order of the names,
which begin with a number of their own: its message, and below "Paths:" what it carries (a path of
the kernel, or a folder with a slash at its end; or "PATH up to RULE", the first rules of an edit,
of which a later patch carries more). A line says nothing on a base whose overlay has no such path,
or no such rule; a patch of which no line says anything is left out there. A folder is a patch, too:
its message, and edits, in the three forms of overlay.py, of what the patches before it have left; of
a file that the base does not have an edit takes away what later patches bring to it.
base/V/series/lists/ and base/V/series/tree/ have more patches for base V, or others in place of
those of the same name.

What a patch has below "Rows:" (case and metric) is put behind its message, once series_steps.py has
measured them before and behind it (DIR/steps.json, or if there is none series/steps.json).
series/cover is the cover letter. "Left out:" names paths that stay in this repository,
"Checkpatch:" what checkpatch --strict may say (type, file, reason).

series/topics/ has what is sent together, and apart from the rest: each file there is a cover
letter, "State:" (ready, RFC, ...), "Patches:" of series/lists/, and "After:" the topics on which it
builds. A patch of series/lists/ that has a "State:" is a topic by itself, of its name without the
number. The patches are those of the series, put on the base by git cherry-pick; what an older base
leaves out is left out. "Tests:" names what shows the faults (SUITE/PATH, and a subject), of
series/suites/: each becomes a patch against SUITE, DIR/series-VERSION-NAME/tests/SUITE/. What one
prints stands at its end, below __OUTPUT__, and becomes PATH.out. "Review:" answers what reviewers
asked for and did not get; it becomes the file review. A paragraph "Test:" of a message names this
repository's own tests, which are not sent: it goes into the README.

Beside the patches lies a README; nothing is ever sent. To whom a topic goes the list of them says,
by the tree's own get_maintainer.pl; b4 asks it again.

For 2.4 and 2.6 each folder legacy/FIRST-LAST/FIX/ is a patch for trees of these versions: its
message, and files in the three forms of overlay.py. Below the message stands

    Word: NAME TEXT     NAME in the rules and in what follows here is to read TEXT, in a tree where
                        all lines below hold; the first such section of a NAME counts
    Has: [REMARK]       likewise, a tree that has the fix; the section may come again, and each has
                        all that makes the fix work
    Not needed: REASON  likewise, a tree that can do without
    Stop: REASON        likewise, a tree that is refused though it is neither
    Like: FIX           the message behind the subject and all such lines are those of FIX; a Word
                        without lines below it says where they differ

Such lines, each after a tab: "PATH" (it exists), "no PATH", "PATH: TEXT" (TEXT stands in it, white
space and comments aside), "PATH, not: TEXT". A tree that neither has a fix nor can do without must
take every rule of it. One that does not is refused: nothing is written. If most lines of a section
Has hold, the others are named, else the rules. Fixes build on those before them, so none is looked
at behind the first that does not fit.

TREE is only read. Patches are made in a scratch git repository with the identity of the user (git
config user.name, user.email); the date is that of the newest commit here, so that a second run
writes nothing. Nothing is signed off: that is for a person to do, and a README beside the patches
says how. Exit code as of overlay.py: 0 done, 1 a rule or patch is at fault or does not fit TREE,
2 usage, tree or system.
"""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench  # noqa: E402 (the path comes first)
import overlay  # noqa: E402
from overlay import Fault, Refusal, Tree, fill_in, git  # noqa: E402

COVER = "series/cover"
COVER_FILE = "0000-cover-letter.txt"                # not .patch: git am DIR/*.patch is to work
README = "README"
REVIEW = "review"
TEST = re.compile(r"\nTest: ((?:.+\n)+)")           # a paragraph of a message
WHOLE, ALL = "tree", "all"      # in the place of a topic's name
TOPICS = "series/topics"
SUITES = "series/suites"
MOST_PATCHES = 8        # of a topic
MOST_LINES = 40         # of its cover
MESSAGE = "message"
MESSAGE_WIDTH = 75      # checkpatch.pl's
MEASURED = """\
Before and behind this patch, in QEMU with a clock that counts instructions
(insn: of one O_DIRECT request; time: on a disk of 200 us a request):"""
SECTIONS = ("Paths", "Rows", "Left out", "Checkpatch", "Has", "Not needed", "Stop", "Word", "Like",
            "State", "Patches", "After", "Tests", "Review")
VERDICTS = {"Has": "already there", "Not needed": "not needed", "Stop": "refused"}
UP_TO = re.compile(r"(\S+) up to (\w+)")


@dataclass
class Section:
    title: str
    remark: str
    where: str                                      # FILE:LINE
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
class Topic:
    letter: Letter
    patches: list       # their names


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
            letter.sections.append(Section(head[1], head[2] or "", where))
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
        if len(line) > MESSAGE_WIDTH and not line.startswith("Fixes: "):
            raise Fault(name, f"a message has at most {MESSAGE_WIDTH} characters a line: {line}")
    return letter


def letters(root, version, *which):
    """The patches of a base in lists and tree, or in one of them, in their order."""
    found = []
    for one in which or ("lists", "tree"):
        folders = {}
        for folder in (f"series/{one}", f"{overlay.layer_of(version)}series/{one}"):
            if (root / folder).is_dir():
                folders |= dict.fromkeys(os.listdir(root / folder), folder)
        names = [f"{folders[name]}/{name}" for name in sorted(folders)]
        found += [read_letter(root, name + f"/{MESSAGE}" * (root / name).is_dir())
                  for name in names]
    return found


# The series for the bases of overlay.py: who carries what

def is_step(letter):
    """Does it edit by itself, in place of carrying paths of the overlay?"""
    return letter.name.endswith(f"/{MESSAGE}")


def folder_of(letter):
    return letter.name.removesuffix(f"/{MESSAGE}")


def name_of(letter):
    """The name of a patch: that of its file or folder."""
    return Path(folder_of(letter)).name


def shares(root, line, found):
    """{path: Source} of what a line below Paths stands for. Of the first rules of an edit it is one
    that ends with them; the edit may be the trunk's or the layer's."""
    part = UP_TO.fullmatch(line)
    if not part:
        return {path: source for path, source in found.items() if overlay.covers(line, path)}
    path, last = part.groups()
    for edit in filter(None, (found.get(path), path in found and found[path].below)):
        names = [rule.name for rule in overlay.rules_of(root, edit.name)] \
            if edit.form == "edit" else []
        if last in names:
            whole = edit is found[path] and last == names[-1]
            return {path: edit if whole else replace(edit, last=last)}
    return {}


def modern(root, version):
    """([(letter, {path: Source} of what it carries, or edits by itself)], all that is carried, the
    faults) of a base."""
    found, faults = overlay.overlay_for(root, version)
    left_out = read_letter(root, COVER).pairs("Left out")
    found = {path: source for path, source in found.items()
             if not any(overlay.covers(line, path) for line in left_out)}
    patches = []
    for letter in letters(root, version):
        share, more = overlay.scan(root, folder_of(letter)) if is_step(letter) else ({}, [])
        faults += more
        for line in letter.lines("Paths"):
            share |= shares(root, line, found)
        if share:
            patches.append((letter, share))
    for (one, _), (other, _) in zip(patches, patches[1:]):
        if name_of(one).split("-")[0] == name_of(other).split("-")[0]:
            faults.append(Fault(other.name, f"has the number of {one.name}"))
    for path, source in found.items():
        takers = [letter.name for letter, share in patches if share.get(path) is source]
        if len(takers) != 1:
            faults.append(Fault(path, f"is carried by {' and '.join(takers)}" if takers else
                                "no file of series/ carries it, nor does the cover leave it out"))
    return patches, found, faults


def modern_patches(root, tree, patches, found):
    """The patches of a base as [Patch], and the faults; patches, found: what modern() gives."""
    base, now, made = Tree(tree), Tree(tree), []
    whole, faults = overlay.plan(root, found, base)
    for letter, share in patches if not faults else ():
        parts = {path: source for path, source in share.items() if found.get(path) is not source}
        start = Tree(tree)
        start.update({path: now[path] if base[path] else whole.get(path) for path in parts}
                     if is_step(letter) else {})
        contents, more = overlay.plan(root, parts, start)
        faults += more
        contents |= {path: whole[path] for path in share if path not in parts}
        now.update(contents)
        made.append(Patch(letter, contents))
    return made, faults or [Fault(path, "is not what the overlay makes of it, after the last patch")
                            for path in now if now[path] != whole.get(path)]


def rows_of(letter):
    """[(case, metric)] of the rows that a patch shows."""
    return [tuple(line.split()) for line in letter.lines("Rows")]


# Topics

def topics_of(root, patches=None):
    """{name: Topic}; patches: as modern() gives them; topics that have none of them are left out"""
    folder = root / TOPICS
    found = {name: read_letter(root, f"{TOPICS}/{name}")
             for name in (os.listdir(folder) if folder.is_dir() else ())}
    topics = {name: Topic(letter, letter.lines("Patches")) for name, letter in found.items()}
    for letter in letters(root, overlay.SUPPORTED[0], "lists"):
        name = name_of(letter)
        if letter.all("State"):     # a topic by itself; its message is the patch's
            topics[name.partition("-")[2]] = Topic(
                replace(letter, text=letter.text.partition("\n")[0]), [name])
    if patches is not None:
        there = [name_of(letter) for letter, _ in patches]
        for topic in topics.values():
            topic.patches = [name for name in topic.patches if name in there]
    return {name: topic for name, topic in sorted(topics.items()) if topic.patches}


def state_of(letter):
    return " ".join(s.remark for s in letter.all("State"))


def is_secret(letter):
    return state_of(letter).startswith("security")


def those_before(topics, name, seen=()):
    """The topics that one builds on, in their order."""
    if name not in topics or name in seen:
        raise Fault(f"{TOPICS}/{name}", "there is no such topic of this base, or it builds on "
                    "itself")
    return [*dict.fromkeys(one for before in topics[name].letter.lines("After") if before in topics
                           for one in (*those_before(topics, before, (*seen, name)), before))]


def cover_of(topics, name):
    """The text of its cover, with the subjects of the series that go first"""
    subjects = [f" - {topics[one].letter.text.partition(chr(10))[0]}"
                for one in those_before(topics, name)]
    return "\n".join([topics[name].letter.text.rstrip(),
                      *(["\nIt goes on top of:", *subjects] if subjects else ())])


def about_topic(topics, name, patches):
    """What the README says of a topic"""
    letter = topics[name].letter
    own = [p.letter for p in patches if name_of(p.letter) in topics[name].patches]
    body = letter.text.partition("\n")[2].strip() if len(own) == 1 else ""         # has no cover
    before = ", ".join(those_before(topics, name))
    rows = ", with its rows measured" * any(one.lines("Rows") for one in own)
    said = [f"State: {state_of(letter)}", f"Goes on top of: {before}" * bool(before),
            f"Does each patch build (W=1) and boot{rows}: make series-steps TOPIC={name}",
            *(f"Tested by, in make test: {' '.join(test.split())}"
              for one in own for test in TEST.findall(one.text)),
            "Tests for other suites: tests/, Documentation/dio/suites.rst" *
            bool(letter.lines("Tests"))]
    return "\n" + f"{body}\n\n" * bool(body) + "\n".join(filter(None, said)) + "\n"


def topic_faults(root):
    """Is each patch that the lists have of any base in one topic, and each test named by one?"""
    topics, faults = topics_of(root), []
    takers = {name_of(patch): [] for version in overlay.SUPPORTED
              for patch in letters(root, version, "lists")}
    named_tests = set()
    for name, topic in topics.items():
        those_before(topics, name)
        faults += [Fault(topic.letter.name, f"After: there is no topic {one}")
                   for one in topic.letter.lines("After") if one not in topics]
        lines = topic.letter.text.count("\n")
        if not state_of(topic.letter) or len(topic.patches) > MOST_PATCHES or lines > MOST_LINES:
            faults.append(Fault(topic.letter.name, f"a topic has a State:, up to {MOST_PATCHES} "
                                f"patches and {MOST_LINES} lines; here are {len(topic.patches)}, "
                                f"and {lines}"))
        named_tests |= {f"{SUITES}/{test}" for test in topic.letter.pairs("Tests")}
        for patch in topic.patches:
            takers.setdefault(patch, [None]).append(name)
    tests = {p.relative_to(root).as_posix() for p in (root / SUITES).rglob("*") if p.is_file()}
    faults += [Fault(test, "is not there, or no topic names it") for test in named_tests ^ tests]
    return faults + [Fault(f"series/lists/{patch}", f"is in the topics {names}, not in one")
                     for patch, names in takers.items() if topics and len(names) != 1]


def recipients_of(tree, letter, files):
    """Whom the tree's own get_maintainer.pl names; of a hole that can be used no list but one."""
    said = perl(tree, "get_maintainer.pl", "--no-git", "--no-git-fallback", "--no-rolestats",
                *["--no-l"] * is_secret(letter),
                *(arg for path in sorted(files) if (tree / path).exists() for arg in ("-f", path)))
    return said.splitlines() + is_secret(letter) * [
        "Cc: security@kernel.org (Documentation/process/security-bugs.rst)"]


def list_topics(root, tree, short):
    """Print what there is to be sent."""
    patches, _, faults = modern(root, short)
    paths, topics = {name_of(letter): share for letter, share in patches}, topics_of(root, patches)
    for name, topic in topics.items():
        said = recipients_of(tree, topic.letter, {p for one in topic.patches for p in paths[one]})
        lists = [one for one in said if "<" not in one and "linux-kernel@" not in one]
        count = f"{len(topic.patches)} patch{'es' * (len(topic.patches) > 1)}"
        after = [f"after {one}" for one in topic.letter.lines("After") if one in topics]
        print(f"{name:16} {state_of(topic.letter)}; {', '.join([count, *after])}",
              *[f"{'':16} {one}" for one in lists or said], sep="\n")
    print("series: TOPIC= writes one of these, or all; TOPIC=tree all of them in turn, then the "
          "engine and the raw driver")
    return report(faults)


# The fixes for 2.4 and 2.6: does a tree have one, need it, or neither?

def ends_of(folder):
    """[first, last] of the versions that a fix is for, as bench.py compares them"""
    return [bench.version(end) for end in folder.split("/")[1].split("-")]


def known(root):
    """{folder of a fix: its letter}, in the order in which they are applied."""
    folders = [file.parent.relative_to(root).as_posix()
               for file in (root / "legacy").glob(f"*/*/{MESSAGE}")]
    fixes = {folder: read_letter(root, f"{folder}/{MESSAGE}")
             for folder in sorted(folders, key=lambda one: (ends_of(one), one))}
    for folder, letter in fixes.items():
        for like in letter.all("Like"):
            other = fixes[f"{os.path.dirname(folder)}/{like.remark}"]
            letter.text += "\n" + other.text.partition("\n\n")[2]
            letter.sections += other.sections
    return fixes


@functools.lru_cache(512)
def plain(data):
    """Source text without comments, with one space between two tokens."""
    tokens = re.findall(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|\w+|[^\w\s])',
                        data.decode("latin-1"), re.S)
    return " ".join(filter(None, tokens))


def holds(tree, line):
    """Is what a line below Has, Not needed, Stop or Word says so?"""
    path, colon, text = line.partition(": ")
    if not colon:
        gone = line.startswith("no ")
        return gone == (tree[line[3:] if gone else line] is None)
    wanted, file = not path.endswith(", not"), tree[path.removesuffix(", not")]
    return bool(file) and (plain(text.encode()) in plain(file.data)) == wanted


def words_of(tree, letter):
    """{NAME: TEXT} of the words that the tree has."""
    words = {}
    for section in letter.all("Word"):
        name, text = section.remark.split(None, 1)
        if name not in words and all(holds(tree, line) for line in section.lines):
            words[name] = text
    return words


def lacking(tree, section, words):
    """The lines of a section that do not hold."""
    lines = [fill_in(words, line) for line in section.lines]
    return [line for line in lines if not holds(tree, line)]


def verdict_of(tree, letter, words):
    """The first section Has, Not needed or Stop of which every line holds."""
    return next((section for section in letter.sections
                 if section.title in VERDICTS and not lacking(tree, section, words)), None)


def missing(tree, letter, words):
    """The faults of a fix that is there for the most part: the lines below Has that do not hold."""
    best = []
    for section in letter.all("Has"):
        gone = lacking(tree, section, words)
        if 2 * len(gone) <= len(section.lines) and (not best or len(gone) < len(best)):
            best = [Fault(section.where, f"more of this fix is there, but not {line}")
                    for line in gone]
    return best


def legacy_fix(root, letter, tree):
    """(what is to be said of a fix, {path: Content} that it makes, faults)"""
    words = words_of(tree, letter)
    section = verdict_of(tree, letter, words)
    if section and section.title == "Stop":
        return "", {}, [Fault(section.where, section.remark), *missing(tree, letter, words)]
    if section:
        return f"{VERDICTS[section.title]}: {section.remark}".removesuffix(": "), {}, []
    for section in letter.all("Word"):
        if section.remark.split()[0] not in words:
            file = section.lines[0].partition(": ")[0]
            return "", {}, [Fault(section.where, f"{file} reads otherwise than this fix knows, or "
                                  f"is not there (Word: {section.remark})")]
    found, faults = overlay.scan(root, folder_of(letter))
    for source in found.values():
        source.words = words
    contents, more = overlay.plan(root, found, tree)
    return "written", contents, faults or (more and missing(tree, letter, words)) or more


def legacy_patches(root, tree, version):
    """([(fix, what is to be said of it)], its patches, faults) for a Tree, which has them then"""
    all_fixes = known(root)
    fixes = {folder: letter for folder, letter in all_fixes.items()
             if ends_of(folder)[0] <= bench.version(version) <= ends_of(folder)[1]}
    if not fixes:
        generations = dict.fromkeys(folder.split("/")[1] for folder in all_fixes)
        raise Refusal(f"{tree.folder}: nothing is known of Linux {version}; there are fixes for "
                      + ", ".join([*generations, *overlay.SUPPORTED]))
    said, patches = [], []
    for folder, letter in fixes.items():
        verdict, contents, faults = legacy_fix(root, letter, tree)
        if faults:
            return said, patches, faults
        tree.update(contents)
        said.append((folder.removeprefix("legacy/"), verdict))
        patches += [Patch(letter, contents)] * bool(contents)
    return said, patches, []


# Trees

def check_tree(tree):
    """The version of a tree that nobody is at work in."""
    if not tree.is_dir():
        raise Refusal(f"{tree}: not a directory")
    version = overlay.kernel_version(tree)
    if (tree / overlay.MANIFEST).exists():
        raise Refusal(f"{tree}: not a pristine tree: an overlay was applied to it")
    changed = prefix_of(tree) is not None and \
        git(tree, "diff", "--name-only", "--relative", "HEAD").splitlines()
    if changed:
        raise Refusal(f"{tree}: a dirty tree: commit or drop what is changed, {changed[0]} first")
    return version


def prefix_of(tree):
    """The folder that tree is of a larger repository, with a slash; None: git knows of none."""
    try:
        return git(tree, "rev-parse", "--show-prefix").removesuffix("\n")
    except Refusal as refusal:
        if "not a git repository" in str(refusal):
            return None
        raise


# Patches

def identity(root):
    """The environment that makes commits the user's, and the same in each run."""
    try:
        name, mail = (git(root, "config", f"user.{key}").strip() for key in ("name", "email"))
    except Refusal:
        raise Refusal("the patches bear your name: set git config user.name and "
                      "user.email") from None
    if (root / ".git").exists():
        date = git(root, "log", "-1", "--format=%ct").strip()
    else:
        date = str(int((root / "Makefile").stat().st_mtime))
    who = {"NAME": name, "EMAIL": mail, "DATE": f"@{date} +0000"}
    return {"GIT_CONFIG_GLOBAL": "", "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC",
            **{f"GIT_{role}_{key}": value for key, value in who.items()
               for role in ("AUTHOR", "COMMITTER")}}


def commit_patches(repo, tree, patches, env):
    """One commit for the files of the base that are touched, one for each patch."""
    def commit(*message):
        git(repo, "add", "--all", "--force", env=env)
        git(repo, "-c", "gc.auto=0", "commit", "--quiet", "--allow-empty", *message, env=env)

    git(repo, "init", "--quiet", "--initial-branch=series", env=env)
    git(repo, "config", "core.autocrlf", "false", env=env)
    for path in {path for patch in patches for path in patch.contents}:
        content = tree and overlay.read(tree, path)
        if content:
            overlay.write(repo, path, content)
    commit("--message=base")
    git(repo, "tag", "base", env=env)
    for patch in patches:
        for path, content in patch.contents.items():
            overlay.write(repo, path, content)
        commit(f"--message={patch.letter.text}")
        folder = Path(folder_of(patch.letter)).parent.name
        git(repo, "tag", f"{folder}/{name_of(patch.letter)}", env=env)


def pick(repo, topics, name, env):
    """Put a topic, and those that it builds on, on the base. Tag base is where its own begin."""
    git(repo, "checkout", "--quiet", "-b", "topic", "base", env=env)
    for one in (*those_before(topics, name), name):
        git(repo, "tag", "--force", "base", env=env)
        for patch in topics[one].patches:
            try:
                git(repo, "cherry-pick", f"lists/{patch}", env=env)
            except Refusal as refusal:
                raise Fault(f"{TOPICS}/{one}", f"{patch} does not apply to the base alone; name "
                            f"below After: the topic that it needs ({refusal})") from None


def with_steps(letter, root, out, short):
    """The letter, and behind its text what its rows were before and behind the patch."""
    steps = bench.load(out / bench.STEPS) or bench.load(root / "series" / bench.STEPS)
    results = {(r["case"], r["metric"]): r for r in steps
               if bench.series_of(r["base"]) == short and r["patch"] == letter.name}
    shown = [results[row] for row in rows_of(letter) if row in results]
    if not shown:
        return letter
    table = bench.columns([("case", "metric", "unit", "before", "behind", "ratio")] + [
        (r["case"], r["metric"], r["unit"],
         *(bench.show(r[k]) for k in ("stock", "patched", "ratio"))) for r in shown], 3)
    return replace(letter, text=f"{letter.text}\n{MEASURED}\n\n{table}\n")


def format_patches(repo, folder, blurb, env, *args):
    """Write the commits as mails into folder; blurb: the cover's text, if there is one."""
    alone = git(repo, "rev-list", "--count", "base..", env=env).strip() == "1"
    args += ("--cover-letter",) if blurb and not alone else ()
    git(repo, "format-patch", "--quiet", "--no-signature", "--full-index",
        f"--output-directory={folder}", *args, "base..", env=env)
    for file in folder.glob("0000-*"):
        subject, _, body = blurb.partition("\n")
        mail = file.read_text().replace("*** SUBJECT HERE ***", subject)
        (folder / COVER_FILE).write_text(mail.replace("*** BLURB HERE ***", body.strip()))
        file.unlink()


def write_tests(root, letter, folder):
    """The tests of a topic, each a patch; its message is what the test's head says."""
    for test, subject in letter.pairs("Tests").items():
        suite, _, path = test.partition("/")
        code, prints = (root / SUITES / test).read_text().split("__OUTPUT__\n")
        contents = {path: overlay.Content(code.encode(), True),
                    f"{path}.out": overlay.Content(prints.encode())}
        head = code.split("\n\n")[0]
        why = re.sub(r"^(?:#!.*|# SPDX.*|# FS QA.*|[^#].*)\n?|^# ?", "", head, flags=re.M).strip()
        message = f"{path.removeprefix('tests/')}: {subject}\n\n{why}\n"
        with tempfile.TemporaryDirectory(prefix="series.") as scratch:
            commit_patches(Path(scratch), None,
                           [Patch(Letter(test, message), contents)], identity(root))
            format_patches(scratch, folder / suite, "", identity(root))


# Stands beside the patches. The first line says for which tree they are.
READ_ME = """{title}
{about}
To apply them, in the tree: git am {below}{folder}/*.patch
or without git, one after the other: patch -p1 < {folder}/0001-...

They carry no Signed-off-by. It says that you may pass the work on and answer for it (the
Developer's Certificate of Origin), so no program can give it: read the patches, then apply them
with git am -s, or git commit -s after patch. Who sends them on signs before git format-patch.
"""
SECURITY = """
These mend a hole that can be used: Documentation/process/security-bugs.rst says who is told, in
which order, and what the report must have. Nothing else about them is published before that.
"""
B4 = f"""
To send them on with b4, make a branch of them, in a git checkout of the kernel. Nothing here does
that for you, and nothing is sent before you say b4 send without -o:

	b4 prep -n NAME -f TAG		a branch b4/NAME from TAG on, with an empty cover
	git am -s {{below}}{{folder}}/*.patch
	b4 prep --edit-cover		paste {COVER_FILE}, if there is one: first what its
					subject says behind [PATCH ...], then all below it
	b4 prep --auto-to-cc		asks the tree's get_maintainer.pl; strike out who need not hear
	b4 send --no-sign -o FOLDER	the mails as files, to be read first; b4 wants to know how
					it would send them (git config sendemail.smtpserver)
"""


def perl(tree, script, *args):
    """What one of the tree's own scripts says, if there is one."""
    file = tree / "scripts" / script
    if not file.is_file():
        return ""
    with tempfile.TemporaryDirectory(prefix="series.") as home:     # no configuration has a say
        run = subprocess.run(["perl", file, *args], cwd=tree, stdout=subprocess.PIPE, text=True,
                             errors="replace", check=False, env={**os.environ, "HOME": home})
    return run.stdout


def checkpatch(tree, folder, allowed):
    """What the tree's own checkpatch says, less what is allowed ("TYPE FILE REASON", two shell
    patterns): [Fault]."""
    faults, allowed = [], [line.split()[:2] for line in allowed]
    for patch in sorted(folder.glob("*.patch")):
        said = perl(tree, "checkpatch.pl", "--no-tree", "--no-signoff", "--terse", "--strict",
                    "--show-types", "--showfile", patch)
        for line in said.splitlines():
            line = line.removeprefix(f"{patch}:")
            found = re.match(r"(.*?):\d*:? *(?:ERROR|WARNING|CHECK):([A-Z_]+)", line)
            if found and not any(fnmatch(found[2], kind) and fnmatch(found[1], file)
                                 for kind, file in allowed):
                faults.append(Fault(patch.name, f"checkpatch: {line}"))
    return faults


def files_in(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def deliver(made, folder):
    """Make folder hold what was made; what others put there stays. False: it did before."""
    new = files_in(made)
    old = {name: data for name, data in files_in(folder).items()
           if name in new or re.match(rf"0|tests/|{README}$|{REVIEW}$", str(name))}
    if old == new:
        return False
    title = old.get(Path(README), b"").partition(b"\n")[0]
    if title and title != new[Path(README)].partition(b"\n")[0]:
        raise Refusal(f"{folder} is taken: {title.decode()}: name another folder with --out (make: "
                      "O=)")
    for name in old:
        (folder / name).unlink()
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return True


# The commands

def do_check(root):
    fixes, said, faults, live, idle = known(root), [], topic_faults(root), set(), set()
    for version in overlay.SUPPORTED:
        patches, found, more = modern(root, version)
        said.append(f"series: Linux {version}: {len(patches)} patches carry {len(found)} paths")
        faults += more
        for letter in letters(root, version):
            for line in letter.lines("Paths"):
                (live if shares(root, line, found) else idle).add((letter.name, line))
    faults += [Fault(name, f"{line}: no overlay has that") for name, line in sorted(idle - live)]
    for folder in fixes:
        found, more = overlay.scan(root, folder)
        faults += more or ([] if found else [Fault(folder, "changes nothing")])
    if not faults:
        print(*said, f"series: {len(fixes)} fixes for older trees", sep="\n")
    return report(faults)


def report(faults):
    return overlay.report(faults, "series")


def refuse(tree, version, faults, more=""):
    print(f"series: {tree} (Linux {version}) is refused, nothing was written{more}:",
          file=sys.stderr)
    return report(faults)


def do_modern(root, tree, out, topic):
    """Write the series, a topic, or all topics, for a base of overlay.py."""
    version = overlay.kernel_version(tree)
    short = version.rpartition(".")[0]
    patches, found, faults = modern(root, short)
    topics = topics_of(root, patches)
    if topic not in (WHOLE, ALL):
        those_before(topics, topic)
    made, more = modern_patches(root, tree, patches, found)
    if faults + more:
        return refuse(tree, version, faults + more)
    made = [Patch(with_steps(p.letter, root, out, short), p.contents) for p in made]
    rc, cover = 0, read_letter(root, COVER)
    for name in topics if topic == ALL else [topic]:
        head = f"Patches for Linux {short}, {name}", "", B4
        sent = made
        if name != WHOLE:
            letter = topics[name].letter
            head = head[0], about_topic(topics, name, made), SECURITY if is_secret(letter) else B4
            sent = [replace(p, letter=replace(p.letter, text=TEST.sub("", p.letter.text)))
                    for p in made]
        try:
            rc |= write_series(root, tree, sent, out / f"series-{short}-{name}", head, cover,
                               topics if name != WHOLE else {}, name)
        except Fault as fault:      # the other topics are none the worse for it
            rc |= report([fault])
    return rc


def do_legacy(root, tree, out):
    version = overlay.kernel_version(tree)
    said, patches, faults = legacy_patches(root, Tree(tree), version)
    if faults:
        return refuse(tree, version, faults, "; what a fix does may be there in other words")
    if patches:
        rc = write_series(root, tree, patches, out / f"series-{version}-{tree.name}",
                          (f"Patches for Linux {version} in {tree}", "", ""))
    for fix, verdict in said:
        print(f"  {fix:40} {verdict}")
    if not patches:
        print("series: nothing is left to do: the tree has or needs none of the fixes")
    return rc if patches else 0


def write_series(root, tree, patches, folder, head, cover=None, topics=(), name=None):
    """Write the patches, or those of a topic, into folder; head: the title of its README, and what
    else that says; cover: of the whole series."""
    env, prefix, topic = identity(root), prefix_of(tree), topics and topics[name].letter
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        repo, made = Path(scratch, "repo"), Path(scratch, "made")
        repo.mkdir()
        commit_patches(repo, tree, patches, env)
        if topic:
            pick(repo, topics, name, env)
            rfc = ["--rfc"] * state_of(topic).startswith("RFC")
            format_patches(repo, made, cover_of(topics, name), env, *rfc)
        else:
            format_patches(repo, made, cover and cover.text, env)
        (made / README).write_text((READ_ME + head[2]).format(
            title=head[0], about=head[1], folder=shlex.quote(str(folder.absolute())),
            below=f"--directory={shlex.quote(prefix)} " if prefix else ""))
        faults = cover and checkpatch(tree, made, cover.lines("Checkpatch"))
        if faults:                      # those of 2.6 do not run today
            return refuse(tree, overlay.kernel_version(tree), faults)
        if topic:
            write_tests(root, topic, made / "tests")
            if topic.lines("Review"):
                (made / REVIEW).write_text("\n\n".join(topic.lines("Review")) + "\n")
        changed = deliver(made, folder)
    count = len(list(folder.glob("*.patch")))
    print(f"series: {count} patch{'es' * (count > 1)} in {folder}"
          + ("" if changed else ": nothing changed"))
    print(f"series: how to apply and sign them: {folder / README}")
    return 0


def do_series(root, tree, out, topic):
    overlay.need_spatch()
    short = check_tree(tree).rpartition(".")[0]
    if short not in overlay.SUPPORTED:
        if topic:
            raise Refusal("--topic goes with Linux " + ", ".join(overlay.SUPPORTED))
        return do_legacy(root, tree, out)
    if short == overlay.SUPPORTED[0] and not topic:
        return list_topics(root, tree, short)
    return do_modern(root, tree, out, topic or WHOLE)


def arguments(argv):
    parser = overlay.Parser(prog="series.py", description=__doc__, allow_abbrev=False,
                            usage="%(prog)s TREE [--topic NAME] | --check [--overlay ROOT] "
                                  "[--out DIR]",
                            formatter_class=overlay.argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=Path, metavar="TREE")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--topic", metavar="NAME")
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("--overlay", type=Path, metavar="ROOT", default=here)
    parser.add_argument("--out", type=Path, metavar="DIR",
                        default=Path(os.environ.get("O") or here / "out"))
    args = parser.parse_args(argv)
    if args.check == bool(args.tree) or args.check and args.topic:
        parser.error("name a kernel tree, or --check")
    return args


def do_it(argv):
    args = arguments(argv)
    if args.check:
        return do_check(args.overlay)
    return do_series(args.overlay, Path(os.path.abspath(args.tree)), args.out, args.topic)


def main(argv):
    return overlay.main(argv, do_it, "series")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
