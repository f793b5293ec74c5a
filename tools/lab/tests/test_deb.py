# SPDX-License-Identifier: GPL-2.0
"""kernel.sh build deb: which configuration, what is packaged, what is done again; what boots.

The kernel is a few files, make and overlay.py are stand-ins that write down what they are asked for.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[1]
ALL = {f"linux-{kind}-6.1.7-{name}_1_amd64.deb"
       for kind in ("image", "headers") for name in ("dio", "dio-stock")}

MAKE = r"""#!/bin/bash
echo "$*" >>"$STUBS/asked"
dir=.
[ "$1" != -C ] || dir=$2
deb()
{
	mkdir -p "deb/DEBIAN" "deb/boot"
	echo x >"deb/boot/$1"
	(cd deb && md5sum "boot/$1" >DEBIAN/md5sums)
	printf 'Package: %s\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example>\n' "$1" \
		>deb/DEBIAN/control
	echo "Description: x" >>deb/DEBIAN/control
	dpkg-deb -b deb .. >/dev/null && rm -r deb
}
cd "$dir" || exit
case "${*: -1}" in
localmodconfig)
	out=${*: -2:1}
	sed -i '/=m$/d' "${out#O=}/.config"
	echo "CONFIG_KEEPS_$LMC_KEEP=m" >>"${out#O=}/.config"
	;;
binrpm-pkg|bindeb-pkg)
	release=6.1.7$(sed -n 's/^CONFIG_LOCALVERSION="\(.*\)"/\1/p' .config)
	mkdir -p include/config
	echo "$release" >include/config/kernel.release
	;;&
binrpm-pkg)
	mkdir -p rpmbuild/RPMS/x86_64
	touch rpmbuild/RPMS/x86_64/kernel{,-headers,-devel}-"${release//-/_}.rpm"
	;;
bindeb-pkg)
	mkdir -p debian
	deb "linux-image-$release"
	deb "linux-headers-$release"
	deb linux-libc-dev
	;;
