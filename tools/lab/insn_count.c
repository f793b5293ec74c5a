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
 * behind a run. FILE gets a line for each 64 bytes of kernel memory that both CPUs touched and one
 * wrote,
 *
 *	<address of who wrote there first> <how often it moved>
 *
 * then "ios <I/Os>". QEMU runs one CPU for many I/Os before the next, real ones run side by side: a
 * line is taken to move once for each I/O that touches it, but no more often than the I/Os of other
 * CPUs wrote it. What fewer than one of ten I/Os of a CPU touch is left out.
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
#define LINES	262144U		/* of the table; so many do not come together in a run */

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;

void (qemu_plugin_register_vcpu_tb_trans_cb)(uint64_t id,
					     void (*fn)(uint64_t id, struct qemu_plugin_tb *tb));
uint64_t (qemu_plugin_tb_vaddr)(const struct qemu_plugin_tb *tb);
size_t (qemu_plugin_tb_n_insns)(const struct qemu_plugin_tb *tb);
void (qemu_plugin_register_vcpu_tb_exec_cb)(struct qemu_plugin_tb *tb,
					    void (*fn)(unsigned int vcpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
struct qemu_plugin_insn *(qemu_plugin_tb_get_insn)(const struct qemu_plugin_tb *tb, size_t i);
uint64_t (qemu_plugin_insn_vaddr)(const struct qemu_plugin_insn *insn);
void (qemu_plugin_register_vcpu_mem_cb)(struct qemu_plugin_insn *insn,
					void (*fn)(unsigned int vcpu, uint32_t info,
						   uint64_t address, void *data),
					enum qemu_plugin_cb_flags flags,
					enum qemu_plugin_mem_rw rw, void *data);
bool (qemu_plugin_mem_is_store)(uint32_t info);
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

/* In how many I/Os each CPU touched and wrote it, and which was the last */
struct line {
	uint64_t key, writer;
	struct {
		uint32_t n, last;
	} touched[CPUS], wrote[CPUS];
};

static struct counter *counters;
static struct line *lines;
static uint32_t io[CPUS];	/* which is under way; 0: none */
static uint32_t used;		/* of the table */
static const char *name;
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
	uint64_t key = address >> 6;
	uint32_t i = key * 0x9e3779b97f4a7c15ULL >> 32;
	struct line *line;

	if (!io[cpu] || !(address >> 63))
		return;
	for (i %= LINES; lines[i].key && lines[i].key != key; i = (i + 1) % LINES)
		;
	line = &lines[i];
	used += !line->key;
	if (used == LINES) {
		fprintf(stderr, "insn_count: too many cache lines\n");
		exit(1);
	}
	line->key = key;
	line->touched[cpu].n += line->touched[cpu].last != io[cpu];
	line->touched[cpu].last = io[cpu];
	if (!qemu_plugin_mem_is_store(info))
		return;
	if (!line->writer)
		line->writer = (uintptr_t)pc;
	line->wrote[cpu].n += line->wrote[cpu].last != io[cpu];
	line->wrote[cpu].last = io[cpu];
}

static uint64_t moves(const struct line *line)
{
	uint64_t moved = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		uint32_t touched = line->touched[cpu].n, others = line->wrote[!cpu].n;

		if (touched >= io[cpu] / 10)
			moved += others < touched ? others : touched;
	}
	return moved;
}

static void write_lines(unsigned int vcpu, void *data)
{
	unsigned long long ios = io[0] + io[1], moved;
	unsigned int i;

	for (i = 0; i < LINES && ios > CPUS; i++) {
		moved = moves(&lines[i]);
		if (moved)
			fprintf(file, "%llx %llu\n", (unsigned long long)lines[i].writer, moved);
	}
	if (ios > CPUS)
		fprintf(file, "ios %llu\n", ios);
	used = 0;
	memset(io, 0, sizeof(io));
	memset(lines, 0, LINES * sizeof(*lines));
}

static void begun_io(unsigned int vcpu, void *data)
{
	io[vcpu]++;
}

static void lines_translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);

		if (pc >> 63)
			qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, (void *)pc);
	}
	if (qemu_plugin_tb_vaddr(tb) - MARK <= 1)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, qemu_plugin_tb_vaddr(tb) == MARK ?
						     begun_io : write_lines,
						     QEMU_PLUGIN_CB_NO_REGS, NULL);
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
	if (c->addr == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, write_counts, QEMU_PLUGIN_CB_NO_REGS,
						     NULL);
}

static void at_exit(uint64_t id, void *data)
{
	bool failed;

	if (!lines)
		write_counts(0, NULL);
	failed = ferror(file);
	if (fclose(file) || failed)
		fprintf(stderr, "insn_count: %s: not written in full\n", name);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	bool of_lines = argc == 2 && !strcmp(argv[1], "lines=on");

	if (argc != 1 + of_lines || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "insn_count: give out=FILE, perhaps lines=on\n");
		return 1;
	}

	/* Opened at once: a bad name is told before the boot, and no old counts outlive it. */
	name = argv[0] + 4;
	file = fopen(name, "w");
	if (of_lines)
		lines = calloc(LINES, sizeof(*lines));
	if (!file || (of_lines && !lines)) {
		perror(name);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, of_lines ? lines_translated : translated);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
