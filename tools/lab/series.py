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
the kernel, or a folder with a slash at its end; or "PATH up to RULE", the first rules of an edit
that a later patch carries whole, or all if no later one does). A line says nothing on a base that
has no such path in its overlay. A folder is a patch, too: its message, and edits, in the three
forms of overlay.py, of what the patches before it have left; of a file that the base does not have
an edit takes away what later patches bring to it. base/V/series/lists/ and
base/V/series/tree/ have more patches for base V, or others in place of those of the same name;
base/V/series/omit lists those that are left out there (lists/NAME, below a comment that says why).

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

For 2.4 and 2.6 each folder legacy/GENERATION/FIX/ is a patch: its message, and files in the three
forms of overlay.py. Below the message stands

    Trees: A - B        the versions that it is for
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
from overlay import Fault, Refusal, git, write_file  # noqa: E402

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
MOST_ROWS = 12          # of a table
MEASURED = """\
Before and behind this patch, in QEMU with a clock that counts instructions
(insn: of one O_DIRECT request; time: on a disk of 200 us a request):"""
SECTIONS = ("Paths", "Rows", "Left out", "Checkpatch", "Trees", "Has", "Not needed", "Stop", "Word",
            "Like", "State", "Patches", "After", "Tests", "Review")
VERSION = re.compile(r"\d+\.\d+\.\d+")
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
class Modern:
    """What overlay and series/ hold for a base."""
    patches: list       # [Letter]
    cover: Letter
    found: dict         # {path: overlay.Source}
    carried: dict       # {name of a letter: its paths}


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


def layer_of(version):
    return overlay.layer_of(version) + "series"


def letters(root, which, version):
    """The patches of lists or tree for a base, in their order."""
    omitted = overlay.listed(root, f"{layer_of(version)}/omit")
    for name, where in omitted.items():
        if not (root / "series" / name).exists():
            raise Fault(where, f"series/ has no {name}")
    folders = {name: f"series/{which}" for name in os.listdir(root / "series" / which)
               if f"{which}/{name}" not in omitted}
    layer = f"{layer_of(version)}/{which}"
    if (root / layer).is_dir():
        folders |= dict.fromkeys(os.listdir(root / layer), layer)
    names = [f"{folders[name]}/{name}" for name in sorted(folders)]
    for one, other in zip(names, names[1:]):
        if Path(one).name.split("-")[0] == Path(other).name.split("-")[0]:
            raise Fault(other, f"has the number of {one}")
    return [read_letter(root, name + f"/{MESSAGE}" * (root / name).is_dir())
            for name in names]


# The series for the bases of overlay.py: who carries what

def is_step(letter):
    """Does it edit by itself, in place of carrying paths of the overlay?"""
    return letter.name.endswith(f"/{MESSAGE}")


def name_of(letter):
    """The name of a patch: that of its file or folder."""
    return Path(letter.name.removesuffix(f"/{MESSAGE}")).name


def covers(line, path):
    return path.startswith(line) if line.endswith("/") else path == line


def path_of(line):
    """The path or folder in a line below Paths."""
    part = UP_TO.fullmatch(line)
    return part[1] if part else line


def ends_at(root, source, line):
    """Is it "PATH up to RULE", and RULE the last one for this base?"""
    part = UP_TO.fullmatch(line)
    return part and source.form == "edit" and \
        overlay.lint(source.name, overlay.text_of(root, source.name))[-1].name == part[2]


def carriers(root, patches, cover, found):
    """{letter's name: its paths}, and the faults: a path in none or in two."""
    lines = [(p.name, line) for p in patches for line in p.lines("Paths")]
    claims = [(name, line) for name, line in lines if not UP_TO.fullmatch(line)]
    claims += [(cover.name, line) for line in cover.pairs("Left out")]
    carried, faults = {name: [] for name, _ in claims} | {p.name: [] for p in patches}, []
    for path in sorted(found):
        takers = [name for name, line in claims if covers(line, path)] or [
            name for name, line in lines
            if path_of(line) == path and ends_at(root, found[path], line)]
        if not takers:
            faults.append(Fault(path, "no file of series/ carries it, nor does the cover leave it "
                                "out"))
        elif len(takers) > 1:
            faults.append(Fault(path, f"is carried by {' and '.join(takers)}"))
        else:
            carried[takers[0]].append(path)
    return carried, faults


