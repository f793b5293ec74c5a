// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the guest's instructions by address: profile.py lays the counts
 * over System.map.
 *
 *	cc -O2 -shared -fPIC -o insn_count.so insn_count.c
 *	qemu-system-x86_64 ... -icount shift=0,sleep=off -plugin ./insn_count.so,out=FILE
 *		[,marks=FILE]
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
 * With marks= a program in the guest can mark its way: whenever it calls code at the address MARK
 * (the selftests' mark.h), that FILE gets the same lines of what was counted since the last mark.
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
 * QEMU's interface for plugins, versions 1 and 2: the part used here, because distributions build
 * QEMU with plugins but do not ship qemu-plugin.h.  QEMU resolves the names when it loads us, the
 * weak ones of one version only.  Of version 1 (QEMU 7) a counter is a number of ours, of version 2
 * (QEMU 10) it lies in a scoreboard, which has one for each virtual CPU.  (The brackets keep
 * checkpatch, which wants prototypes in headers, from warning of each.)
 */
#pragma weak qemu_plugin_register_vcpu_tb_exec_inline
#pragma weak qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu
#pragma weak qemu_plugin_scoreboard_new
#pragma weak qemu_plugin_u64_sum

#define MARK	0x6d61726b0000ULL

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

struct qemu_plugin_tb;
struct qemu_plugin_scoreboard;

struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

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
void (qemu_plugin_register_vcpu_tb_exec_inline)(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
						void *counter, uint64_t add);
void (qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu)(struct qemu_plugin_tb *tb,
							 enum qemu_plugin_op op,
							 struct qemu_plugin_u64 counter,
							 uint64_t add);
struct qemu_plugin_scoreboard *(qemu_plugin_scoreboard_new)(size_t size);
uint64_t (qemu_plugin_u64_sum)(struct qemu_plugin_u64 counter);
void (qemu_plugin_register_atexit_cb)(uint64_t id, void (*fn)(uint64_t id, void *data),
				      void *data);

/* What QEMU looks up in us once the names are resolved, besides qemu_plugin_install(). */
int qemu_plugin_version;

static __attribute__((constructor)) void choose_version(void)
{
	qemu_plugin_version = qemu_plugin_scoreboard_new ? 2 : 1;
}

struct counter {
	unsigned long long addr;
	uint64_t insns;			/* version 1 */
	struct qemu_plugin_u64 scored;	/* version 2 */
	unsigned long long told;	/* of them, up to the last mark */
	struct counter *next;
};

static struct counter *counters, *user;
static const char *out_name, *marks_name;
static FILE *out, *marks;

/* The translated code holds on to the counter's address: a counter is never moved or freed. */
static struct counter *new_counter(unsigned long long addr)
{
	struct counter *c = calloc(1, sizeof(*c));

	if (!c) {
		fprintf(stderr, "insn_count: out of memory\n");
		exit(1);
	}
	c->addr = addr;
	if (qemu_plugin_version == 2)
		c->scored.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	return c;
}

static struct counter *kernel_counter(unsigned long long addr)
{
	struct counter *c = new_counter(addr);

	c->next = counters;
	counters = c;
	return c;
}

static unsigned long long insns_of(const struct counter *c)
{
	return qemu_plugin_version == 2 ? qemu_plugin_u64_sum(c->scored) : c->insns;
}

/* How many are new to this file, which then knows them */
static unsigned long long news(struct counter *c, FILE *file)
{
	unsigned long long insns = insns_of(c), before = c->told;

	if (file == out)
		return insns;
	c->told = insns;
	return insns - before;
}

static void write_to(FILE *file)
{
	unsigned long long insns, of_user = news(user, file), total = of_user;
	struct counter *c;

	for (c = counters; c; c = c->next) {
		insns = news(c, file);
		if (insns || file == out)
			fprintf(file, "%llx %llu\n", c->addr, insns);
		total += insns;
	}
	fprintf(file, "user %llu\ntotal %llu\n", of_user, total);
}

static void write_mark(unsigned int vcpu, void *data)
{
	write_to(marks);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t addr = qemu_plugin_tb_vaddr(tb);
	struct counter *c = addr >> 63 ? kernel_counter(addr) : user;
	size_t n = qemu_plugin_tb_n_insns(tb);

	if (qemu_plugin_version == 2)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
								  c->scored, n);
	else
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &c->insns,
							 n);
	if (marks && addr == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, write_mark, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void close_file(FILE *file, const char *name)
{
	bool failed = ferror(file);

	if (fclose(file) || failed)
		fprintf(stderr, "insn_count: %s: not written in full\n", name);
}

static void write_counts(uint64_t id, void *data)
{
	write_to(out);
	close_file(out, out_name);
	if (marks)
		close_file(marks, marks_name);
}

/* Opened at once: a bad name is told before the boot, and no old counts outlive it. */
static FILE *open_file(const char *name)
{
	FILE *file = fopen(name, "w");

	if (!file)
		perror(name);
	return file;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	if (argc < 1 || argc > 2 || strncmp(argv[0], "out=", 4) || !argv[0][4] ||
	    (argc > 1 && (strncmp(argv[1], "marks=", 6) || !argv[1][6]))) {
		fprintf(stderr, "insn_count: give out=FILE, perhaps marks=FILE, no more\n");
		return 1;
	}
	if (!info->system_emulation || info->system.max_vcpus != 1) {
		fprintf(stderr, "insn_count: needs a whole machine with one CPU\n");
		return 1;
	}

	out_name = argv[0] + 4;
	out = open_file(out_name);
	if (argc > 1) {
		marks_name = argv[1] + 6;
		marks = open_file(marks_name);
	}
	if (!out || (argc > 1 && !marks))
		return 1;

	user = new_counter(0);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, write_counts, NULL);
	return 0;
}
