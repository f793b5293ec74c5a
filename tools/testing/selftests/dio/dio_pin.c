// SPDX-License-Identifier: GPL-2.0
/*
 * Regression test: direct reads and the pages that they hold.
 *
 *	dio_pin FILE
 *	dio_pin count|pieces|over|ways FILE
 *
 * With FILE alone: direct reads and fork. Where memory that the disk writes to is held by a plain
 * reference, a fork makes its page copy-on-write; if the parent writes next to it first, the parent
 * gets a copy, and the data goes into the page that the child keeps. Who is hurt: programs that
 * fork beside direct I/O into memory that is not whole pages. They read success and old data. Pages
 * that are pinned are copied at fork instead. FILE, which is written to, is on a disk that holds
 * reads back (dm-delay, 100 ms). Linux 6.1 fails on every file system and on the bare disk.
 *
 * count and pieces only read FILE, and hold the pins that /proc/vmstat counts as taken against
 * those dropped. count reads into parts of pages, several of one page, too, of which a bio keeps
 * one pin. pieces reads into a huge page by pieces that are no whole sectors: the kernel takes the
 * end that is inside a sector out of the bio. Linux 7.3 dropped one pin for an entry of many pages,
 * and none where it was shortened. Who is hurt: everybody; any user can lose memory so, 2 MiB at a
 * time.
 *
 * over writes over the first page of FILE what is there: a path for small requests must let go of
 * pages, too, also where it did not do the write itself. ways writes there what happens to be in
 * memory: requests that are right and those that are refused or cut off, by AIO and io_uring, too.
 *
 * Exit status: 0 right, 1 wrong data or pins, 2 usage, 4 this kernel or disk lacks what it takes.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "words.h"
#include "async.h"
#include "load.h"

#define MOST		(256 * PAGE)
#define PIN_ROUNDS	200
#define NR_PIECES	1024	/* as many as readv() takes, and four times what a bio holds */
#define PIECE		8

static const char usage[] = "usage: dio_pin [count|pieces|over|ways] FILE";

static char *pattern, *buf;
static int fd;

/* While a read of @len bytes is under way: fork, then write on both sides of it. */
static pid_t fork_and_write(size_t len)
{
	pid_t child = must_fork(1);

	if (!child) {
		pause();
		_exit(0);
	}
	buf[-1] = 1;
	buf[len] = 1;
	return child;
}

static void check(const char *engine, size_t len, long result, pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (result != (long)len)
		die(1, "%s: a read of %zu bytes gave %s", engine, len, result_name(result));
	if (memcmp(buf, pattern, len))
		die(1, "%s: a read of %zu bytes succeeded, its data is not there", engine, len);
}

static long thread_read;
static int threads_met;		/* in mid-read */

/* A thread, in that it shares our memory */
static int read_in_thread(void *len)
{
	thread_read = sys_result(pread(fd, buf, *(size_t *)len, 0));
	return 0;
}

static void try_sync(size_t len)
{
	static char stack[1 << 16];
	pid_t thread = clone(read_in_thread, stack + sizeof(stack), CLONE_VM | CLONE_FILES, &len);
	pid_t child;

	if (thread < 0)
		die(1, "no thread: %s", strerror(errno));
	threads_met += wait_until_it_waits(thread);
	child = fork_and_write(len);
	waitpid(thread, NULL, __WALL);
	check("read", len, thread_read, child);
}

static void try_aio(size_t len)
{
	aio_context_t ctx = aio_setup(1);
	struct iocb cb, *cbs = &cb;
	struct io_event event;
	pid_t child;

	aio_prepare(&cb, fd, 0, buf, len, 0);
	aio_submit(ctx, &cbs, 1);
	child = fork_and_write(len);
	aio_reap(ctx, &event, 1, 1, NULL);
	check("AIO", len, event.res, child);
}

static void try_uring(size_t len)
{
	struct ring ring;
	pid_t child;

	ring_setup(&ring, 1, 0);
	ring_queue(&ring, fd, IORING_OP_READ, buf, len, 0, 0);
	ring_enter(&ring, 0);
	child = fork_and_write(len);
	ring_enter(&ring, 1);
	check("io_uring", len, ring_reap(&ring, NULL), child);
}