def idle(root, patches, cover, paths, version):
    """The faults of lines that say nothing on any base, and of letters that do not on this one."""
    known_paths = set().union(*(overlay.overlay_for(root, v)[0] for v in overlay.SUPPORTED))
    faults = [Fault(letter.name, f"{line}: the overlay has no such path")
              for letter in [*patches, cover]
              for line in (*letter.lines("Paths"), *letter.pairs("Left out"))
              if not any(covers(path_of(line), path) for path in known_paths)]
    for letter in patches:
        lines = letter.lines("Paths")
        if not is_step(letter) and not any(covers(path_of(line), path)
                                           for line in lines for path in paths):
            faults.append(Fault(letter.name, f"carries no path on Linux {version}"))
    return faults


def rows_of(letter):
    """[(case, metric)] of the rows that a patch shows."""
    rows = [tuple(line.split()) for line in letter.lines("Rows")]
    if len(rows) > MOST_ROWS or any(len(row) != 2 for row in rows):
        raise Fault(letter.name, f"write below Rows: a case and its metric, {MOST_ROWS} lines at "
                    "most")
    return rows


def modern(root, version):
    """What there is for a base, and the faults."""
    found, faults = overlay.overlay_for(root, version)
    patches = letters(root, "lists", version) + letters(root, "tree", version)
    cover = read_letter(root, COVER)
    carried, more = carriers(root, patches, cover, found)
    faults += more + idle(root, patches, cover, found, version)
    for letter in patches:
        rows_of(letter)
    return Modern(patches, cover, found, carried), faults


def first_rules(root, letter, found, line):
    """"PATH up to RULE" as an overlay of its own; the edit may be the trunk's or the layer's."""
    path, last = UP_TO.fullmatch(line).groups()
    source = found.get(path)
    if not source:
        return {}
    for edit in (s for s in (source, source.below) if s and s.form == "edit"):
        rules = overlay.lint(edit.name, overlay.text_of(root, edit.name))
        if last in (rule.name for rule in rules):
            return {path: replace(edit, last=last)}
    raise Fault(source.name, f"has no rule {last} ({letter.name})")


def part_of(root, letter, found, whole, tree, now):
    """What a patch makes of a file that a later one carries whole: ({path: Content}, faults).
    whole: what the overlay makes of tree, the base; now: what the patches before have made of it."""
    parts = {}
    for line in filter(UP_TO.fullmatch, letter.lines("Paths")):
        parts |= first_rules(root, letter, found, line)
    made, faults = overlay.plan(root, parts, tree)
    if is_step(letter):
        folder = (root / letter.name).parent
        step, more = overlay.scan(folder)
        more += gather(tree, now, step)
        for path in (path for path in step if path in whole and not (tree / path).exists()):
            write_file(now, path, whole[path].data)
        contents, wrong = overlay.plan(folder, step, now)
        made |= contents
        faults += [named(root, folder, fault) for fault in more or wrong]
    return made, faults


def modern_patches(root, tree, version):
    """(the patches of the series, its cover, faults)"""
    series, faults = modern(root, version)
    if faults:
        raise faults[0]
    carried = [path for letter in series.patches for path in series.carried[letter.name]]
    whole, faults = overlay.plan(root, {p: series.found[p] for p in carried}, tree)
    made, last = [], {}
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        now = Path(scratch)
        for letter in series.patches if not faults else ():
            contents, more = part_of(root, letter, series.found, whole, tree, now)
            faults += more
            contents.update({path: whole[path] for path in series.carried[letter.name]})
            for path, content in contents.items() if not more else ():
                write_file(now, path, content.data, content.executable)
                last[path] = (letter.name, content.data)
            made.append(Patch(letter, contents))
    if not faults:
        faults = [Fault(name, f"{path} is not what the overlay makes of it")
                  for path, (name, data) in last.items()
                  if path not in whole or whole[path].data != data]
    return made, series.cover, faults


