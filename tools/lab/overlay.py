#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Bring the files of this repository into a copy of a kernel tree.

    overlay.py BASE TARGET         make TARGET equal BASE + overlay
    overlay.py --check-smpl        parse and lint the semantic patches, those of all bases
    overlay.py --files [--base V]  print the name of each file here that makes up that overlay

--overlay ROOT names the overlay; the default is this repository, and for V the newest of SUPPORTED.

A file below one of DIRS has one of three forms:

    PATH        replaces the base's PATH, or is new
    PATH.cocci  a semantic patch that edits the base's PATH (.c and .h only)
    PATH.add    is appended to the base's PATH; if its first line is "# before: LINE", what follows
                goes in front of that line of PATH (leading and trailing blanks aside), which must
                be there once; an empty line is put between

That is the trunk; it is for the newest base. base/V/ is the layer of an older base V: base/V/omit
names files of the trunk, or has patterns of names, that are left out there, and what stands below
base/V/, in the same forms, is applied to what the trunk makes of BASE. Layers do not build on one
another. A file that would replace one of BASE is refused unless base/replaces has its path. The
lines of both lists have a comment above them, "# why", that says why.

A path of BASE with CRLF line ends is refused: no patch of it would survive the mail.

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
depends on there is left out, as every rule must match anyway. Line numbers count what came in.