static void read_beside_forks(void)
{
	static void (* const ways[])(size_t) = { try_sync, try_aio, try_uring };
	static const size_t lens[] = { 2048, 128 << 10, MOST };
	unsigned int i;

	pattern = get_memory(2 * MOST + 4 * PAGE);
	buf = pattern + MOST + PAGE + PAGE / 2;
	for (i = 0; i < MOST; i++)
		pattern[i] = 'a' + i % 26 + i / PAGE % 3;
	if (pwrite(fd, pattern, MOST, 0) != (ssize_t)MOST)
		die(1, "it is not written: %s", strerror(errno));
	fsync(fd);
	for (i = 0; i < 9; i++) {
		memset(buf, 0, lens[i / 3]);
		ways[i % 3](lens[i / 3]);
	}
	if (!threads_met)
		die(1, "no read was met on its way: the disk is too fast for this");
}

/* What each round loses shows, whatever else pins pages at the same time and lets go. */
static void check_pins(long before, const char *what)
{
	long lost = pins_left(before, PIN_ROUNDS / 2);

	if (lost)
		die(1, "%s: after %d requests %ld pins %s", what, PIN_ROUNDS, labs(lost),
		    lost > 0 ? "are left" : "too few are counted as taken");
}

/* A huge page, with memory behind it that cannot be read into */
static char *get_huge_page(void)
{
	char *memory = load_memory(2 * HUGE_PAGE, 1), line[128];
	FILE *file = fopen("/proc/self/smaps_rollup", "r");
	unsigned long huge = 0;

	while (file && !huge && fgets(line, sizeof(line), file))
		sscanf(line, "AnonHugePages: %lu", &huge);
	if (file)
		fclose(file);
	if (huge * 1024 < 2 * HUGE_PAGE)
		die(4, "no huge pages here");
	munmap(memory + HUGE_PAGE, HUGE_PAGE);
	return memory;
}

/* Reads and writes that move as much as @want, or at most a piece more */
static void count_rounds(const char *what, int write, const struct iovec *pieces, int nr,
			 ssize_t want)
{
	long before = pinned_now();
	long result;
	int i;

	for (i = 0; i < PIN_ROUNDS; i++) {
		result = sys_result(write ? pwritev(fd, pieces, nr, 0) : preadv(fd, pieces, nr, 0));
		if (!write && result == -EINVAL && nr > 1)
			die(4, "pieces of sectors are refused here");
		if (result < want || result > want + PIECE)
			die(1, "%s: it gave %s", what, result_name(result));
	}
	check_pins(before, what);
}

/* The memory begins in mid-page, so that blocks of the file share pages. */
static void count_pins(void)
{
	char *memory = get_memory(4 * PAGE) + PAGE / 2;
	const struct iovec whole = { memory, 2 * PAGE };
	const struct iovec parts[] = { { memory, 512 }, { memory + 512, 2 * PAGE - 512 } };
	const struct iovec one = { memory + PAGE / 2, PAGE };

	count_rounds("parts of pages", 0, &whole, 1, 2 * PAGE);
	count_rounds("two parts of a page", 0, parts, 2, 2 * PAGE);
	count_rounds("a part of a page", 0, parts, 1, 512);
	count_rounds("a page", 0, &one, 1, PAGE);
}

/* It has a way of its own through the page tables. */
static void count_pins_of_one(char *memory)
{
	const struct iovec one = { memory + 5 * PAGE, PAGE };
	char *small = get_memory(PAGE);

	if (pread(fd, small, PAGE, 0) != (ssize_t)PAGE)
		die(1, "a page: %s", strerror(errno));
	memset(memory, 0xee, HUGE_PAGE);
	count_rounds("a page of a huge page", 0, &one, 1, PAGE);
	if (memcmp(memory + 5 * PAGE, small, PAGE))
		die(1, "a page of a huge page has other data");
	memcpy(memory + 5 * PAGE, memory, PAGE);
	if (memory[0] != (char)0xee || memcmp(memory, memory + 1, HUGE_PAGE - 1))
		die(1, "a read of one page wrote beside it");
}

