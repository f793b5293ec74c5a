# SPDX-License-Identifier: GPL-2.0
"""kernel.sh build deb: which configuration, and what is packaged.

The kernel is a few files; make and overlay.py are stand-ins.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]

MAKE = r"""#!/bin/bash
[ "$1" != -C ] || cd "$2"
case "${*: -1}" in
localmodconfig)
	sed -i '/=m$/d' .config
	echo "CONFIG_KEEPS_$LMC_KEEP=m" >>.config
	;;
bindeb-pkg)
	release=6.1.7$(sed -n 's/^CONFIG_LOCALVERSION="\(.*\)"/\1/p' .config | tail -n 1)
	touch ../linux-{image-"$release",headers-"$release",libc-dev}_1_amd64.deb
	;;
esac
"""
FILES = {
    "tree/Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n",
    "tree/tools/objtool/.x.cmd": "",
    "tree/scripts/kconfig/merge_config.sh": '#!/bin/sh\ncat "$3" >>"$2"\n',
    "tree/scripts/config": '#!/bin/sh\necho "CONFIG_$2=\\"$3\\"" >>.config\n',
    "top/tools/lab/overlay.py": "#!/bin/sh\n[ $1 != --files ] || echo overlay\n",
    "top/tools/testing/selftests/dio/config": "CONFIG_B=y\nCONFIG_NEW=y\n",
    "top/overlay": "1",
    "bin/make": MAKE,
    "bin/uname": "#!/bin/sh\necho 6.1.9-own\n",
    "bin/sleep": "#!/bin/sh\nexec /bin/sleep .01\n",
}


class Deb(unittest.TestCase):
    def setUp(self):
        self.tmp = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in FILES.items():
            self.write(name, text)
        for name in ("kernel.sh", "base.sh", "common.sh", "deb.sh", "deb.config"):
            shutil.copy(LAB / name, self.tmp / "top/tools/lab")
        self.boot("6.1.8-a")
        self.env = {k: v for k, v in os.environ.items() if k not in ("BASE", "CONFIG")}
        self.env |= {"XDG_CACHE_HOME": str(self.tmp / "cache"), "O": str(self.tmp / "out"),
                     "KSRC": str(self.tmp / "tree"),
                     "BOOT": str(self.tmp / "boot"),
                     "PATH": f"{self.tmp}/bin:{os.environ['PATH']}"}

    def write(self, name, text):
        file = self.tmp / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def boot(self, *names):
        for name in names:
            self.write(f"boot/config-{name}",
                       f"CONFIG_OF={name}\nCONFIG_A=y\nCONFIG_B=m\nCONFIG_C=m\n")

    def build(self, code=0, **more):
        done = subprocess.run([self.tmp / "top/tools/lab/kernel.sh", "build", "deb"], check=False,
                              env=self.env | more, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def config_of(self, name):
        return next(self.tmp.glob(f"cache/linux-dio/*/*/{name}/.config")).read_text().splitlines()

    def test_from_the_configuration_of_the_running_kernel_or_the_newest_of_the_base(self):
        self.boot("6.1.10-a", "6.1.12-dio", "6.1.12-dio-stock", "6.12.1-a")
        for name in "6.1.10-a", "6.1.9-own":
            self.boot(name)
            self.build()
            self.assertEqual(self.config_of("deb-stock")[0], f"CONFIG_OF={name}")
            shutil.rmtree(self.tmp / "cache")
        self.assertIn("CONFIG=/no/file is no file", self.build(2, CONFIG="/no/file"))

    def test_localmod_keeps_ciphers_and_what_the_selftests_need(self):
        self.build(CONFIG="localmod")
        for name in "deb-stock", "deb-*[!k]":
            lines = self.config_of(name)
            self.assertIn("CONFIG_KEEPS_crypto=m", lines)
            self.assertIn("CONFIG_B=m", lines)
            self.assertNotIn("CONFIG_C=m", lines)

    def test_two_kernels_have_names_and_packages_of_their_own(self):
        self.build()
        self.assertEqual({file.name for file in (self.tmp / "out/deb").glob("*")},
                         {f"linux-{kind}-6.1.7-{name}_1_amd64.deb"
                          for kind in ("image", "headers") for name in ("dio", "dio-stock")})
        for name, version in (("deb-stock", "-dio-stock"), ("deb-*[!k]", "-dio")):
            self.assertEqual(self.config_of(name)[-1], f'CONFIG_LOCALVERSION="{version}"')
