// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the guest's instructions by address: profile.py lays the counts
 * over System.map.
 *
 *	cc -O2 -shared -fPIC -o insn_count.so insn_count.c
 *	qemu-system-x86_64 ... -icount shift=0,sleep=off -plugin ./insn_count.so,out=FILE
 *
 * QEMU translates the guest's code block by block.  Each block gets a counter, and code in front
 * that adds the block's number of instructions to it.  At exit FILE gets one line per counter,
 *
 *	<address of the block in hex> <instructions>
 *
 * (an address comes again if QEMU translated it again), then "user <instructions>", all addresses
 * in the lower half taken together (programs; while booting also the firmware and the kernel's
 * first steps), then "total <instructions>", by which a reader knows that the file is whole.
 *
 * A block counts in full when it is entered.  One left early, by a fault or by a device register
 * read in its middle, is entered again further on, so such blocks are counted a little high.  A
 * block that runs on into the next function counts for the one it began in.
 *
 * The counters have no lock, hence one virtual CPU only.  QEMU must come to an orderly end for
 * FILE to be written (guest powered off, SIGTERM, quit in the monitor); after SIGKILL it is empty.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * QEMU's interface for plugins, version 1: the part used here, because distributions build QEMU
 * with plugins but do not ship qemu-plugin.h.  QEMU resolves the names when it loads us.  (The
 * brackets keep checkpatch, which wants prototypes in headers, from warning of each.)
 */
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

struct qemu_plugin_tb;

struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

void (qemu_plugin_register_vcpu_tb_trans_cb)(uint64_t id,
					     void (*fn)(uint64_t id, struct qemu_plugin_tb *tb));
uint64_t (qemu_plugin_tb_vaddr)(const struct qemu_plugin_tb *tb);
size_t (qemu_plugin_tb_n_insns)(const struct qemu_plugin_tb *tb);
void (qemu_plugin_register_vcpu_tb_exec_inline)(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
						void *counter, uint64_t add);
void (qemu_plugin_register_atexit_cb)(uint64_t id, void (*fn)(uint64_t id, void *data),
				      void *data);

/* What QEMU looks up in us, besides qemu_plugin_install(). */
int qemu_plugin_version = 1;

struct counter {
	unsigned long long addr;
	unsigned long long insns;
	struct counter *next;
};

static struct counter *counters;
static unsigned long long user;
static const char *out_name;
static FILE *out;

/* The translated code holds on to the counter's address: a counter is never moved or freed. */
static unsigned long long *new_counter(unsigned long long addr)
{
	struct counter *c = calloc(1, sizeof(*c));

	if (!c) {
		fprintf(stderr, "insn_count: out of memory\n");
		exit(1);
	}
	c->addr = addr;
	c->next = counters;
	counters = c;
	return &c->insns;
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t addr = qemu_plugin_tb_vaddr(tb);

	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 addr >> 63 ? new_counter(addr) : &user,
						 qemu_plugin_tb_n_insns(tb));
}

static void write_counts(uint64_t id, void *data)
{
	unsigned long long total = user;
	struct counter *c;
	bool failed;

	for (c = counters; c; c = c->next) {
		fprintf(out, "%llx %llu\n", c->addr, c->insns);
		total += c->insns;
	}
	fprintf(out, "user %llu\ntotal %llu\n", user, total);

	failed = ferror(out);
	if (fclose(out) || failed)
		fprintf(stderr, "insn_count: %s: not written in full\n", out_name);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4) || !argv[0][4]) {
		fprintf(stderr, "insn_count: give out=FILE and nothing else\n");
		return 1;
	}
	if (!info->system_emulation || info->system.max_vcpus != 1) {
		fprintf(stderr, "insn_count: needs a whole machine with one CPU\n");
		return 1;
	}

	/* Opened at once: a bad name is told before the boot, and no old counts outlive it. */
	out_name = argv[0] + 4;
	out = fopen(out_name, "w");
	if (!out) {
		perror(out_name);
		return 1;
	}

	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, write_counts, NULL);
	return 0;
}
