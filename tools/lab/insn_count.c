// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the guest's instructions by address: profile.py lays the counts
 * over System.map.
 *
 *	qemu-system-x86_64 ... -icount shift=0,sleep=off
 *		-plugin ./insn_count.so,out=FILE[,marks=on]
 *
 * QEMU translates the guest's code block by block. Each block gets a counter, to which its number
 * of instructions is added when it is entered. At exit FILE gets one line per counter,
 *
 *	<address of the block in hex> <instructions>
 *
 * (an address comes again if QEMU translated it again), then "user <instructions>", all addresses
 * in the lower half taken together (programs; while booting also the firmware and the kernel's
 * first steps), then "total <instructions>", by which a reader knows that the file is whole.
 *
 * With marks=on a program in the guest marks its way: whenever it calls code at the address MARK
 * (dio_load does), FILE gets the same lines of what was counted since the last mark, and
 * nothing at exit.
 *
 * A block counts in full when it is entered. One left early, by a fault or by a device register
 * read in its middle, is entered again further on, so such blocks are counted a little high. A
 * block that runs on into the next function counts for the one it began in.
 *
 * The counters have no lock: one virtual CPU only. QEMU must come to an orderly end for
 * FILE to be written (guest powered off, SIGTERM, quit in the monitor); after SIGKILL it is empty.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * QEMU's interface for plugins: the part used here, because distributions build QEMU with plugins
 * but do not ship qemu-plugin.h. QEMU resolves the names when it loads us. Versions 1 (QEMU 7) and
 * 2 (QEMU 10) have all but the weak one, which tells which it is. (The brackets keep checkpatch,
 * which wants prototypes in headers, from warning of each.)
 */
#pragma weak qemu_plugin_scoreboard_new

#define MARK	0x6d61726b0000ULL

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

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
void (qemu_plugin_register_vcpu_tb_exec_cb)(struct qemu_plugin_tb *tb,
					    void (*fn)(unsigned int vcpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void *(qemu_plugin_scoreboard_new)(size_t size);
void (qemu_plugin_register_atexit_cb)(uint64_t id, void (*fn)(uint64_t id, void *data),
				      void *data);

/* What QEMU looks up in us once the names are resolved, besides qemu_plugin_install(). */
int qemu_plugin_version;

static __attribute__((constructor)) void choose_version(void)
{
	qemu_plugin_version = qemu_plugin_scoreboard_new ? 2 : 1;
}

struct counter {
	unsigned long long addr, insns;
	size_t size;		/* instructions of the block */
	struct counter *next;
};

static struct counter *counters;
static const char *name;
static FILE *file;
static bool marks;

static void write_counts(void)
{
	unsigned long long user = 0, total = 0;
	struct counter *c;

	for (c = counters; c; c = c->next) {
		if (!(c->addr >> 63))
			user += c->insns;
		else if (c->insns)
			fprintf(file, "%llx %llu\n", c->addr, c->insns);
		total += c->insns;
		c->insns = 0;
	}
	fprintf(file, "user %llu\ntotal %llu\n", user, total);
}

static void entered(unsigned int vcpu, void *data)
{
	struct counter *c = data;

	c->insns += c->size;
}

static void marked(unsigned int vcpu, void *data)
{
	write_counts();
}

/* The translated code holds on to the counter's address: a counter is never moved or freed. */
static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	struct counter *c = calloc(1, sizeof(*c));

	if (!c) {
		fprintf(stderr, "insn_count: out of memory\n");
		exit(1);
	}
	c->addr = qemu_plugin_tb_vaddr(tb);
	c->size = qemu_plugin_tb_n_insns(tb);
	c->next = counters;
	counters = c;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, entered, QEMU_PLUGIN_CB_NO_REGS, c);
	if (marks && c->addr == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, marked, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void at_exit(uint64_t id, void *data)
{
	bool failed;

	if (!marks)
		write_counts();
	failed = ferror(file);
	if (fclose(file) || failed)
		fprintf(stderr, "insn_count: %s: not written in full\n", name);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	marks = argc == 2 && !strcmp(argv[1], "marks=on");
	if (argc != 1 + marks || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "insn_count: give out=FILE, perhaps marks=on\n");
		return 1;
	}
	if (!info->system_emulation || info->system.max_vcpus > 1) {
		fprintf(stderr, "insn_count: needs a machine with one CPU\n");
		return 1;
	}

	/* Opened at once: a bad name is told before the boot, and no old counts outlive it. */
	name = argv[0] + 4;
	file = fopen(name, "w");
	if (!file) {
		perror(name);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