# Topics

def topics_of(root):
    """{name: its letter}"""
    folder = root / TOPICS
    topics = {name: read_letter(root, f"{TOPICS}/{name}")
              for name in (os.listdir(folder) if folder.is_dir() else ())}
    for letter in letters(root, "lists", overlay.SUPPORTED[0]):
        name = name_of(letter)
        if letter.all("State"):     # a topic by itself; its message is the patch's
            topics[name.partition("-")[2]] = replace(
                letter, text=letter.text.partition("\n")[0],
                sections=[*letter.sections, Section("Patches", "", letter.name, [name])])
    return dict(sorted(topics.items()))


def state_of(letter):
    return " ".join(s.remark for s in letter.all("State"))


def is_secret(letter):
    return state_of(letter).startswith("security")


def with_those_before(topics, name, seen=()):
    """The topics that one builds on, in their order, and itself."""
    if name not in topics or name in seen:
        raise Fault(f"{TOPICS}/{name}", "there is no such topic, or it builds on itself")
    return [*dict.fromkeys(one for before in topics[name].lines("After") for one in
                           with_those_before(topics, before, (*seen, name))), name]


def those_before(topics, name, patches):
    """The topics of a base that go first"""
    there = {name_of(patch.letter) for patch in patches}
    return [one for one in with_those_before(topics, name)[:-1]
            if there & set(topics[one].lines("Patches"))]


def needs_of(topics, name, patches):
    """What a cover says of the series that go first"""
    subjects = [topics[one].text.partition("\n")[0] for one in those_before(topics, name, patches)]
    return "\n\nIt goes on top of:\n" + "\n".join(f" - {one}" for one in subjects) \
        if subjects else ""


def about_topic(topics, name, patches):
    """What the README says of a topic"""
    own = [p.letter for p in patches if name_of(p.letter) in topics[name].lines("Patches")]
    body = topics[name].text.partition("\n")[2].strip() if len(own) == 1 else ""   # has no cover
    before = ", ".join(those_before(topics, name, patches))
    rows = ", with its rows measured" * any(letter.lines("Rows") for letter in own)
    said = [f"State: {state_of(topics[name])}", f"Goes on top of: {before}" * bool(before),
            f"Does each patch build (W=1) and boot{rows}: make series-steps TOPIC={name}",
            *(f"Tested by, in make test: {' '.join(test.split())}"
              for letter in own for test in TEST.findall(letter.text)),
            "Tests for other suites: tests/, Documentation/dio/suites.rst" *
            bool(topics[name].lines("Tests"))]
    return "\n" + f"{body}\n\n" * bool(body) + "\n".join(filter(None, said)) + "\n"


def topic_faults(root):
    """Is each patch that the lists have of any base in one topic, and is each topic small?"""
    topics, faults = topics_of(root), []
    takers = {name_of(patch): [] for version in overlay.SUPPORTED
              for patch in letters(root, "lists", version)}
    for name, letter in topics.items():
        with_those_before(topics, name)
        patches, lines = letter.lines("Patches"), letter.text.count("\n")
        if not state_of(letter) or len(patches) > MOST_PATCHES or lines > MOST_LINES:
            faults.append(Fault(letter.name, f"a topic has a State:, up to {MOST_PATCHES} patches "
                                f"and {MOST_LINES} lines; here are {len(patches)}, and {lines}"))
        for patch in patches:
            takers.setdefault(patch, [None]).append(name)
    named_tests = {f"{SUITES}/{test}" for letter in topics.values()
                   for test in letter.pairs("Tests")}
    tests = {p.relative_to(root).as_posix() for p in (root / SUITES).rglob("*") if p.is_file()}
    faults += [Fault(test, "is not there, or no topic names it") for test in named_tests ^ tests]
    return faults + [Fault(f"series/lists/{patch}", f"is in the topics {names}, not in one")
                     for patch, names in takers.items() if topics and len(names) != 1]