esac
"""
OVERLAY = """#!/bin/sh
[ "$1" != --files ] || { echo overlay; exit; }
echo "overlay" >>"$STUBS/asked"
"""
TREE = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 7\n",
    "tools/objtool/.x.cmd": "",
    "scripts/kconfig/merge_config.sh": '#!/bin/sh\ncat "$3" >>"$2"\n',
    "scripts/config": '#!/bin/sh\necho "CONFIG_$2=\\"$3\\"" >>.config\n',
}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = Path(folder.name)
        for name, text in TREE.items():
            self.write(f"tree/{name}", text)
        for name in ("kernel.sh", "base.sh", "common.sh", "deb.sh", "deb.config", "deb-grub.cfg",
                     "kernel.config"):
            (self.tmp / "top/tools/lab").mkdir(parents=True, exist_ok=True)
            shutil.copy(LAB / name, self.tmp / "top/tools/lab")
        self.write("top/tools/lab/overlay.py", OVERLAY)
        self.write("top/tools/testing/selftests/dio/config", "CONFIG_B=y\nCONFIG_NEW=y\n")
        self.write("top/overlay", "1")
        self.write("bin/make", MAKE)
        self.write("bin/uname", "#!/bin/sh\necho 6.1.9-own\n")
        self.write("bin/sleep", "#!/bin/sh\nexec /bin/sleep .01\n")
        self.write("dpkg", "")
        self.boot("6.1.8-a")
        self.env = {k: v for k, v in os.environ.items() if k not in ("BASE", "CONFIG")}
        self.env |= {"XDG_CACHE_HOME": str(self.tmp / "cache"), "O": str(self.tmp / "out"),
                     "STUBS": str(self.tmp), "KSRC": str(self.tmp / "tree"),
                     "BOOT": str(self.tmp / "boot"), "DPKG_STATUS": str(self.tmp / "dpkg"),
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

    def asked(self, what):
        """How often for that, since it was last asked"""
        file = self.tmp / "asked"
        lines = file.read_text().splitlines() if file.exists() else []
        return sum(what in line for line in lines)

    def config_of(self, name):
        return next(self.tmp.glob(f"cache/linux-dio/*/*/{name}/.config")).read_text()


class Config(Case):
    def taken(self, **more):
        self.build(**more)
        said = self.config_of("deb-stock").splitlines()[0]
        shutil.rmtree(self.tmp / "cache")
        return said.partition("=")[2]

    def test_the_running_kernels_or_the_newest_of_the_base(self):
        self.boot("6.1.10-a", "6.1.12-dio", "6.1.12-dio-stock", "6.12.1-a")
        self.assertEqual(self.taken(), "6.1.10-a")
        self.boot("6.1.9-own")
        self.assertEqual(self.taken(), "6.1.9-own")
        self.assertIn("CONFIG=/no/file is no file", self.build(2, CONFIG="/no/file"))

    def test_localmod_keeps_ciphers_and_what_the_selftests_need(self):
        self.build(CONFIG="localmod")
        lines = self.config_of("deb-stock").splitlines()
        self.assertIn("CONFIG_KEEPS_crypto=m", lines)
        self.assertIn("CONFIG_B=m", lines)
        self.assertNotIn("CONFIG_C=m", lines)


class Build(Case):
    def packages(self):
        return {file.name for file in (self.tmp / "out/deb").glob("*")}

    def test_the_boot_menus_file_is_in_the_image_only(self):
        self.build()
        for name in ALL:
            with self.subTest(name=name):
                there = self.tmp / "there"
                shutil.rmtree(there, ignore_errors=True)
                subprocess.run(["dpkg-deb", "-R", self.tmp / "out/deb" / name, there], check=True)
                subprocess.run(["md5sum", "--status", "-c", "DEBIAN/md5sums"], cwd=there, check=True)
                files = [f for f in there.glob("[!D]*/**/*") if f.is_file()]
                self.assertEqual(len((there / "DEBIAN/md5sums").read_text().split()),
                                 2 * len(files))
                release = name.split("_")[0].split("-", 2)[2]
                wanted = [f"linux-{release}.cfg"] if "image" in name else []
                self.assertEqual([f.name for f in there.glob("etc/default/grub.d/*")], wanted)

    def test_all_is_done_once_and_a_new_overlay_again(self):
        self.build()
        self.build()
        self.assertEqual((self.asked("bindeb-pkg"), self.asked("overlay")), (2, 1))
        self.write("top/overlay", "2")
        self.build()
        self.assertEqual((self.asked("bindeb-pkg"), self.asked("overlay")), (3, 2))
        self.assertEqual(self.packages(), ALL)
        for name, version in (("deb-stock", "-dio-stock"), ("deb-*[!k]", "-dio")):
            self.assertEqual(self.config_of(name).splitlines()[-1],
                             f'CONFIG_LOCALVERSION="{version}"')

    def test_rpm(self):
        (self.tmp / "dpkg").unlink()
        self.build()
        self.assertEqual(self.packages(), {f"kernel{kind}-6.1.7_{name}.rpm" for kind in ("", "-devel")
                                           for name in ("dio", "dio_stock")})


class Grub(Case):
    def default(self, *kernels, **more):
        for name in kernels:
            self.write(f"boot/vmlinuz-{name}", "")
        done = subprocess.run(["sh", "-ec", f'. {LAB}/deb-grub.cfg; echo "$GRUB_DEFAULT"'],
                              env={"PATH": os.environ["PATH"], "DIO_BOOT": str(self.tmp / "boot"),
                                   "GRUB_DEVICE": "/dev/x", "GRUB_DEVICE_UUID": "u"} | more,
                              check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def test_what_is_booted(self):
        """The newest of the others, but where the user has chosen, or saved"""
        first = "gnulinux-advanced-u>gnulinux-6.1.0-10-amd64-advanced-u"
        self.assertEqual(self.default(GRUB_DEFAULT="0"), "0")
        self.assertEqual(self.default("6.1.7-dio", GRUB_DEFAULT="0"), "0")
        self.assertEqual(self.default("6.1.0-9-amd64", "6.1.0-10-amd64", "6.1.7-dio-stock"), first)
        self.write("bin/grub-editenv", '#!/bin/sh\necho "$SAVED"\n')
        path = {"PATH": f"{self.tmp}/bin:{os.environ['PATH']}"}
        for more, wanted in (({"GRUB_DEVICE_UUID": "", "GRUB_DISABLE_SUBMENU": "y"},
                              "gnulinux-6.1.0-10-amd64-advanced-/dev/x"),
                             ({"GRUB_DEFAULT": "2"}, "2"), ({"GRUB_DEFAULT": "x>y"}, "x>y"),
                             ({"GRUB_DEFAULT": "saved", "SAVED": "saved_entry=x", **path}, "saved"),
                             ({"GRUB_DEFAULT": "saved", "SAVED": "saved_entry=", **path}, first)):
            self.assertEqual(self.default(**more), wanted)


if __name__ == "__main__":
    unittest.main()
