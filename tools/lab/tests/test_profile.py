# SPDX-License-Identifier: GPL-2.0
"""Tests of profile.py and insn_count.c.

profile.py runs on small maps and counts made up here.  The plugin runs in QEMU under a firmware of
our own whose instructions are known, so that its counts can be asserted to the instruction.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

LAB = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, LAB)
import profile  # noqa: E402 (ours: the path comes first)

QEMU = "qemu-system-x86_64"
LIMIT = 60  # seconds until a QEMU that does not end is a failure

MAP = """\
0000000000000000 D fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup
ffffffff81000100 t read_one.isra.0
ffffffff81000200 T __x64_sys_read
ffffffff81000300 t read_one.cold
ffffffff81000400 D table
"""


def counts(total=None, **insns):
    """Return the text of a counts file: names are u (user) or k and the address's last digits."""
    lines = [f"{'user' if key == 'u' else 'ffffffff8' + key[1:]} {number}"
             for key, number in insns.items()]
    lines.append(f"total {sum(insns.values()) if total is None else total}")
    return "\n".join(lines) + "\n"


class Files(unittest.TestCase):
    """A scratch directory, and profile.py run in it."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.dir = scratch.name

    def path(self, name):
        """Return the path of a scratch file."""
        return os.path.join(self.dir, name)

    def write(self, **files):
        """Write scratch files."""
        for name, text in files.items():
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)

    def read(self, name):
        """Return the text of a scratch file."""
        with open(self.path(name), encoding="ascii") as file:
            return file.read()

    def profile(self, *args):
        """Run profile.py with these arguments."""
        return subprocess.run([sys.executable, os.path.join(LAB, "profile.py"), *args],
                              cwd=self.dir, capture_output=True, text=True, check=False)

    def symbols(self, *args):
        """Return profile.py's JSON: {symbol: row}, and the total."""
        run = self.profile("--json", *args)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        result = json.loads(run.stdout)
        return {row["symbol"]: row for row in result["symbols"]}, result["total"]


class ProfileTest(Files):
    """Lookup, arithmetic, output."""

    STOCK = ("--system-map", "map", "--counts", "low", "high", "--loops", "10", "30")

    def test_subtracts_and_divides(self):
        self.write(map=MAP, low=counts(k1000200=1000, u=7), high=counts(k1000200=1850, u=67))
        rows, total = self.symbols(*self.STOCK)
        self.assertEqual(rows["__x64_sys_read"]["stock"], 42.5)
        self.assertEqual(rows["[user space]"]["stock"], 3)
        self.assertEqual(total, {"stock": 45.5, "patched": None, "difference": None})

    def test_symbol_boundaries(self):
        self.write(map=MAP, low=counts(),
                   high=counts(k10000ff=20, k1000100=200, k10001ff=2000, k1000200=20000))
        rows, _ = self.symbols(*self.STOCK)
        self.assertEqual({name: row["stock"] for name, row in rows.items()},
                         {"startup": 1, "read_one": 110, "__x64_sys_read": 1000})

    def test_compilers_parts_of_a_function_are_one(self):
        self.write(map=MAP, low=counts(), high=counts(k1000180=20, k1000300=40))
        self.assertEqual(self.symbols(*self.STOCK)[0]["read_one"]["stock"], 3)

    def test_unknown_addresses(self):
        # Below the kernel (after per-CPU data), in its data, and a module's.
        self.write(map=MAP, low=counts(), high=counts(k0000000=20, k1000400=40, ka000000=80))
        rows, total = self.symbols(*self.STOCK)
        self.assertEqual(list(rows), ["[module or unknown]"])
        self.assertEqual(total["stock"], 7)

        self.write(map="ffffffff81000000 T only\n", high=counts(k0ffffff=20))
        self.assertEqual(list(self.symbols(*self.STOCK)[0]), ["[module or unknown]"])

    def test_address_counted_twice(self):
        self.write(map=MAP, low=counts(),
                   high="ffffffff81000000 20\nffffffff81000000 40\nuser 0\ntotal 60\n")
        self.assertEqual(self.symbols(*self.STOCK)[0]["startup"]["stock"], 3)

    def test_symbol_in_one_boot_only(self):
        self.write(map=MAP, low=counts(k1000100=20), high=counts(k1000200=60))
        rows, total = self.symbols(*self.STOCK)
        self.assertEqual((rows["read_one"]["stock"], rows["__x64_sys_read"]["stock"]), (-1, 3))
        self.assertEqual(total["stock"], 2)

    def test_patched_beside_stock_larger_first(self):
        other = MAP.replace("81000200", "81000280")  # the patched kernel's layout differs
        self.write(map=MAP, low=counts(), high=counts(k1000000=200, k1000100=100, k1000200=20),
                   pmap=other, plow=counts(k1000100=20), phigh=counts(k1000200=100, k1000280=600))
        run = self.profile(*self.STOCK, "--patched-map", "pmap", "--patched-counts", "plow",
                           "phigh")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual([line.split() for line in run.stdout.splitlines()], [
            ["symbol", "stock", "patched", "difference"],
            ["__x64_sys_read", "1.0", "30.0", "29.0"],
            ["startup", "10.0", "0.0", "-10.0"],
            ["read_one", "5.0", "4.0", "-1.0"],
            ["[user", "space]", "0.0", "0.0", "0.0"],
            ["total", "16.0", "34.0", "18.0"]])

    def test_remainder_below_the_cut(self):
        self.write(map=MAP, low=counts(),
                   high=counts(k1000000=20, k1000100=60, k1000200=200, u=2000))
        run = self.profile(*self.STOCK, "--top", "1")
        self.assertEqual([line.split() for line in run.stdout.splitlines()], [
            ["symbol", "stock"], ["__x64_sys_read", "10.0"], ["[2", "more", "symbols]", "4.0"],
            ["[user", "space]", "100.0"], ["total", "114.0"]])

    def test_no_minus_zero(self):
        self.write(map=MAP, low=counts(u=1), high=counts(k1000000=1000))
        run = self.profile(*self.STOCK[:-2], "0", "1000")
        self.assertIn("[user space]         0.0\n", run.stdout)


