#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Bring the files of this repository into a copy of a kernel tree.

    overlay.py BASE TARGET         make TARGET equal BASE + overlay
    overlay.py --check-smpl        parse and lint all semantic patches, and the overlays' forms
    overlay.py --files [--base V]  print the name of each file here that makes up that overlay

--overlay ROOT names the overlay; the default is this repository, and for V the newest of SUPPORTED.

A file below one of DIRS has one of three forms:

    PATH        replaces the base's PATH, or is new
    PATH.cocci  a semantic patch that edits the base's PATH (.c and .h only)
    PATH.add    is appended to the base's PATH; if its first line is "# before: LINE", what follows
                goes in front of that line of PATH (leading and trailing blanks aside), which must
                be there once; an empty line is put between (not in index.rst, a list)

That is the trunk; it is for the newest base. base/V/ is the layer of an older base V: base/V/omit
names files of the trunk that are left out there (or a folder, FOLDER/), and what stands below
base/V/, in the same forms, is applied to what the trunk makes of BASE. Layers do not build on one
another. A file that would replace one of BASE is refused unless base/replaces has its path. The
lines of both lists are names; a comment above them, "# why", says why.

A path of BASE with CRLF line ends is refused: no patch of it would survive the mail. So is one that
is a link, or lies in a folder that is one.

The content of every path is computed from BASE before anything is written, so a fault leaves TARGET
as it was. Only files that differ are written, each by rename, so that make rebuilds what changed
and no more. TARGET/.overlay lists what came from an overlay, before it is written and until it is
gone, so the next run puts right one that was cut short.

A semantic patch is applied rule by rule: rules 1..k must change what rules 1..k-1 made, in as many
places (stretches of changed lines) as the comment "// places: N" directly above rule k says, else
in one ("// places: N-M" where bases differ). spatch does not change what a comment says: a line
"// comment: OLD => NEW" of a rule does, where OLD stands once. What spatch answers is kept in
$XDG_CACHE_HOME/linux-dio/spatch, by what it was asked.

A line "// rules of FILE: NAME..." stands for these rules of another semantic patch of this
repository, each with its places; "// rules of FILE" for all that are written there. What a rule
depends on there is left out, as every rule must match anyway.

Exit code: 0 done; 1 a file of the overlay is at fault, one line each; 2 usage, trees or system;
130 interrupted.
"""

import argparse
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

SUPPORTED = ("7.3", "6.12", "6.1")         # the first one is the trunk's, the others have layers
REPLACES = "base/replaces"
DIRS = ("Documentation", "arch", "block", "drivers", "fs", "include", "lib", "mm", "tools/testing")
FORMS = {".cocci": "edit", ".add": "append"}
MANIFEST = ".overlay"
TEMPORARY = ".overlay.tmp"
SPATCH = ("spatch", "--very-quiet", "--no-includes", "--no-show-diff", "--smpl-spacing")
SPATCH_SECONDS = 300
HEAD = re.compile(r"^// rules of (?P<file>[^:\n]*):?(?P<names>.*)\n?|"
                  r"^(?:// places: (?P<least>[1-9]\d*)(?:-(?P<most>\d+))?\n)?@(?P<rule>\w+).*@\n",
                  re.M)
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "linux-dio/spatch")


class Fault(Exception):
    """A file of the overlay cannot be applied."""

    def __init__(self, where, what):
        super().__init__(f"{where}: {what}")


class Refusal(Exception):
    """The command line, a tree or the system is not as needed."""


@dataclass
class Source:
    form: str                   # replace, edit or append
    name: str                   # of the file in the overlay, relative to its root
    may_replace: bool           # a file of the base
    below: "Source" = None      # the trunk's, if this one is a layer's and applies to the result
    last: str = None            # of an edit: the rule that it ends with, if that is not all of it
    words: dict = field(default_factory=dict)       # {NAME in the rules: what it is to read}


@dataclass
class Content:
    data: bytes
    executable: bool = False


@dataclass
class Rule:
    file: str
    line: int
    name: str
    text: str
    least: int          # places
    most: int

    def fault(self, what):
        return Fault(f"{self.file}:{self.line}", f"rule {self.name}: {what}")


class Tree(dict):
    """{path: Content} of what was made of a tree; what is not in it is as the tree has it."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def __missing__(self, path):
        return read(self.folder, path)