static void count_pins_of_pieces(void)
{
	static struct iovec pieces[NR_PIECES];
	char *memory = get_huge_page();
	unsigned long i;

	count_pins_of_one(memory);

	/* Each lies in two pages; a bio of 256 that are not all whole loses 63. */
	for (i = 0; i < NR_PIECES; i++) {
		pieces[i].iov_base = memory + (i % 256 + 1) * PAGE - PIECE / 2;
		pieces[i].iov_len = PIECE;
	}
	count_rounds("pieces across two pages", 0, pieces, NR_PIECES, NR_PIECES * PIECE);

	/* Three pages; its sectors need two, and the page cache may read on. */
	pieces[0].iov_base = memory;
	pieces[0].iov_len = 2 * PAGE + PIECE;
	pieces[1].iov_base = memory + HUGE_PAGE;
	pieces[1].iov_len = 512 - PIECE;
	count_rounds("bad memory behind a piece of a page", 0, pieces, 2, 2 * PAGE);
}

/* In as many pieces as a page has sectors a small bio has no room for it. */
static void count_pins_of_writes(void)
{
	char *page = get_memory(2 * PAGE), *apart = get_memory(2 * PAGE);
	const struct iovec whole = { page, PAGE }, middle = { page + PAGE / 2, PAGE };
	struct iovec pieces[PAGE / 512];
	unsigned long i;

	if (pread(fd, page, PAGE, 0) != (ssize_t)PAGE)
		die(1, "a page: %s", strerror(errno));
	for (i = 0; i < PAGE / 512; i++) {
		pieces[i].iov_base = memcpy(apart + 1024 * i, page + 512 * i, 512);
		pieces[i].iov_len = 512;
	}
	count_rounds("a page", 1, &whole, 1, PAGE);
	count_rounds("a page in many pieces", 1, pieces, PAGE / 512, PAGE);
	memmove(page + PAGE / 2, page, PAGE);
	count_rounds("parts of pages", 1, &middle, 1, PAGE);
}

/* A page that is not there; user-mode Linux goes on to read one that once was. */
static char *with_hole(size_t pages, size_t hole)
{
	char *memory = load_memory(pages * PAGE, 0);

	if (mmap(memory + hole * PAGE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED)
		die(1, "mmap: %s", strerror(errno));
	return memory;
}

static void count_pins_of_ways(void)
{
	char *mem = with_hole(8, 3), *big = with_hole(300, 290);
	const struct { const char *name; char *mem; size_t len; off_t pos; } requests[] = {
		{ "a good request", mem, 2 * PAGE, 0 },
		{ "parts of pages", mem + 512, 2 * PAGE, 0 },
		{ "bad memory", mem + PAGE / 2, 6 * PAGE, 0 },
		{ "a misaligned request", mem, PAGE + 1, 0 },
		{ "a request across the end", mem, 2 * PAGE, lseek(fd, 0, SEEK_END) - PAGE },
		{ "bad memory in a request of several bios", big + 512, 298 * PAGE, 0 },
	};
	struct ring ring;
	unsigned int i, k;
	long before;

	ring_setup(&ring, 1, 0);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		const char *from = requests[i].mem;
		size_t len = requests[i].len;
		off_t pos = requests[i].pos;

		before = pinned_now();
		for (k = 0; k < PIN_ROUNDS; k++) {
			if (pread(fd, (void *)from, len, pos) > (ssize_t)len ||
			    pwrite(fd, from, len, pos) > (ssize_t)len)
				die(1, "%s: more is moved than was asked", requests[i].name);
			aio_once(fd, k % 2, (void *)from, len, pos);
			ring_once(&ring, fd, k % 2 ? IORING_OP_READ : IORING_OP_WRITE,
				  (void *)from, len, pos);
		}
		check_pins(before, requests[i].name);
	}
}

static const struct { int how; void (*run)(void); } tests[] = {
	{ O_RDWR | O_CREAT, read_beside_forks }, { O_RDONLY, count_pins },
	{ O_RDONLY, count_pins_of_pieces }, { O_RDWR, count_pins_of_writes },
	{ O_RDWR, count_pins_of_ways },
};

static int test;

static const struct word words[] = {
	CHOICE("count", test, 1), CHOICE("pieces", test, 2), CHOICE("over", test, 3),
	CHOICE("ways", test, 4),
	{ .name = NULL }
};

int main(int argc, char **argv)
{
	const char *name = NULL;

	parse_words(argc, argv, usage, words, &name, 1);
	if (!name)
		die(EXIT_USAGE, "%s", usage);
	fd = must_open(name, tests[test].how | O_DIRECT, 1);
	tests[test].run();
	return 0;
}