Exit code: 0 done; 1 a file of the overlay is at fault, one line each; 2 usage, trees or system;
130 interrupted.
"""

import argparse
import difflib
import fnmatch
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SUPPORTED = ("7.3", "6.12", "6.1")         # the first one is the trunk's, the others have layers
REPLACES = "base/replaces"
DIRS = ("Documentation", "arch", "block", "drivers", "fs", "include", "lib", "mm", "tools/testing")
FORMS = {".cocci": "edit", ".add": "append"}
MANIFEST = ".overlay"
TEMPORARY = ".overlay.tmp"
SPATCH = ("spatch", "--very-quiet", "--no-includes", "--no-show-diff", "--smpl-spacing")
SPATCH_SECONDS = 300
RULE = re.compile(r"@\s*(?!(?:depends|extends|disable|using|exists|forall)\b)"
                  r"([A-Za-z_]\w*)(\s[^@]*)?@")
OTHERS = re.compile(r"^// rules of ([^:\n]*):?(.*)", re.M)
ONE_RULE = re.compile(r"^((?:// places:.*\n)?@(\w+))(?: depends on \w+)?"     # and all behind it
                      r"(.*(?:\n(?!// places:|@\w).*)*)", re.M)
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
    below: "Source" = None      # the trunk's, if this one is a layer's and applies to the result
    may_replace: bool = True    # a file of the base
    last: str = None            # of an edit: the rule that it ends with, if that is not all of it


@dataclass
class Content:
    data: bytes         # None: the path is not to exist
    executable: bool = False


@dataclass
class Rule:
    name: str
    line: int
    places: tuple                               # as many as the least, at most as the most
    last: int = 0                               # its last line
    edits: bool = False

    def fault(self, where, what):
        return Fault(where, f"rule {self.name}: {what}")


# What the overlay holds

def in_overlay(path):
    return any(path.startswith(d + "/") for d in DIRS)


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


def form_of(name):
    """(path in the kernel, form) of an overlay file."""
    path, suffix = os.path.splitext(name)
    form = FORMS.get(suffix, "replace")
    if form == "edit" and not path.endswith((".c", ".h")):
        raise Fault(name, "a semantic patch edits only .c and .h files")
    return (name if form == "replace" else path), form


def sources(root, names, prefix=""):
    """{path: Source} of the names that are an overlay below the prefix, and the faults."""
    found, faults = {}, []
    below = (n for n in names if n.startswith(prefix) and in_overlay(n.removeprefix(prefix)))
    for name in sorted(set(below)):
        try:
            if not stat.S_ISREG((root / name).lstat().st_mode):
                raise Fault(name, "not a regular file")
            path, form = form_of(name.removeprefix(prefix))
            if path in found:
                raise Fault(name, f"{found[path].name} is there too: one form for a path")
            found[path] = Source(form, name)
        except Fault as fault:
            faults.append(fault)
    return found, faults


def scan(root):
    """An overlay without layers as {path: Source}, and the faults found on the way."""
    return sources(root, file_names(root))


# Layers

def layer_of(version):
    return f"base/{version}/"


def listed(root, name):
    """{line: where it stands} of a list, if it is there; its lines have their reason above them."""
    found, reason = {}, False
    text = (root / name).read_text() if (root / name).exists() else ""
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        where = f"{name}:{number}"
        if not line:
            reason = False
        elif line.startswith("#"):
            reason |= bool(line.strip("# ")) and "SPDX-License-Identifier:" not in line
        elif line in found:
            raise Fault(where, f"{line} is listed twice")
        elif not reason:
            raise Fault(where, f"say why in a comment above {line}")
        else:
            found[line] = where
    return found


def lay(found, layer):
    """Put a layer on the overlay in found. The faults."""
    faults = []
    for path, source in layer.items():
        below = found.get(path)
        if source.form != "replace":
            source.below = below
        elif below and below.form != "replace":
            faults.append(Fault(source.name, f"replaces what {below.name} makes: omit that"))
        found[path] = source
    return faults


def overlay_for(root, version):
    """The overlay for a base of this version as {path: Source}, and the faults."""
    names = file_names(root)
    found, faults = sources(root, names)
    layers = {v: sources(root, names, layer_of(v)) for v in SUPPORTED[1:]}
    plain = {p for one in (found, *(layer for layer, _ in layers.values()))
             for p, source in one.items() if source.form == "replace"}
    layer, more = layers.get(version, ({}, []))
    faults += more
    try:
        omitted, replaces = listed(root, layer_of(version) + "omit"), listed(root, REPLACES)
    except Fault as fault:
        return found, [*faults, fault]
    trunk = [source.name for source in found.values()]
    faults += [Fault(where, f"the trunk has no file {name}") for name, where in omitted.items()
               if not fnmatch.filter(trunk, name)]
    faults += [Fault(where, f"the overlay has no file {path}") for path, where in replaces.items()
               if path not in plain]
    found = {path: source for path, source in found.items()
             if not any(fnmatch.fnmatch(source.name, name) for name in omitted)}
    faults += lay(found, layer)
    for path, source in found.items():
        source.may_replace = path in replaces
    return found, faults


# Semantic patches: the rules of the house

def bare(text):
    """Text less comments and strings, line for line."""
    return re.sub(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*',
                  lambda match: "\n" * match[0].count("\n"), text, flags=re.S)


def declared_places(where, raw, following):
    """Of a comment "// places: N" or "// places: N-M"; None if raw is no such comment."""
    match = re.match(r"\s*// places\b(.*)", raw)
    if not match:
        return None
    number = re.fullmatch(r":\s*([1-9]\d*)(?:-([1-9]\d*))?\s*", match[1])
    if not number or not RULE.match(following):
        raise Fault(where, "write // places: N directly above the header of a rule")
    return int(number[1]), int(number[2] or number[1])


def text_of(root, name):
    """The text of a semantic patch, with the rules that it has from others."""
    text = (root / name).read_bytes().decode("latin-1")

    def rules(match):
        where, other = f"{name}:{text[:match.start()].count(chr(10)) + 1}", match[1]
        if not (root / other).is_file():
            raise Fault(where, f"there is no file {other}")
        there = {rule: head + rest for head, rule, rest in
                 ONE_RULE.findall((root / other).read_text("latin-1"))}
        names = match[2].split() or there
        gone = [rule for rule in names if rule not in there]
        if gone:
            raise Fault(where, f"{other} has no rule {gone[0]}")
        return "\n".join(there[rule] for rule in names)

    return OTHERS.sub(rules, text)


def lint(name, text):
    """The rules of a semantic patch, found to be of the kind that can be checked."""
    rules, declares, places = [], False, (1, 1)
    raws = text.split("\n")
    for number, code in enumerate(bare(text).split("\n"), 1):
        where, raw, code = f"{name}:{number}", raws[number - 1], code.strip()
        added, opens = raw.startswith("+"), code.startswith("@") and raw[0] not in "+-"
        if declares:
            declares = code != "@@"
        elif opens:
            if not RULE.fullmatch(code):
                raise Fault(where, "a rule begins with @NAME ...@ on a line of its own")
            rules.append(Rule(RULE.fullmatch(code)[1], number, places))
            declares, places = True, (1, 1)
        elif code and not rules:
            raise Fault(where, "only comments may precede the first rule")
        elif "<..." in code and not added:
            raise Fault(where, "<... matches zero times without a word: use <+...")
        elif raw.startswith(("+", "-")):
            rules[-1].edits = True
        for rule in rules[-1:]:
            rule.last = number
        places = declared_places(where, raw, "".join(raws[number:number + 1])) or places
    for rule in rules:
        if not rule.edits or [r.name for r in rules].count(rule.name) > 1:
            raise rule.fault(f"{name}:{rule.line}", "only matches, or is there twice: each rule "
                             "has a name and an edit of its own")
    if not rules:
        raise Fault(name, "holds no rule")
    return rules


# Semantic patches: spatch

def spatch(where, folder, *args):
    """Run in an empty folder that is home too: no .cocciconfig has a say."""
    try:
        return subprocess.run([*SPATCH, *args], capture_output=True, check=False, text=True,
                              errors="replace", timeout=SPATCH_SECONDS, cwd=folder,
                              env={**os.environ, "HOME": folder})
    except subprocess.TimeoutExpired:
        raise Fault(where, f"spatch took longer than {SPATCH_SECONDS} s") from None


def spatch_fault(name, run):
    """What spatch has to say, in one line."""
    error = re.search(r"(?:\w+ )?error: *.*", run.stderr)
    line = re.search(r"line (\d+), column.*?around = '(.+?)'", run.stderr, re.S)
    if error and line:
        return Fault(f"{name}:{line[1]}", f"spatch: {error[0].strip(': ')} near '{line[2]}'")
    said = (run.stderr.strip() or "no message").splitlines()[-1].strip()
    return Fault(name, f"spatch failed with code {run.returncode}: {said}")


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


def parse_smpl(name, text, folder):
    def parse():
        Path(folder, "rules.cocci").write_bytes(text.encode("latin-1"))
        run = spatch(name, folder, "--parse-cocci", "rules.cocci")
        if run.returncode:
            raise spatch_fault(name, run)
        return b""

    kept(parse, text.encode("latin-1"))


def after_rules(name, rules, base_file, folder):
    """The text of base_file after the given lines of the semantic patch."""
    old = base_file.read_bytes()

    def apply():
        Path(folder, "rules.cocci").write_text(rules + "\n", encoding="latin-1", newline="")
        output = Path(folder, "output")
        output.unlink(missing_ok=True)
        # It hands the output's name to a shell: one without a folder, which may have a blank.
        run = spatch(name, folder, "--sp-file", "rules.cocci", base_file.resolve(), "-o", "output")
        if output.exists() and not run.returncode:
            return output.read_bytes()
        if run.returncode and not re.search(r"no modified files|No rules apply", run.stderr):
            raise spatch_fault(name, run)
        return old

    new = kept(apply, rules, base_file.suffix, old)
    text = tidy(old.decode("latin-1"), new.decode("latin-1"), rules)
    for was, now in re.findall(r"^// comment: (.+) => (.+)$", rules, re.M):
        if text.count(was) != 1:
            raise Fault(name, f"{text.count(was)} places have \"{was}\", one is needed")
        text = text.replace(was, now)
    return text


def tidy(old, new, rules=""):
    """What spatch made of old, but that no line added ends in white space or is a second blank one:
    1.3 leaves an empty line of a rule where it was indented, in front of the one that is there. And
    lines added are as the rule has them, where spatch spaced or broke them in another way; indented
    as spatch did, but where that is with blanks and the rule indents them."""
    lines = new.splitlines(keepends=True)
    written, several = {}, set()
    for form in re.findall(r"^\+(.*\S)", rules, re.M):
        key = "".join(form.split())
        if written.setdefault(key, form) != form:
            several.add(key)
        written[key] = form
    matcher = difflib.SequenceMatcher(None, old.splitlines(keepends=True), lines, autojunk=False)
    for op, _, _, start, end in reversed(matcher.get_opcodes()):
        for i in reversed(range(start, end) if op != "equal" else ()):
            lines[i] = lines[i].rstrip() + "\n"
            for last in (i + 3, i + 1):     # a member of a table, in three lines
                key = "".join("".join(lines[i:last]).split())
                indent = re.match(r"\s*", lines[i])[0]
                if key in written and last <= end and (key not in several or indent[:2] == "  "):
                    form = written[key]
                    blanks = indent.endswith(" ") and form[0].isspace()
                    lines[i:last] = [(form if blanks else indent + form.lstrip()) + "\n"]
                    end -= last - i - 1
                    break
            if lines[i] == "\n" and "\n" in lines[max(i - 1, 0):i] + lines[i + 1:i + 2]:
                del lines[i]
    return "".join(lines)


# Semantic patches: has each rule done what it says?

def squeezed(lines):
    """Lines that are not blank, with white space normalised."""
    return [" ".join(line.split()) for line in lines if line.strip()]


def contains(lines, block):
    return any(lines[i:i + len(block)] == block for i in range(len(lines) - len(block) + 1))


def telling(lines):
    """Do these lines hold more than brackets and words that may well stand twice in a row?"""
    common = {"break", "continue", "default", "else", "endif", "return"}
    return bool(set(re.findall(r"[A-Za-z_]\w*", " ".join(lines))) - common)


def changes(old, new):
    """(i1, i2, j1, j2) of each stretch where new[j1:j2] came for old[i1:i2]; not of white space."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    stretches = [op[1:] for op in matcher.get_opcodes() if op[0] != "equal"]
    return [(i1, i2, j1, j2) for i1, i2, j1, j2 in stretches
            if i1 == i2 or "".join("".join(old[i1:i2]).split()) !=
            "".join("".join(new[j1:j2]).split())]