def recipients_of(tree, letter, files):
    """Whom the tree's own get_maintainer.pl names; of a hole that can be used no list but one."""
    said = perl(tree, "get_maintainer.pl", "--no-git", "--no-git-fallback", "--no-rolestats",
                *["--no-l"] * is_secret(letter),
                *(arg for path in sorted(files) if (tree / path).exists() for arg in ("-f", path)))
    return (said or "").splitlines() + is_secret(letter) * [
        "Cc: security@kernel.org (Documentation/process/security-bugs.rst)"]


def list_topics(root, tree, short):
    """Print what there is to be sent."""
    series, faults = modern(root, short)
    by_name = {name_of(patch): patch for patch in series.patches}
    topics = topics_of(root)
    here = {name: [by_name[one] for one in letter.lines("Patches") if one in by_name]
            for name, letter in topics.items()}
    for name, patches in here.items():
        if not patches:
            continue            # it is for an older base
        letter = topics[name]
        paths = {path for patch in patches for path in (
            overlay.scan((root / patch.name).parent)[0] if is_step(patch) else
            map(path_of, patch.lines("Paths")))}
        said = recipients_of(tree, letter, paths)
        lists = [one for one in said if "<" not in one and "linux-kernel@" not in one]
        print(f"{name:16} {state_of(letter)}; {len(patches)} patch{'es' * (len(patches) > 1)}"
              + "".join(f", after {one}" for one in letter.lines("After") if here.get(one)),
              *[f"{'':16} {one}" for one in lists or said], sep="\n")
    print("series: TOPIC= writes one of these, or all; TOPIC=tree all of them in turn, then the "
          "engine and the raw driver")
    return report(faults)


# The fixes for 2.4 and 2.6: does a tree have one, need it, or neither?

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
    fixes = {f: read_letter(root, (f / MESSAGE).relative_to(root).as_posix()) for f in folders}
    for folder, letter in fixes.items():
        for like in letter.all("Like"):
            other = fixes[folder.parent / like.remark]
            letter.text += "\n" + other.text.partition("\n\n")[2]
            letter.sections += other.sections
    return fixes


@functools.lru_cache(512)
def plain(data):
    """Source text without comments, with one space between two tokens."""
    tokens = re.findall(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|\w+|[^\w\s])',
                        data.decode("latin-1"), re.S)
    return " ".join(filter(None, tokens))


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
    return next((section for section in letter.all(title)
                 if all(holds(trees, fill_in(words, line)) for line in section.lines)), None)


def words_of(letter, trees):
    """{NAME: TEXT, or None if no section fits}."""
    words = {}
    for section in letter.all("Word"):
        name, value = section.remark.split(None, 1)
        if words.setdefault(name) is None and all(holds(trees, line) for line in section.lines):
            words[name] = value
    return words


def wordless(letter, name):
    """Why there is no text for a word."""
    sections = [s for s in letter.all("Word") if s.remark.split()[0] == name]
    paths = sorted({line.partition(": ")[0] for s in sections for line in s.lines})
    return Fault(sections[0].where, f"{' and '.join(paths)} read otherwise than this fix knows, or "
                 f"are not there (Word: {name})")


def spoken(folder, words, scratch):
    """The folder of a fix; if it has words to fill in, a copy in scratch with the tree's."""
    if not words:
        return folder
    copy = scratch / folder.name
    shutil.copytree(folder, copy)
    for file in copy.rglob("*.cocci"):
        file.write_text(fill_in(words, file.read_text()))
    return copy


def gather(tree, work, found):
    """Copy what a fix looks at into the work tree, if no fix before did. The faults: links."""
    faults = []
    for path, source in found.items():
        file = tree / path
        try:
            overlay.refuse_link(tree, source, path)
            if file.is_file() and not (work / path).exists():
                write_file(work, path, file.read_bytes(), overlay.executable(file))
        except Fault as fault:
            faults.append(fault)
    return faults


