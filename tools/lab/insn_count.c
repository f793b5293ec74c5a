// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU TCG plugin that counts the guest's instructions by address, or the cache lines that its
 * CPUs take from each other: profile.py lays the counts over System.map.
 *
 *	qemu-system-x86_64 ... -icount shift=0,sleep=off
 *		-plugin ./insn_count.so,out=FILE[,lines=on]
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
 * A program in the guest may mark its way: whenever it calls code at the address MARK (dio_load
 * does), FILE gets the same lines of what was counted since the last mark.
 *
 * A block counts in full when it is entered. One left early, by a fault or by a device register
 * read in its middle, is entered again further on, so such blocks are counted a little high. A
 * block that runs on into the next function counts for the one it began in.
 *
 * With lines=on each CPU marks the start of each of its I/Os, and a mark at MARK + 1 is before and
 * behind a run. FILE gets a line for these, "io <CPU>" and "run", and between them, for each 64
 * bytes of kernel memory that an I/O touches or writes, at least one,
 *
 *	<number of the 64 bytes in hex> <CPU> <is it written> <address of who does it in hex>
 *
 * The counters have no lock: one virtual CPU only, or with lines=on two, which -icount runs one at
 * a time. QEMU must come to an orderly end for FILE to be written (guest powered off, SIGTERM, quit
 * in the monitor); after SIGKILL it is empty.
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
#define CPUS	2
#define LINES	4096		/* that are told once in an I/O, if no other takes their place */

#define MEM_RW	3		/* QEMU_PLUGIN_MEM_RW; flags are 0, QEMU_PLUGIN_CB_NO_REGS */

struct tb;
struct insn;

struct info {
	const char *target;
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

void (qemu_plugin_register_vcpu_tb_trans_cb)(uint64_t id, void (*fn)(uint64_t id, struct tb *tb));
uint64_t (qemu_plugin_tb_vaddr)(const struct tb *tb);
size_t (qemu_plugin_tb_n_insns)(const struct tb *tb);
void (qemu_plugin_register_vcpu_tb_exec_cb)(struct tb *tb, void (*fn)(unsigned int cpu, void *data),
					    int flags, void *data);
struct insn *(qemu_plugin_tb_get_insn)(const struct tb *tb, size_t i);
uint64_t (qemu_plugin_insn_vaddr)(const struct insn *insn);
void (qemu_plugin_register_vcpu_mem_cb)(struct insn *insn,
					void (*fn)(unsigned int cpu, uint32_t info,
						   uint64_t address, void *data),
					int flags, int rw, void *data);
bool (qemu_plugin_mem_is_store)(uint32_t info);
void *(qemu_plugin_scoreboard_new)(size_t size);
void (qemu_plugin_register_atexit_cb)(uint64_t id, void (*fn)(uint64_t id, void *data), void *data);

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
static bool lines;
static unsigned long long io[CPUS];	/* which is under way; 0: none */
static struct told {
	unsigned long long line, io;
	bool wrote;
} told[CPUS][LINES];
static FILE *file;

static void write_counts(unsigned int vcpu, void *data)
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

static void accessed(unsigned int cpu, uint32_t info, uint64_t address, void *pc)
{
	unsigned long long line = address >> 6;
	bool wrote = qemu_plugin_mem_is_store(info);
	struct told *t = &told[cpu][line % LINES];

	if (!io[cpu] || !(address >> 63))
		return;
	if (t->line == line && t->io == io[cpu] && t->wrote >= wrote)
		return;
	t->line = line;
	t->io = io[cpu];
	t->wrote = wrote;
	fprintf(file, "%llx %u %d %lx\n", line, cpu, wrote, (unsigned long)pc);
}

static void border(unsigned int cpu, void *data)
{
	fprintf(file, "run\n");
	memset(io, 0, sizeof(io));
	memset(told, 0, sizeof(told));
}

static void begun_io(unsigned int cpu, void *data)
{
	fprintf(file, "io %u\n", cpu);
	io[cpu]++;
}

static void lines_translated(uint64_t id, struct tb *tb)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);

		if (pc >> 63)
			qemu_plugin_register_vcpu_mem_cb(insn, accessed, 0, MEM_RW, (void *)pc);
	}
	if (qemu_plugin_tb_vaddr(tb) == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, begun_io, 0, NULL);
	if (qemu_plugin_tb_vaddr(tb) == MARK + 1)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, border, 0, NULL);
}

/* The translated code holds on to the counter's address: a counter is never moved or freed. */
static void translated(uint64_t id, struct tb *tb)
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
	qemu_plugin_register_vcpu_tb_exec_cb(tb, entered, 0, c);
	if (c->addr == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, write_counts, 0, NULL);
}

/* Whether that was written in full profile.py sees. */
static void at_exit(uint64_t id, void *data)
{
	if (!lines)
		write_counts(0, NULL);
	fclose(file);
}

int qemu_plugin_install(uint64_t id, const struct info *info, int argc, char **argv)
{
	lines = argc == 2 && !strcmp(argv[1], "lines=on");
	if (argc != 1 + lines || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "insn_count: give out=FILE, perhaps lines=on\n");
		return 1;
	}
	if (!info->system_emulation || info->system.max_vcpus > (lines ? CPUS : 1)) {
		fprintf(stderr, "insn_count: needs a machine with one CPU, or two for lines\n");
		return 1;
	}

	/* Opened at once: a bad name is told before the boot, and no old counts outlive it. */
	file = fopen(argv[0] + 4, "w");
	if (!file) {
		perror(argv[0] + 4);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, lines ? lines_translated : translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