class BadInputTest(Files):
    """One line on stderr, nothing on stdout, status 2."""

    def refused(self, expect, *args, **files):
        """Run on good files but for those given; the complaint must contain what is expected."""
        self.write(**({"map": MAP, "low": counts(u=1), "high": counts(u=3)} | files))
        run = self.profile(*(args or ProfileTest.STOCK))
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn(expect, run.stderr)

    def test_files(self):
        for expect, files in (
                ("map:2: ", {"map": "ffffffff81000000 T a\nnonsense\n"}),
                ("map: no symbols", {"map": ""}),
                ("low:1: ", {"low": "ffffffff81000000\ntotal 0\n"}),
                ("low:1: ", {"low": "somewhere 3\ntotal 3\n"}),
                ("low:2: ", {"low": "user 3\ntotal three\n"}),
                ("high: empty", {"high": ""}),
                ("high: cut short", {"high": "user 3\n"}),
                ("high: cut short", {"high": counts(4, u=3)}),
                ("high: not of one boot", {"high": counts(u=3) + counts(u=4)}),
                ("high: no more instructions", {"high": counts(u=1)})):
            with self.subTest(expect=expect, files=files):
                self.refused(expect, **files)

    def test_absent_or_binary_file(self):
        self.refused("gone: No such file", "--system-map", "gone", *ProfileTest.STOCK[2:])
        with open(self.path("bin"), "wb") as file:
            file.write(b"\x7fELF\xff")
        self.refused("bin: not a text file", "--system-map", "bin", *ProfileTest.STOCK[2:])

    def test_arguments(self):
        stock = ProfileTest.STOCK
        self.refused("--loops", *stock[:-2], "30", "30")
        self.refused("--loops", *stock[:-2], "10", "many")
        self.refused("go together", *stock, "--patched-map", "map")
        self.refused("--top", *stock, "--top", "0")
        self.refused("--counts", "--system-map", "map", "--loops", "1", "2")