# Files

def read(folder, path):
    """The Content of a file; None: there is none. No patch goes through a link."""
    for part in [path, *map(str, Path(path).parents)][:-1]:
        if (folder / part).is_symlink():
            raise Fault(path, f"{part} is a link, and no patch goes through one")
    file = folder / path
    if not file.exists():
        return None
    if not file.is_file():
        raise Fault(path, "is no regular file")
    return Content(file.read_bytes(), bool(file.stat().st_mode & 0o100))


def write(folder, path, content):
    """By rename; None: the path is not to exist."""
    file, temporary = folder / path, folder / TEMPORARY
    if not content:
        file.unlink()
        with suppress(OSError):                     # one that is not empty ends it
            os.removedirs(file.parent)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary.write_bytes(content.data)
    temporary.chmod(0o755 if content.executable else 0o644)
    os.replace(temporary, file)


def git(folder, *args, env=None):
    """What git prints"""
    outer = {k: v for k, v in os.environ.items()            # a hook of git may have started us
             if not k.startswith("GIT_") or k.startswith("GIT_CONFIG")}
    run = subprocess.run(["git", "-C", folder, *args], capture_output=True, check=False,
                         env={**outer, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", **(env or {})})
    if run.returncode:
        said = os.fsdecode(run.stderr).strip().splitlines() or ["no message"]
        raise Refusal(f"{folder}: git {args[0]}: {said[0]}")
    return os.fsdecode(run.stdout)


def file_names(root):
    """All files of root, as git sees them where root is a checkout."""
    if not root.is_dir():
        raise Refusal(f"{root}: not a directory")
    if not (root / ".git").exists():
        return [p.relative_to(root).as_posix() for p in root.rglob("*")
                if p.is_symlink() or not p.is_dir()]
    names = git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
    return [name for name in names if name and os.path.lexists(root / name)]


# What the overlay holds

def sources(names, prefix="", replaces=()):
    """{path: Source} of the names that are an overlay below the prefix, and the faults."""
    found, faults = {}, []
    for name in sorted(name for name in names if name.startswith(prefix)):
        path, suffix = os.path.splitext(name.removeprefix(prefix))
        form = FORMS.get(suffix, "replace")
        path += suffix * (form == "replace")
        if not path.startswith(tuple(f"{folder}/" for folder in DIRS)):
            continue
        if form == "edit" and not path.endswith((".c", ".h")):
            faults.append(Fault(name, "a semantic patch edits only .c and .h files"))
        elif path in found:
            faults.append(Fault(name, f"{found[path].name} is there too: one form for a path"))
        else:
            found[path] = Source(form, name, path in replaces)
    return found, faults


def scan(root, folder):
    """A folder of root that is an overlay: {path: Source}, and the faults."""
    return sources([f"{folder}/{name}" for name in file_names(root / folder)], f"{folder}/")


def listed(root, name):
    """The lines of a list, if it is there, but for comments."""
    lines = (root / name).read_text().splitlines() if (root / name).exists() else ()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def covers(line, path):
    """Is path what the line names, or below that, if it is a folder, with a slash at its end?"""
    return path.startswith(line) if line.endswith("/") else path == line


def layer_of(version):
    return f"base/{version}/"


def overlay_for(root, version):
    """The overlay for a base of this version as {path: Source}, and the faults."""
    names, replaces = file_names(root), listed(root, REPLACES)
    omit = layer_of(version) + "omit"
    omitted = listed(root, omit)
    faults = [Fault(omit, f"the trunk has no file {line}") for line in omitted
              if not any(covers(line, name) for name in names)]
    faults += [Fault(REPLACES, f"the overlay has no file {path}") for path in replaces
               if not {path, *(layer_of(v) + path for v in SUPPORTED)} & {*names}]
    found, more = sources([name for name in names if not any(covers(line, name)
                                                             for line in omitted)], "", replaces)
    layer, others = sources(names, layer_of(version), replaces)
    for path, source in layer.items():
        below = found.get(path)
        if source.form != "replace":
            source.below = below
        elif below and below.form != "replace":
            faults.append(Fault(source.name, f"replaces what {below.name} makes: omit that"))
    return found | layer, faults + more + others


# Semantic patches: the rules of the house

def bare(text):
    """Text less comments and strings, line for line."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*',
                  lambda match: "\n" * match[0].count("\n"), text, flags=re.S)


def check_rule(rule):
    """Is it of the kind that can be checked?"""
    lines = bare(rule.text).strip().split("\n")
    if [line for line in lines[1:] if line.lstrip().startswith("@")] != ["@@"]:
        raise rule.fault("ends where no other rule begins with @NAME ...@ on a line of its own")
    if any("<..." in line and line[0] != "+" for line in lines):
        raise rule.fault("<... matches zero times without a word: use <+...")
    if not any(line.startswith(("+", "-")) for line in lines):
        raise rule.fault("only matches: each rule has an edit of its own")


def rules_of(root, name):
    """The rules of a semantic patch, with those that it has from others."""
    text = (root / name).read_bytes().decode("latin-1") + "\n"
    heads = [*HEAD.finditer(text)]
    begins = [head.start() for head in heads] + [len(text)]
    if not heads or bare(text[:begins[0]]).strip():
        raise Fault(name, "begins with a rule, @NAME ...@ on a line of its own, or a comment")
    if len(re.findall("^// places", text, re.M)) > len([h for h in heads if h["least"]]):
        raise Fault(name, "write // places: N directly above the header of a rule")
    rules = []
    for head, end in zip(heads, begins[1:]):
        if head["file"]:
            there = {rule.name: rule for rule in rules_of(root, head["file"])}
            for one in head["names"].split() or there:
                if one not in there:
                    raise Fault(name, f"{head['file']} has no rule {one}")
                alone = re.sub(r"^(@\w+) depends on \w+", r"\1", there[one].text, 1, re.M)
                rules.append(replace(there[one], text=alone))
        else:
            least, line = int(head["least"] or 1), text[:head.start()].count("\n") + 1
            rules.append(Rule(name, line, head["rule"], text[head.start():end], least,
                              int(head["most"] or least)))
            check_rule(rules[-1])
    for rule in rules:
        if [r.name for r in rules].count(rule.name) > 1:
            raise rule.fault("is there twice")
    return rules


def fill_in(words, text):
    """The text with words in it; {NAME: what it is to read}."""
    for name, value in words.items():
        text = re.sub(rf"\b{name}\b", lambda _, value=value: value, text)
    return text


# Semantic patches: spatch

def spatch_fault(rules, run):
    """What spatch has to say, in one line."""
    error = re.search(r"(?:\w+ )?error: *.*", run.stderr)
    near = re.search(r"line (\d+), column.*?around = '(.+?)'", run.stderr, re.S)
    if error and near:
        lines = [f"{rule.file}:{rule.line + n}" for rule in rules
                 for n in range(rule.text.count("\n"))]
        return Fault(lines[min(int(near[1]), len(lines)) - 1],
                     f"spatch: {error[0].strip(': ')} near '{near[2]}'")
    said = (run.stderr.strip() or "no message").splitlines()[-1].strip()
    return Fault(rules[0].file, f"spatch failed with code {run.returncode}: {said}")


def spatch(rules, *args, suffix="", data=b""):
    """What it makes of the file old.SUFFIX, in a folder that is home too: no .cocciconfig has a
    say."""
    with tempfile.TemporaryDirectory(prefix="overlay.") as folder:
        text = "".join(rule.text for rule in rules)
        Path(folder, "rules.cocci").write_bytes(text.encode("latin-1"))
        Path(folder, "old" + suffix).write_bytes(data)
        try:
            run = subprocess.run([*SPATCH, *args], capture_output=True, check=False, text=True,
                                 errors="replace", timeout=SPATCH_SECONDS, cwd=folder,
                                 env={**os.environ, "HOME": folder})
        except subprocess.TimeoutExpired:
            raise rules[-1].fault(f"spatch took longer than {SPATCH_SECONDS} s") from None
        if run.returncode and not re.search(r"no modified files|No rules apply", run.stderr):
            raise spatch_fault(rules, run)
        new = Path(folder, "new")
        return new.read_bytes() if new.exists() and not run.returncode else data


def kept(make, *asked):
    """What make() gives: bytes that depend on what is asked, and on spatch, alone."""
    program = os.stat(shutil.which(SPATCH[0]))
    asked = repr((SPATCH, program.st_size, program.st_mtime_ns, asked))
    file = CACHE / hashlib.sha256(asked.encode()).hexdigest()
    if file.exists():
        return zlib.decompress(file.read_bytes())
    made = make()
    with suppress(OSError):                     # then it is asked again
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=CACHE, delete=False) as temporary:
            temporary.write(zlib.compress(made))
        os.replace(temporary.name, file)
    return made


def after_rules(rules, path, data):
    """What the file's text is after the rules."""
    text, suffix = "".join(rule.text for rule in rules), Path(path).suffix
    new = kept(lambda: spatch(rules, "--sp-file", "rules.cocci", "old" + suffix, "-o", "new",
                              suffix=suffix, data=data), text, suffix, data)
    made = tidy(data.decode("latin-1"), new.decode("latin-1"), text)
    for was, now in re.findall(r"^// comment: (.+) => (.+)$", text, re.M):
        if made.count(was) != 1:
            raise rules[-1].fault(f"{made.count(was)} places have \"{was}\", one is needed")
        made = made.replace(was, now)
    return made


def tidy(old, new, rules=""):
    """What spatch made of old, but that no line added ends in white space or is a second blank one:
    1.3 leaves an empty line of a rule where it was indented, in front of the one that is there. And
    lines added are as the rule has them, where spatch spaced or broke them in another way; indented
    as spatch did, but where that is with blanks and the rule indents them."""
    lines, forms = new.splitlines(keepends=True), {}
    for form in re.findall(r"^\+(.*\S)", rules, re.M):
        forms.setdefault("".join(form.split()), []).append(form)
    matcher = difflib.SequenceMatcher(None, old.splitlines(keepends=True), lines, autojunk=False)
    for op, _, _, start, end in reversed(matcher.get_opcodes()):
        for i in reversed(range(start, end) if op != "equal" else ()):
            lines[i] = lines[i].rstrip() + "\n"
            for last in (i + 3, i + 1):     # a member of a table, in three lines
                key = "".join("".join(lines[i:last]).split())
                indent = re.match(r"\s*", lines[i])[0]
                if key in forms and last <= end and (len({*forms[key]}) == 1 or
                                                     indent[:2] == "  "):
                    form = forms[key][-1]
                    blanks = indent.endswith(" ") and form[0].isspace()
                    lines[i:last] = [(form if blanks else indent + form.lstrip()) + "\n"]
                    end -= last - i - 1
                    break
            if lines[i] == "\n" and "\n" in lines[max(i - 1, 0):i] + lines[i + 1:i + 2]:
                del lines[i]
    return "".join(lines)


# Semantic patches: has each rule done what it says?

def squeezed(lines):
    """Lines that are not blank as one text, with white space normalised; each begins a new line."""
    return "".join("\n" + " ".join(line.split()) for line in lines if line.strip()) + "\n"


def telling(text):
    """Does it hold more than brackets and words that may well stand twice in a row?"""
    common = {"break", "continue", "default", "else", "endif", "return"}
    return bool(set(re.findall(r"[A-Za-z_]\w*", text)) - common)


def changes(old, new):
    """(i1, i2, j1, j2) of each stretch where new[j1:j2] came for old[i1:i2]; not of white space."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    stretches = [op[1:] for op in matcher.get_opcodes() if op[0] != "equal"]
    return [(i1, i2, j1, j2) for i1, i2, j1, j2 in stretches
            if i1 == i2 or "".join("".join(old[i1:i2]).split()) !=
            "".join("".join(new[j1:j2]).split())]


def stands_beside(old, place, lines):
    """Do the lines already stand just before or just after the place?"""
    text = squeezed(lines)
    return telling(text) and (squeezed(old[:place]).endswith(text) or
                              squeezed(old[place:]).startswith(text))


def judge(path, rule, old, new):
    old, new = old.split("\n"), new.split("\n")
    places = changes(old, new)
    if any(i1 == i2 and stands_beside(old, i1, new[j1:j2]) for i1, i2, j1, j2 in places):
        raise rule.fault(f"was applied before to {path}")
    if not places:
        raise rule.fault(f"matches nothing in {path}")
    if not rule.least <= len(places) <= rule.most:
        raise rule.fault(f"matches {len(places)} places in {path}, not {rule.least}")


# The content of a path

def edited(root, source, path, data):
    """The text after the rules."""
    rules = [replace(rule, text=fill_in(source.words, rule.text))
             for rule in rules_of(root, source.name)]
    now = data.decode("latin-1")
    for number, rule in enumerate(rules, 1):
        then = after_rules(rules[:number], path, data)
        judge(path, rule, now, then)
        now = then
        if rule.name == source.last:
            break
    return now


def appended(root, source, path, data):
    name, text = source.name, data.decode("latin-1")
    block = (root / name).read_text("latin-1")
    head = re.match(r"# before:(.*)\n", block)
    if head:
        block = block[head.end():].strip("\n") + "\n" * (1 if path.endswith("/index.rst") else 2)
    if squeezed(block.split("\n")) in squeezed(text.split("\n")):
        raise Fault(name, f"was applied before to {path}")
    if text and not text.endswith("\n"):
        text += "\n"
    if not head:
        return text + block
    line = head[1].strip()
    text, count = re.subn(rf"^[ \t]*{re.escape(line)}\s*?$", lambda m: block + m[0], text,
                          flags=re.M)
    if count != 1:
        raise Fault(f"{name}:1", f"{path} has {count} lines \"{line}\", one is needed")
    return text


def applied(root, source, path, old):
    """What path is to be, where old is its Content, None if it is not there."""
    if source.below:
        old = applied(root, source.below, path, old)
    if old and b"\r\n" in old.data:
        raise Fault(source.name, f"{path} has CRLF line ends in the base: convert the tree, and "
                    "try again")
    if source.form == "replace":
        if old and not source.may_replace:
            raise Fault(source.name, f"the base has {path}: edit it, or list it in {REPLACES}")
        return read(root, source.name)
    if not old:
        raise Fault(source.name, f"the base has no {path}")
    text = (edited if source.form == "edit" else appended)(root, source, path, old.data)
    return replace(old, data=text.encode("latin-1"))


def plan(root, overlay, tree):
    """{path: Content} of the whole overlay, and the faults."""
    def one(path):
        try:
            return applied(root, overlay[path], path, tree[path])
        except Fault as fault:
            return fault

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(overlay, pool.map(one, overlay)))
    faults = [m for m in made.values() if isinstance(m, Fault)]
    return {} if faults else made, faults


# The trees

def bring(target, base, overlay, contents):
    """Write what differs, the list of it first and last. Returns the number of files written."""
    forms = {path: source.form for path, source in overlay.items()}
    old, there = manifest_of(target), Tree(target)
    contents = {path: base[path] for path in old if path not in forms} | contents
    todo = [path for path in contents if there[path] != contents[path]]
    if todo:
        write_manifest(target, old | forms)
    for path in todo:
        write(target, path, contents[path])
        print(path, flush=True)
    if todo or old != forms:
        write_manifest(target, forms)
    return len(todo)


def manifest_of(target):
    """{path: form} of what earlier runs brought."""
    file = target / MANIFEST
    lines = file.read_text().splitlines() if file.exists() else []
    return {path: form for form, _, path in (line.partition(" ") for line in lines)}


def write_manifest(target, forms):
    text = "".join(f"{form} {path}\n" for path, form in sorted(forms.items()))
    write(target, MANIFEST, Content(text.encode()))


def kernel_version(tree):
    try:
        text = (tree / "Makefile").read_text(encoding="latin-1")
    except (FileNotFoundError, NotADirectoryError):
        raise Refusal(f"{tree}: not a kernel tree: no Makefile") from None
    numbers = []
    for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL"):
        match = re.search(rf"^{key}[ \t]*=[ \t]*(\d+)[ \t]*$", text, re.M)
        if not match:
            raise Refusal(f"{tree}: not a kernel tree: no {key} in its Makefile")
        numbers.append(match[1])
    return ".".join(numbers)


def check_trees(base, target):
    """The first two numbers of the version of a pristine and supported base"""
    version = kernel_version(base)
    short = version.rpartition(".")[0]
    if short not in SUPPORTED:
        raise Refusal(f"{base}: Linux {version} is not supported; supported: "
                      + ", ".join(SUPPORTED))
    if (base / MANIFEST).exists():
        raise Refusal(f"{base}: not a pristine base: an overlay was applied to it")
    if base.resolve() == target.resolve():
        raise Refusal("BASE and TARGET must be two trees")
    if kernel_version(target) != version:
        raise Refusal(f"{target}: Linux {kernel_version(target)}, but BASE is {version}")
    return short


# The commands

def report(faults, program="overlay"):
    """Each once; the exit code"""
    for fault in dict.fromkeys(map(str, faults)):
        print(f"{program}: {fault}", file=sys.stderr)
    return 1 if faults else 0


def do_apply(base, target, root):
    overlay, faults = overlay_for(root, check_trees(base, target))
    need_spatch()
    base = Tree(base)
    contents, more = plan(root, overlay, base)
    if faults + more:
        return report(faults + more)
    count = bring(target, base, overlay, contents)
    print(f"overlay: {len(overlay)} paths, {count} written")
    return 0


def files_of(overlay):
    """The sources of all paths, the trunk's before the layer's."""
    for path in sorted(overlay):
        yield from filter(None, (overlay[path].below, overlay[path]))


def do_check(root):
    def parsed(name):
        try:
            spatch(rules_of(root, name), "--parse-cocci", "rules.cocci")
        except Fault as fault:
            return fault
        return None

    need_spatch()
    patches = sorted(name for name in file_names(root) if name.endswith(".cocci"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(filter(None, pool.map(parsed, patches)))
    for version in SUPPORTED:
        faults += overlay_for(root, version)[1]
    if not faults:
        print(f"overlay: {len(patches)} semantic patches parse")
    return report(faults)


def do_list(root, version):
    """Print the names of the files that make up the overlay for a base."""
    overlay, faults = overlay_for(root, version)
    if faults:
        return report(faults)
    names = {n for n in (REPLACES, layer_of(version) + "omit") if (root / n).exists()}
    for source in files_of(overlay):
        names.add(source.name)
        if source.form == "edit":
            names |= {rule.file for rule in rules_of(root, source.name)}
    print(*sorted(names), sep="\n")
    return 0


def need_spatch():
    if not shutil.which(SPATCH[0]):
        raise Refusal("spatch not found: install the package coccinelle")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refusal(f"{message} (see --help)")


def arguments(argv):
    parser = Parser(prog="overlay.py", description=__doc__, allow_abbrev=False,
                    usage=argparse.SUPPRESS,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*", type=Path, metavar="TREE", help="BASE and TARGET")
    parser.add_argument("--overlay", type=Path, metavar="ROOT",
                        default=Path(__file__).resolve().parents[2],
                        help="default: this repository")
    command = parser.add_mutually_exclusive_group()
    command.add_argument("--check-smpl", action="store_true")
    command.add_argument("--files", action="store_true")
    parser.add_argument("--base", metavar="VERSION", choices=SUPPORTED, default=SUPPORTED[0])
    args = parser.parse_args(argv)
    alone = args.check_smpl or args.files
    if len(args.trees) != (0 if alone else 2):
        parser.error("no tree goes with this option" if alone else "BASE and TARGET are needed")
    return args


def do_it(argv):
    args = arguments(argv)
    if args.check_smpl:
        return do_check(args.overlay)
    if args.files:
        return do_list(args.overlay, args.base)
    return do_apply(*args.trees, args.overlay)


def main(argv, command=do_it, program="overlay"):
    """The exit code of a command; series.py has others."""
    try:
        return command(argv)
    except Fault as fault:
        return report([fault], program)
    except Refusal as refusal:
        print(f"{program}: {refusal}", file=sys.stderr)
    except OSError as error:
        print(f"{program}: {error.filename or 'system'}: {error.strerror}", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