def stands_beside(old, place, lines):
    """Do the lines already stand just before or just after the place?"""
    lines = squeezed(lines)
    before, after = squeezed(old[:place]), squeezed(old[place:])
    return telling(lines) and lines in (before[-len(lines):], after[:len(lines)])


def judge(name, path, rule, old, new):
    old, new = old.split("\n"), new.split("\n")
    places = changes(old, new)
    if any(i1 == i2 and stands_beside(old, i1, new[j1:j2]) for i1, i2, j1, j2 in places):
        raise rule.fault(name, f"was applied before to {path}")
    if not places:
        raise rule.fault(name, f"matches nothing in {path}")
    least, most = rule.places
    if len(places) < least:
        raise rule.fault(name, f"matches in part: {len(places)} of {least} places in {path}")
    if len(places) > most:
        raise rule.fault(name, f"matches {len(places)} places in {path}, {most} declared")


# The content of a path

def edited(root, source, base_file, path):
    """base_file after the rules."""
    name, text = source.name, text_of(root, source.name)
    rules, lines = lint(name, text), text.split("\n")
    now = base_file.read_bytes().decode("latin-1")
    with tempfile.TemporaryDirectory(prefix="overlay.") as folder:
        parse_smpl(name, text, folder)
        for rule in rules:
            then = after_rules(name, "\n".join(lines[:rule.last]), base_file, folder)
            judge(name, path, rule, now, then)
            now = then
            if rule.name == source.last:
                break
    return now.encode("latin-1")