# A firmware that goes from the reset vector straight to 64-bit mode, the last 2 MiB below 4 GiB
# (where it lies) mapped there and at the top of the address space, runs LOOPS rounds of four
# instructions in the upper half, and ends QEMU through isa-debug-exit, or never if EXIT is 0.
FIRMWARE = """\
	.set	low, 0xffff0000
	.set	high, 0xffffffffffff0000
	.set	mark, 0x6d61726b0000	# a page of memory is mapped there
	.set	entry, 0x63		# present, writable, accessed, dirty: nothing to write back
base:
	.code16
start:
	lgdtl	%cs:gdtr - base
	movl	$0x20, %eax		# PAE
	movl	%eax, %cr4
	movl	$(pml4 - base + low), %eax
	movl	%eax, %cr3
	movl	$0xc0000080, %ecx	# EFER: long mode
	xorl	%edx, %edx
	movl	$0x100, %eax
	wrmsr
	movl	$0x80000001, %eax	# paging and protection
	movl	%eax, %cr0
	ljmpl	$8, $(long - base + low)
	.code64
long:
	movabsq	$(up - base + high), %rax
	jmpq	*%rax			# the fifteenth instruction, with the jump at the reset vector

	.org	0x100
up:
	.if	MARKS
	jmp	marked
	.endif
	movl	$LOOPS, %ecx
again:
	nop
	nop
	decl	%ecx
	jnz	again
1:
	.if	EXIT == 0
	jmp	1b
	.endif
	xorl	%eax, %eax
	outb	%al, $0xf4		# QEMU's exit status becomes 1
	hlt

	.if	MARKS
marked:
	movabsq	$mark, %rbx
	movb	$0xc3, (%rbx)		# ret
	leaq	0x1000(%rbx), %rsp
	movl	$(MARKS + 1), %edx
next:
	call	*%rbx
	movl	$LOOPS, %ecx
round:
	nop
	nop
	decl	%ecx
	jnz	round
	decl	%edx
	jnz	next
	outb	%al, $0xf4
	hlt
	.endif

	.balign	8
gdt:
	.quad	0, 0x00209b0000000000
gdtr:
	.word	15
	.long	gdt - base + low

	.balign	4096
pml4:
	.quad	pdpt - base + low + entry
	.fill	(mark >> 39) - 1, 8, 0
	.quad	pdpt_of_mark - base + low + entry
	.fill	510 - (mark >> 39), 8, 0
	.quad	pdpt - base + low + entry
pdpt:
	.fill	3, 8, 0
	.quad	pd - base + low + entry
	.fill	507, 8, 0
	.quad	pd - base + low + entry
pd:
	.fill	511, 8, 0
	.quad	0xffe00000 + entry + 0x80
pdpt_of_mark:
	.fill	(mark >> 30) & 511, 8, 0
	.quad	pd_of_mark - base + low + entry
	.fill	511 - ((mark >> 30) & 511), 8, 0
pd_of_mark:
	.fill	(mark >> 21) & 511, 8, 0
	.quad	0x200000 + entry + 0x80
	.fill	511 - ((mark >> 21) & 511), 8, 0
	.org	0xfff0
	.code16
	jmp	start
	.org	0x10000
"""


