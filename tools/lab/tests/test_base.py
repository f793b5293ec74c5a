# SPDX-License-Identifier: GPL-2.0
"""base.sh: which kernel is the base, and how its source comes out of the distribution's archive.

The archive is a stand-in for apt, or a mirror on this disk that Debian did not sign.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[1] / "base.sh"

RELEASES = {
    "12": 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
    "13": 'ID=debian\nVERSION_ID="13"\nVERSION_CODENAME=trixie\n',
    "14": "ID=debian\nVERSION_CODENAME=forky\n",
    "other": "ID=ubuntu\nVERSION_ID=12\nVERSION_CODENAME=noble\n",
}

# apt as far as base.sh uses it: $ARCHIVE/SUITE lists what a suite has, and what is asked for is
# written down in $ARCHIVE/log.
APT_GET = r"""#!/bin/sh
echo "$*" >>"$ARCHIVE/log"
[ "$1" = --print-uris ] || for word in $(cat "$XDG_CACHE_HOME"/*/apt/etc/apt/sources.list); do
	case $word in trixie*|bookworm*) suites="$suites $word" ;; esac
done
case $1 in
--print-uris)
	echo "'http://one.example/mirror/dists/stable/InRelease' one_InRelease 0"
	echo "'http://two.example/apt/dists/oldstable/InRelease' two_InRelease 0"
	;;
update)
	for suite in $suites; do
		[ -e "$ARCHIVE/$suite" ] || { echo "E: no $suite" >&2; exit 100; }
	done
	for suite in $suites; do cat "$ARCHIVE/$suite"; done >"$ARCHIVE/names"
	;;
download)
	mkdir -p deb/DEBIAN deb/usr/src
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example>\n' "$2" \
		>deb/DEBIAN/control
	echo "Description: x" >>deb/DEBIAN/control
	echo "the source" >deb/usr/src/$2.tar.xz
	dpkg-deb --build deb "$2_1_all.deb" && rm -r deb
	;;
esac
"""
APT_CACHE = "#!/bin/sh\ncat \"$ARCHIVE/names\"\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.tmp = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.env = {k: v for k, v in os.environ.items() if k not in ("BASE", "KSRC", "APT_CONFIG")}
        self.env |= {"XDG_CACHE_HOME": str(self.tmp / "cache"), "O": str(self.tmp / "out")}
        self.release("12")

    def release(self, which):
        (self.tmp / "os-release").write_text(RELEASES[which])
        self.env["OS_RELEASE"] = str(self.tmp / "os-release")

    def tree(self, version, patchlevel):
        (self.tmp / "tree").mkdir(exist_ok=True)
        (self.tmp / "tree/Makefile").write_text(
            f"VERSION = {version}\nPATCHLEVEL = {patchlevel}\nSUBLEVEL = 7\nEXTRAVERSION =\n")
        return str(self.tmp / "tree")

    def run_it(self, *words, **more):
        done = subprocess.run([TOOL, *words], env=self.env | more, capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout.strip(), done.stderr.strip()

    def says(self, wanted, *words, **more):
        self.assertEqual(self.run_it(*words, **more), (0, wanted, ""))

    def refuses(self, code, pattern, *words, **more):
        rc, out, err = self.run_it(*words, **more)
        self.assertEqual((rc, out), (code, ""), err)
        self.assertRegex(err.splitlines()[-1], pattern)


class Name(Case):
    def test_which_base(self):
        cache = f"{self.tmp}/cache/linux-dio/apt/linux-source-"
        for release, asked, base, tarball in (
                ("12", "", "6.1", "/usr/src/linux-source-6.1.tar.xz"),
                ("13", "", "6.12", "/usr/src/linux-source-6.12.tar.xz"),
                ("12", "6.12", "6.12", cache + "6.12.tar.xz"),
                ("12", "7.3", "7.3", cache + "7.3.tar.xz"),
                ("13", "6.1", "6.1", cache + "6.1.tar.xz")):
            self.release(release)
            self.says(base, "name", BASE=asked)
            self.says(tarball, "tarball", BASE=asked)

    def test_an_unknown_one_is_refused_with_the_list(self):
        for base in ("6.6", "7", "6.1.192", "6.1 6.12", "6.1|"):
            self.refuses(2, "^lab: no such base: BASE=.*; there are: 6.1 6.12 7.3$", "name",
                         BASE=base)
        for release in ("14", "other"):
            self.release(release)
            self.refuses(2, "name a kernel tree with KSRC=", "name")

    def test_a_tree_says_which_it_is(self):
        self.release("other")
        for version, base in (((6, 1), "6.1"), ((6, 12), "6.12"), ((7, 3), "7.3"), ((7, 4), "7.3"),
                              ((10, 0), "7.3")):      # what is newer is taken for the newest
            self.says(base, "name", KSRC=self.tree(*version))
            self.says(base, "name", KSRC=self.tree(*version), BASE=base)
        for version in ((6, 6), (2, 6), (6, 13), (7, 2)):
            self.refuses(2, rf"is Linux {version[0]}\.{version[1]}; there are: 6.1 6.12 7.3",
                         "name", KSRC=self.tree(*version))
        self.refuses(2, "is Linux 6.1, but BASE=7.3$", "name", KSRC=self.tree(6, 1), BASE="7.3")
        self.refuses(2, "is not a kernel tree", "name", KSRC=str(self.tmp))


@unittest.skipUnless(shutil.which("apt-get"), "no apt-get here")
class Mirrors(Case):
    """The real apt, with lists of sources of ours"""
    def test_what_debian_did_not_sign_is_refused_and_hooks_are_left_alone(self):
        suite = self.tmp / "mirror/dists/trixie-backports"
        (suite / "main/binary-amd64").mkdir(parents=True)
        (suite / "main/binary-amd64/Packages").write_text("")
        (suite / "Release").write_text("Suite: trixie-backports\nComponents: main\n"
                                       "Architectures: amd64\nDate: Sun, 1 Nov 2026 00:00:00 UTC\n")
        (self.tmp / "etc/apt/apt.conf.d").mkdir(parents=True)
        self.env["APT_CONFIG"] = str(self.tmp / "apt.conf")
        (self.tmp / "apt.conf").write_text(
            f'Dir "{self.tmp}";\nAcquire::Retries "7";\n'
            f'APT::Update::Pre-Invoke:: "touch {self.tmp}/hooked";\n')
        sources = self.tmp / "etc/apt/sources.list"
        sources.write_text("deb http://sec.example/security bookworm-security main\n"
                           "deb cdrom:[Debian]/ bookworm main\n")
        self.refuses(2, "no mirror of Debian", "get", BASE="7.3")
        sources.write_text(f"deb [trusted=yes] file:{self.tmp}/mirror bookworm main\n")
        self.refuses(3, "apt cannot read what there is for BASE=7.3", "get", BASE="7.3")
        log = (self.tmp / "out/log/apt-trixie-backports.log").read_text()
        self.assertIn("is not signed", log)
        self.assertFalse((self.tmp / "hooked").exists())
        config = subprocess.run(["apt-config", "dump"], text=True, check=True,
                                stdout=subprocess.PIPE, env=self.env | {
                                    "APT_CONFIG": f"{self.tmp}/cache/linux-dio/apt/apt.conf"})
        self.assertIn('Acquire::Retries "7";', config.stdout)
        self.assertNotIn("Invoke", config.stdout)


@unittest.skipUnless(shutil.which("dpkg-deb"), "no dpkg-deb here")
class Get(Case):
    def setUp(self):
        super().setUp()
        self.archive = self.tmp / "archive"
        self.archive.mkdir()
        programs = self.tmp / "bin"
        programs.mkdir()
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE),
                           ("apt-config", "#!/bin/sh\n")):
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.env |= {"ARCHIVE": str(self.archive), "PATH": f"{programs}:{self.env['PATH']}"}
        self.apt = self.tmp / "cache/linux-dio/apt"

    def suite(self, name, *versions):
        (self.archive / name).write_text("".join(f"linux-source-{v}\n" for v in versions))

    def asked(self):
        """What apt-get was asked for, less the mirrors"""
        log = self.archive / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if not line.startswith("--print-uris")]

    def test_when_the_archive_has_moved_on_the_next_newer_one_is_taken(self):
        self.suite("trixie-backports", "6.19", "7.5", "7.4", "7.10")
        for _ in range(2):
            rc, _, err = self.run_it("get", BASE="7.3")
            self.assertEqual(rc, 0, err)
            self.assertIn("no linux-source-7.3 any more: BASE=7.3 is linux-source-7.4 here", err)
        self.assertEqual(len(self.asked()), 2)
        self.refuses(2, "no linux-source-7.3 any more, only linux-source-7.4", "get", "exactly",
                     BASE="7.3")
        self.suite("trixie", "6.12")        # of two suites
        self.suite("bookworm-backports", "6.17", "7.3")
        self.assertEqual(self.run_it("get", BASE="6.12")[0], 0)
        self.assertEqual(self.asked()[-1], "download linux-source-6.12")

    def test_what_cannot_be_had(self):
        self.refuses(3, "apt cannot read what there is for BASE=7.3", "get", BASE="7.3")
        self.suite("trixie-backports", "7.3")
        for line, instead, code, why in (
                ("deb/usr/src/$2", "deb/usr/src/x", 1, "take-out-7.3 failed"),
                ("mkdir -p deb/DEBIAN", "exit 100; mkdir -p deb/DEBIAN", 3, "fetch-7.3 failed")):
            (self.tmp / "bin/apt-get").write_text(APT_GET.replace(line, instead))
            self.refuses(code, why, "get", BASE="7.3")
            self.assertEqual(list(self.apt.glob("*.tar.xz")), [])