def appended(root, name, base_file, path):
    block, data = (f.read_bytes().decode("latin-1") for f in (root / name, base_file))
    head = re.match(r"# before:(.*)\n", block)
    if head:
        block = block[head.end():].strip("\n") + "\n"
    added = squeezed(block.split("\n"))
    if not added:
        raise Fault(name, "adds nothing")
    if contains(squeezed(data.split("\n")), added):
        raise Fault(name, f"was applied before to {path}")
    if data and not data.endswith("\n"):
        data += "\n"
    if not head:
        return (data + block).encode("latin-1")
    line = head[1].strip()
    data, count = re.subn(rf"^[ \t]*{re.escape(line)}\s*?$", lambda m: f"{block}\n{m[0]}", data,
                          flags=re.M)
    if count != 1:
        raise Fault(f"{name}:1", f"{path} has {count} lines \"{line}\", one is needed")
    return data.encode("latin-1")


def executable(file):
    return bool(file.lstat().st_mode & 0o100)


def refuse_link(base, source, path):
    """No patch goes through a link, be it the path or a folder of it."""
    for part in [path, *map(str, Path(path).parents)][:-1]:
        if (base / part).is_symlink():
            raise Fault(source.name, f"{part} is a link in the base, and no patch goes through one")


def from_file(root, source, base_file, path):
    """What path is to be, with this overlay file and what it is applied to."""
    name, own = source.name, root / source.name
    if base_file.is_dir():
        raise Fault(name, f"{path} is no regular file in the base")
    if base_file.is_file() and b"\r\n" in base_file.read_bytes():
        raise Fault(name, f"{path} has CRLF line ends in the base: convert the tree, and try again")
    if source.form == "replace":
        if base_file.exists() and not source.may_replace:
            raise Fault(name, f"the base has {path}: edit it, or list it in {REPLACES}")
        return Content(own.read_bytes(), executable(own))
    if not base_file.is_file():
        raise Fault(name, f"the base has no {path}")
    data = appended(root, name, base_file, path) if source.form == "append" else \
        edited(root, source, base_file, path)
    return Content(data, executable(base_file))