def named(root, folder, fault):
    """A fault of a fix, with file and line of the rule from the root of the repository."""
    where, what = str(fault).split(": ", 1)
    file, rule = folder / where, re.match(r"rule (\w+):", what)
    if rule and file.is_file():
        heads = [n for n, line in enumerate(file.read_text().splitlines(), 1)
                 if re.match(rf"@\s*{rule[1]}\b", line)]
        where = ":".join([where, *map(str, heads)])
    return Fault(f"{folder.relative_to(root).as_posix()}/{where}", what)


def missing(trees, letter, words):
    """The faults of a fix that is there for the most part: the lines below Has that do not hold."""
    def lacking(section):
        lines = [fill_in(words, line) for line in section.lines]
        return [line for line in lines if not holds(trees, line)]

    sections = [s for s in letter.all("Has") if 2 * len(lacking(s)) <= len(s.lines)]
    for section in sorted(sections, key=lambda s: len(lacking(s)))[:1]:
        return [Fault(section.where, f"more of this fix is there, but not {line}")
                for line in lacking(section)]
    return []


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
        return "", None, [Fault(stop.where, stop.remark), *missing(trees, letter, known_words)]
    for name in set(words) - set(known_words):
        return "", None, [wordless(letter, name)]
    spoken_folder = spoken(folder, words, scratch)
    found, faults = overlay.scan(spoken_folder)
    faults += gather(*trees, found)
    contents, more = overlay.plan(spoken_folder, found, trees[1])
    if faults or more:
        return "", None, [named(root, folder, fault) for fault in faults] or \
            missing(trees, letter, known_words) or [named(root, folder, fault) for fault in more]
    for path, content in contents.items():
        write_file(trees[1], path, content.data, content.executable)
    return "written", Patch(letter, contents), []


def legacy_patches(root, tree, version):
    """([(fix, what is to be said of it)], its patches, faults) for an old tree."""
    number, fixes = bench.version, known(root)
    trees = {folder: trees_of(letter) for folder, letter in fixes.items()}
    fixes = {folder: fixes[folder] for folder, (first, last) in trees.items()
             if number(first) <= number(version) <= number(last)}
    if not fixes:
        generations = sorted({*trees.values()}, key=lambda ends: [*map(number, ends)])
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


def prefix_of(tree):
    """The folder that tree is of a larger repository, with a slash; None: git knows of none."""
    try:
        return git(tree, "rev-parse", "--show-prefix").removesuffix("\n")
    except Refusal as refusal:
        if "not a git repository" in str(refusal):
            return None
        raise