@unittest.skipUnless(shutil.which("cc"), "no C compiler (cc)")
class PluginTest(Files):
    """The plugin compiles, and counts to the instruction."""

    def setUp(self):
        super().setUp()
        self.cc("-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", "insn_count.so",
                os.path.join(LAB, "insn_count.c"))

    def cc(self, *args):
        """Compile; the compiler's complaint is the test's."""
        run = subprocess.run(["cc", *args], cwd=self.dir, capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def firmware(self, loops, leave=1, marks=0):
        """Assemble the firmware."""
        self.write(**{"firmware.S": FIRMWARE})
        self.cc("-nostdlib", "-static", "-Wl,--build-id=none,--oformat=binary,-Ttext=0",
                f"-DLOOPS={loops}", f"-DEXIT={leave}", f"-DMARKS={marks}", "-o", "firmware",
                "firmware.S")

    def qemu(self, plugin, *more):
        """Return the command that runs the firmware under the plugin."""
        if not shutil.which(QEMU):
            self.skipTest(f"no {QEMU}")
        return [QEMU, "-nodefaults", "-no-reboot", "-display", "none", "-accel", "tcg",
                "-cpu", "qemu64", "-m", "16", "-icount", "shift=0,sleep=off", "-bios", "firmware",
                "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
                "-plugin", f"./insn_count.so{plugin}", *more]

    def run_qemu(self, plugin, *more):
        """Run QEMU to its end."""
        return subprocess.run(self.qemu(plugin, *more), cwd=self.dir, capture_output=True,
                              text=True, timeout=LIMIT, check=False)

    def test_compiles(self):
        library = self.path("insn_count.so")
        self.assertTrue(os.path.getsize(library))

    def test_counts_exactly(self):
        for name, loops in (("low", 1000), ("high", 51000)):
            self.firmware(loops)
            run = self.run_qemu(f",out={name}")
            self.assertEqual((run.returncode, run.stderr), (1, ""))
            # The first round belongs to the block before it, which runs into it. QEMU 10 begins
            # one more instruction before it ends.
            text, more = self.read(name), "ffffffffffff010f 1\n"
            total = 15 + 5 + 4 * loops - 4 + 2
            if more in text:    # in this run; the other may do without
                text = text.replace(more, "").replace(f"total {total + 1}\n", f"total {total}\n")
                self.write(**{name: text})
            self.assertEqual(sorted(text.splitlines()), [
                "ffffffffffff0100 5", f"ffffffffffff0105 {4 * loops - 4}", "ffffffffffff010b 2",
                f"total {total}", "user 15"])

        self.write(map="ffffffffffff0100 T up\nffffffffffff0105 t again\nffffffffffff010b T out\n")
        rows, total = self.symbols("--system-map", "map", "--counts", "low", "high",
                                   "--loops", "1000", "51000")
        self.assertEqual({name: row["stock"] for name, row in rows.items()},
                         {"up": 0, "again": 4, "out": 0, "[user space]": 0})
        self.assertEqual(total["stock"], 4)

    def test_marks(self):
        self.firmware(100, marks=3)
        run = self.run_qemu(",out=counts,marks=marks")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.write(map=MAP)
        got = [sum(counts.values()) for counts in
               profile.read_blocks(self.path("marks"), profile.SystemMap(self.path("map")))]
        # Between two: the mark, a call, a move, 100 rounds of four, and two to go on
        self.assertEqual(got[1:], [1 + 1 + 1 + 400 + 2] * 3)
        self.assertTrue(self.read("counts").splitlines()[-1].startswith("total "))

    def end_qemu(self, how):
        """Start QEMU on a firmware that never ends; when it has got there, end it this way."""
        with subprocess.Popen(self.qemu(",out=counts", "-monitor", "stdio"), cwd=self.dir,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as qemu:
            limit = threading.Timer(LIMIT, qemu.kill)
            limit.start()
            try:
                line = "IP="  # ask
                while line and "RIP=ffffffffffff010b" not in line:
                    if "IP=" in line:
                        qemu.stdin.write("info registers\n")
                        qemu.stdin.flush()
                    line = qemu.stdout.readline()
                self.assertTrue(line, "QEMU ended by itself, or at the limit")
                if how == "quit":
                    qemu.stdin.write("quit\n")
                    qemu.stdin.flush()
                else:
                    qemu.send_signal(signal.Signals[how])
                qemu.communicate()
            finally:
                limit.cancel()
                qemu.kill()

    def test_how_qemu_ends(self):
        """Written on SIGTERM and on quit; on SIGKILL not, and profile.py says so."""
        self.firmware(1, leave=0)
        for how in ("SIGTERM", "quit"):
            with self.subTest(how=how):
                self.write(counts="left by an older run\n")
                self.end_qemu(how)
                found = dict(line.split() for line in self.read("counts").splitlines())
                self.assertEqual(list(found)[-2:], ["user", "total"])
                self.assertEqual((found["ffffffffffff0100"], found["user"]), ("5", "15"))
                self.assertEqual(int(found["total"]), 5 + 15 + int(found["ffffffffffff010b"]))

        self.write(map=MAP, counts="left by an older run\n")
        self.end_qemu("SIGKILL")
        run = self.profile("--system-map", "map", "--counts", "counts", "counts",
                           "--loops", "1", "2")
        self.assertIn("counts: empty: QEMU did not end in good order", run.stderr)

    def test_refusals(self):
        self.firmware(1)
        for plugin, more, expect in (
                ("", (), "insn_count: give out=FILE"),
                (",out=", (), "insn_count: give out=FILE"),
                (",out=a,speed=fast", (), "insn_count: give out=FILE"),
                (",out=a,marks=", (), "insn_count: give out=FILE"),
                (",out=absent/counts", (), "absent/counts: No such file or directory"),
                (",out=counts", ("-smp", "2"), "insn_count: needs a whole machine with one CPU")):
            with self.subTest(plugin=plugin, more=more):
                run = self.run_qemu(plugin, *more)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(expect, run.stderr)
                self.assertFalse(os.path.exists(self.path("counts")))


if __name__ == "__main__":
    unittest.main()