def wanted(root, source, base, path):
    """What path is to be: the trunk's form is applied to the base, a layer's to the result."""
    refuse_link(base, source, path)
    if not source.below:
        return from_file(root, source, base / path, path)
    content = from_file(root, source.below, base / path, path)
    with tempfile.TemporaryDirectory(prefix="overlay.") as folder:
        file = Path(folder, Path(path).name)
        file.write_bytes(content.data)
        content.data = from_file(root, source, file, path).data
    return content


def plan(root, overlay, base):
    """{path: Content} of the whole overlay, and the faults."""
    def one(path):
        try:
            return wanted(root, overlay[path], base, path)
        except Fault as fault:
            return fault

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(overlay, pool.map(one, overlay)))
    return made, [m for m in made.values() if isinstance(m, Fault)]


# Writing

def read_manifest(target):
    """{path: form} of what earlier runs brought."""
    file = target / MANIFEST
    lines = file.read_text().splitlines() if file.exists() else []
    return {path: form for form, _, path in (line.partition(" ") for line in lines)}


def write_manifest(target, forms):
    text = "".join(f"{form} {path}\n" for path, form in sorted(forms.items()))
    write_file(target, MANIFEST, text.encode())


def write_file(target, path, data, is_executable=False):
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    temporary = target / TEMPORARY
    temporary.write_bytes(data)
    temporary.chmod(0o755 if is_executable else 0o644)
    os.replace(temporary, target / path)


def differs(target, path, content):
    """Is path another in target? None: it is not to be there, nor is it."""
    file = target / path
    if not os.path.lexists(file) or content.data is None:
        return os.path.lexists(file) or content.data is not None
    return file.is_symlink() or (file.read_bytes(), executable(file)) != \
        (content.data, content.executable)


def delete(target, path):
    (target / path).unlink()
    with suppress(OSError):                     # one that is not empty ends it
        os.removedirs((target / path).parent)


def bring(target, base, overlay, contents):
    """Write what differs, the list of it first and last. Returns the number of files written."""
    forms = {path: source.form for path, source in overlay.items()}
    old = read_manifest(target)
    for path in sorted(set(old) - set(forms)):
        file = base / path
        contents[path] = Content(file.read_bytes(), executable(file)) if file.is_file() else \
            Content(None)
    todo = [p for p in contents if differs(target, p, contents[p])]
    if todo:
        write_manifest(target, old | forms)
    for path in todo:
        content = contents[path]
        if content.data is None:
            delete(target, path)
        else:
            write_file(target, path, content.data, content.executable)
        print(path, flush=True)
    if todo or old != forms:
        write_manifest(target, forms)
    return len(todo)


# The trees

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
    if not target.is_dir():
        raise Refusal(f"{target}: not a directory")
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
    if any(source.form == "edit" for source in files_of(overlay)):
        need_spatch()
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
    patches, faults = set(), []
    for version in SUPPORTED:
        overlay, more = overlay_for(root, version)
        patches |= {s.name for s in files_of(overlay) if s.form == "edit"}
        faults += more
    if patches:
        need_spatch()
    with tempfile.TemporaryDirectory(prefix="overlay.") as folder:
        for name in sorted(patches):
            try:
                text = text_of(root, name)
                lint(name, text)
                parse_smpl(name, text, folder)
            except Fault as fault:
                faults.append(fault)
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
            names |= {name for name, _ in OTHERS.findall((root / source.name).read_text("latin-1"))}
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
