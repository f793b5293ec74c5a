// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: memory that is in use by the disk
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "pins.h"
#include "raw_io.h"

/* A thread, in that it shares our memory; its end says what the read gave. */
struct reader {
	enum engine engine;
	char *buf;
	size_t len;
	long result;
	char stack[64 * KIB];	/* clone() aligns its top */
};

static int reader_main(void *arg)
{
	struct reader *r = arg;

	r->result = rw(r->engine, 0, r->buf, r->len, 0);
	return 0;
}

static pid_t reader_start(struct reader *r)
{
	pid_t pid = clone(reader_main, r->stack + sizeof(r->stack), CLONE_VM | CLONE_FILES, r);

	if (pid < 0)
		die("clone: %s", strerror(errno));
	return pid;
}

static void reader_finish(struct reader *r, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || status)
		die("the reader failed");
	expect(r->result, r->len, "read");
}

/*
 * BLOCKDEV holds reads back. A process that forks while the disk writes into its memory, and then
 * writes into the same page itself, sees the data in its own copy of the page.
 */
static void case_fork(void)
{
	static const size_t lens[] = { 2 * KIB, 128 * KIB, 2 * MIB };
	static struct reader r;
	unsigned int i;
	pid_t reader, child;

	for (r.engine = SYNC; r.engine < NR_ENGINES; r.engine = next_engine(r.engine)) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			r.len = lens[i] < block ? block : lens[i];
			trying("%s, %zu bytes", engine_names[r.engine], r.len);
			disk_fill(0, r.len, 1);
			r.buf = (char *)get_memory(r.len + 2 * PAGE) + PAGE / 2;
			reader = reader_start(&r);
			sleep_ms(60);
			child = fork();
			if (!child) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				pause();
				_exit(0);
			}
			/* the bytes of the first and last page that the disk does not write */
			r.buf[-1] = 1;
			r.buf[r.len] = 1;
			reader_finish(&r, reader);
			check(r.buf, r.len, 0, 1, "what the parent sees");
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
	}
}

/*
 * BLOCKDEV holds reads back. A file's mapped memory that is written back while the disk writes
 * into it is written back again, or the file would lose the data.
 */
static void case_dirty(void)
{
	static const size_t lens[] = { PAGE, 32 * PAGE, 1 * MIB };
	static struct reader r;
	int fd = open(case_args[0], O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *buf = get_memory(1 * MIB);
	unsigned int i;
	pid_t reader;

	if (fd < 0)
		die("%s: %s", case_args[0], strerror(errno));
	for (r.engine = SYNC; r.engine < NR_ENGINES; r.engine = next_engine(r.engine)) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			trying("%s, %zu bytes", engine_names[r.engine], lens[i]);
			r.len = lens[i];
			disk_fill(0, r.len, 1);
			fill(buf, r.len, 0, 2);
			expect(sys_result(pwrite(fd, buf, r.len, 0)), r.len, "write of the file");
			r.buf = mmap(NULL, r.len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (r.buf == MAP_FAILED)
				die("%s cannot be mapped: %s", case_args[0], strerror(errno));
			reader = reader_start(&r);
			sleep_ms(60);
			expect(sys_result(fsync(fd)), 0, "fsync in mid-read");
			reader_finish(&r, reader);
			check(r.buf, r.len, 0, 1, "mapped file");
			munmap(r.buf, r.len);
			expect(sys_result(fsync(fd)), 0, "fsync");
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			expect(sys_result(pread(fd, buf, r.len, 0)), r.len, "read of the file");
			check(buf, r.len, 0, 1, "the file, read from its disk");
		}
	}
}

/* Pages pinned less pages released, as the kernel counts them since it was booted. */
#define PIN_ROUNDS 1000

static long pinned_now(void)
{
	long now;

	if (pins_now(&now))
		skip("this kernel does not count pinned pages in /proc/vmstat");
	return now;
}

static void check_pins(long before, const char *what)
{
	long lost = pins_lost(before, PIN_ROUNDS);

	if (lost)
		die("%s: %ld pins %s after %d rounds", what, labs(lost),
		    lost > 0 ? "left" : "too few", PIN_ROUNDS);
}

static void case_pins(void)
{
	enum { GOOD, SHARED, FAULT, MISALIGNED, END, BIG, NR_KINDS };
	static const char * const kinds[] = {
		"good request", "pieces that share a page", "bad memory", "misaligned request",
		"request across the end", "bad memory in a request of several bios",
	};
	char *mem = get_memory(8 * PAGE), *big = get_memory(300 * PAGE);
	long before;
	int i, kind, write;
	enum engine e;

	make_hole(mem + 3 * PAGE);
	make_hole(big + 290 * PAGE);
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			trying("%s", engine_names[e]);
			before = pinned_now();
			for (i = 0; i < PIN_ROUNDS; i++) {
				write = i % 2;
				if (kind == GOOD)
					rw(e, write, mem, 2 * PAGE, 0);
				else if (kind == SHARED)
					rw(e, write, mem + 512, 2 * PAGE, 0);
				else if (kind == FAULT)
					rw(e, write, mem + PAGE / 2, 6 * PAGE, 0);
				else if (kind == MISALIGNED)
					rw(e, write, mem, PAGE + 1, 0);
				else if (kind == END)
					rw(e, write, mem, 2 * PAGE, disk_size - block);
				else if (i % 10 == 0)
					rw(e, write, big + 512, 298 * PAGE, 0);
			}
			check_pins(before, kinds[kind]);
		}
	}
}

const struct raw_case memory_cases[] = {
	{ "fork", case_fork, NULL },
	{ "dirty", case_dirty, "FILE" },
	{ "pins", case_pins, NULL },
	{ }
};