def changes_in(tree):
    """Files that git sees changed below tree."""
    prefix = prefix_of(tree)
    if prefix is None:
        return []
    lines = git(tree, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", ".")
    return [line[3:].removeprefix(prefix) for line in lines.split("\0") if line]


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
        if (tree / path).is_file():
            write_file(repo, path, (tree / path).read_bytes(), overlay.executable(tree / path))
    commit("--message=base")
    git(repo, "tag", "base", env=env)
    for patch in patches:
        for path, content in patch.contents.items():
            write_file(repo, path, content.data, content.executable)
        commit(f"--message={patch.letter.text}")
        folder = Path(patch.letter.name.removesuffix(f"/{MESSAGE}")).parent.name
        git(repo, "tag", f"{folder}/{name_of(patch.letter)}", env=env)


def pick(repo, topics, name, env):
    """Put a topic, and those that it builds on, on the base. Tag base is where its own begin."""
    git(repo, "checkout", "--quiet", "-b", "topic", "base", env=env)
    for one in with_those_before(topics, name):
        git(repo, "tag", "--force", "base", env=env)
        for patch in topics[one].lines("Patches"):
            try:
                if git(repo, "tag", "--list", f"lists/{patch}", env=env):   # or this base has none
                    git(repo, "cherry-pick", f"lists/{patch}", env=env)
            except Refusal as refusal:
                raise Fault(f"{TOPICS}/{one}", f"{patch} does not apply to the base alone; name "
                            f"below After: the topic that it needs ({refusal})") from None


def table(rows):
    """What a patch gave, as lines of text."""
    return bench.columns([("case", "metric", "unit", "before", "behind", "ratio")] + [
        (r["case"], r["metric"], r["unit"],
         *(bench.show(r[k]) for k in ("stock", "patched", "ratio"))) for r in rows], 3)


def with_steps(letter, root, out, short):
    """The letter, and behind its text what its rows were before and behind the patch."""
    steps = bench.load(out / bench.STEPS) or bench.load(root / "series" / bench.STEPS)
    results = {(r["case"], r["metric"]): r for r in steps
               if bench.series_of(r["base"]) == short and r["patch"] == letter.name}
    shown = [results[row] for row in rows_of(letter) if row in results]
    return replace(letter, text=f"{letter.text}\n{MEASURED}\n\n{table(shown)}\n") if shown else letter


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
            commit_patches(Path(scratch), Path(scratch, "none"),
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
    """What one of the tree's own scripts says; None if there is none, or it does not run here."""
    file = tree / "scripts" / script
    if not file.is_file():
        return None
    with tempfile.TemporaryDirectory(prefix="series.") as home:     # no configuration has a say
        run = subprocess.run(["perl", file, *args], cwd=tree, capture_output=True, text=True,
                             errors="replace", check=False, env={**os.environ, "HOME": home})
    if not run.returncode or "total:" in run.stdout:
        return run.stdout
    said = run.stderr.strip().split("\n")[0] or f"exit code {run.returncode}"
    print(f"series: {file} does not run here: {said}", file=sys.stderr)
    return None


def may_say(line, allowed):
    """Is "FILE:LINE: LEVEL:TYPE: text" covered by "TYPE FILE REASON", two shell patterns?"""
    kind, file = (allowed.split(None, 2) + [""])[:2]
    found = re.match(r"(.*?):\d*:? *(?:ERROR|WARNING|CHECK):([A-Z_]+)", line)
    return bool(found and fnmatch(found[2], kind) and fnmatch(found[1], file))


def checkpatch(tree, folder, allowed):
    """What the tree's own checkpatch says, less what is allowed: [Fault]."""
    faults = []
    for patch in sorted(folder.glob("*.patch")):
        said = perl(tree, "checkpatch.pl", "--no-tree", "--no-signoff", "--terse", "--strict",
                    "--show-types", "--showfile", patch)
        if said is None:
            break
        lines = [line.removeprefix(f"{patch}:") for line in said.splitlines()
                 if re.search(r":\d*: *(ERROR|WARNING|CHECK)", line)]
        faults += [Fault(patch.name, f"checkpatch: {line}") for line in lines
                   if not any(may_say(line, one) for one in allowed)]
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

def check_fix(root, folder):
    """The semantic patches of a fix, parsed and held against the rules of the house."""
    found, faults = overlay.scan(folder)
    for source in (s for s in found.values() if s.form == "edit"):
        try:
            text = overlay.text_of(folder, source.name)
            overlay.lint(source.name, text)
            with tempfile.TemporaryDirectory(prefix="series.") as scratch:
                overlay.parse_smpl(source.name, text, scratch)
        except Fault as fault:
            faults.append(fault)
    if not found:
        faults.append(Fault(".", "changes nothing"))
    return [named(root, folder, fault) for fault in faults]


def check_base(root, version):
    """(how many patches, how many paths, the faults) of a base."""
    series, faults = modern(root, version)
    for letter in series.patches:
        if is_step(letter):
            faults += check_fix(root, (root / letter.name).parent)
        for line in filter(UP_TO.fullmatch, letter.lines("Paths")):
            first_rules(root, letter, series.found, line)
    return len(series.patches), len(series.found), faults


def do_check(root):
    faults, said = [], []
    try:
        for version in overlay.SUPPORTED:
            patches, paths, more = check_base(root, version)
            said.append(f"series: Linux {version}: {patches} patches carry {paths} paths")
            faults += more
        faults += topic_faults(root)
        fixes = known(root)
        for folder, letter in fixes.items():
            trees_of(letter)
            faults += check_fix(root, folder)
    except Fault as fault:
        faults.append(fault)
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
    topics = topics_of(root)
    if topic not in (WHOLE, ALL):
        with_those_before(topics, topic)
    patches, cover, faults = modern_patches(root, tree, short)
    if faults:
        return refuse(tree, version, faults)
    patches = [Patch(with_steps(p.letter, root, out, short), p.contents) for p in patches]
    rc, there = 0, {name_of(patch.letter) for patch in patches}
    chosen = [name for name in topics
              if there & set(topics[name].lines("Patches")) and topic in (ALL, name)]
    if topic != WHOLE and not chosen:
        raise Fault(f"{TOPICS}/{topic}", f"none of its patches is for Linux {short}")
    for name in chosen or [None]:
        folder = out / f"series-{short}-{name or WHOLE}"
        title = f"Patches for Linux {short}, {name or WHOLE}"
        about = about_topic(topics, name, patches) if name else ""
        more = SECURITY if name and is_secret(topics[name]) else B4
        sent = [replace(p, letter=replace(p.letter, text=TEST.sub("", p.letter.text)))
                for p in patches] if name else patches
        try:
            rc |= write_series(root, tree, sent, folder, (title, about, more),
                               topics[name] if name else cover, cover.lines("Checkpatch"), name)
        except Fault as fault:      # the other topics are none the worse for it
            rc |= report([fault])
    return rc


def do_legacy(root, tree, out):
    version = overlay.kernel_version(tree)
    said, patches, faults = legacy_patches(root, tree, version)
    if faults:
        return refuse(tree, version, faults, "; what a fix does may be there in other words")
    if patches:
        rc = write_series(root, tree, patches, out / f"series-{version}-{tree.name}",
                          (f"Patches for Linux {version} in {tree}", "", ""))
    for fix, verdict in said:
        print(f"  {fix:32} {verdict}")
    if not patches:
        print("series: nothing is left to do: the tree has or needs none of the fixes")
    return rc if patches else 0


def write_series(root, tree, patches, folder, head, cover=None, allowed=(), topic=None):
    """Write the patches into folder; head: the title of its README, and what else that says."""
    env, prefix = identity(root), prefix_of(tree)
    with tempfile.TemporaryDirectory(prefix="series.") as scratch:
        repo, made = Path(scratch, "repo"), Path(scratch, "made")
        repo.mkdir()
        commit_patches(repo, tree, patches, env)
        if topic:
            pick(repo, topics_of(root), topic, env)
            cover = replace(cover, text=cover.text.rstrip() +
                            needs_of(topics_of(root), topic, patches))
        rfc = ("--rfc",) if cover and state_of(cover).startswith("RFC") else ()
        format_patches(repo, made, cover and cover.text, env, *rfc)
        (made / README).write_text((READ_ME + head[2]).format(
            title=head[0], about=head[1], folder=shlex.quote(str(folder.absolute())),
            below=f"--directory={shlex.quote(prefix)} " if prefix else ""))
        faults = checkpatch(tree, made, allowed) if cover else []   # those of 2.6 do not run today
        if faults:
            return refuse(tree, overlay.kernel_version(tree), faults)
        if topic:
            write_tests(root, cover, made / "tests")
            if cover.lines("Review"):
                (made / REVIEW).write_text("\n\n".join(cover.lines("Review")) + "\n")
        changed = deliver(made, folder)
    count = len(list(folder.glob("*.patch")))
    print(f"series: {count} patch{'es' * (count > 1)} in {folder}"
          + ("" if changed else ": nothing changed"))
    print(f"series: how to apply and sign them: {folder / README}")
    return 0


def do_series(root, tree, out, topic):
    for program in ("git", "perl"):
        if not shutil.which(program):
            raise Refusal(f"{program} not found")
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
