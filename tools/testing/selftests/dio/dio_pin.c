// SPDX-License-Identifier: GPL-2.0
/*
 * Regression test: direct I/O and the pages that it holds, or cannot have.
 *
 * With FILE alone: direct reads and fork. Where memory that the disk writes to is held by a plain
 * reference, a fork makes its page copy-on-write; if the parent writes next to it first, the parent
 * gets a copy, and the data goes into the page that the child keeps. Who is hurt: programs that
 * fork beside direct I/O into memory that is not whole pages. They read success and old data. Pages
 * that are pinned are copied at fork instead. FILE, which is written to, is on a disk that holds
 * reads back (dm-delay, 100 ms). Linux 6.1 fails on every file system and on the bare disk.
 *
 * The others hold the pins that /proc/vmstat counts as taken against those dropped. count reads
 * FILE and writes there what it has read, by read and write, AIO and io_uring: a page, which has
 * paths of its own, and parts of pages, of several of which a bio keeps one pin. A path for small
 * requests must let go of pages, too, where it did not do the write itself. ways does that, and
 * makes requests that are refused or cut off; what it writes is what happens to be in memory.
 * pieces reads into a huge page by pieces that are no whole sectors: the kernel takes the end that
 * is inside a sector out of the bio. Linux 7.3 dropped one pin for an entry of many pages, and none
 * where it was shortened. Who is hurt: everybody; any user can lose memory so, 2 MiB at a time.
 *
 * nomem: each allocation that a call makes fails once: the first one, then the second, and so on
 * until none is left to fail (/proc/thread-self/fail-nth). A direct read or overwrite, by AIO, too,
 * or a buffered read, of all of the first MiB may do all, a part, or nothing, and then says that
 * there is no memory. Blocks that it was to write are old or new, those that it read are right, no
 * page stays pinned, and the same call without a failure does all. With two names it is the same of
 * a binding of a raw device, which has none, to a disk.
 *
 * Exit status: 0 right, 1 wrong data or pins, 2 usage, 4 this kernel or disk lacks what it takes.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "words.h"
#include "async.h"
#include "load.h"
#include "claim.h"
#include "raw_ioctl.h"

#define MOST		(256 * PAGE)
#define PIN_ROUNDS	100
#define NR_PIECES	1024	/* as many as readv() takes, and four times what a bio holds */
#define PIECE		8
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25	/* later than glibc's headers */
#endif

#define MOST_FAILURES	5000	/* allocations of a call; it ends well before */

static const char usage[] = "usage: dio_pin [count|ways|pieces|nomem] FILE\n"
			    "       dio_pin nomem RAWDEV DISK";

enum way { SYNC, AIO, URING, NR_WAYS };

static const char * const ways[] = { "read", "AIO", "io_uring" };

static char *pattern, *buf;
static int fd;

static long thread_read;
static int threads_met;		/* in mid-read */

/* A thread, in that it shares our memory */
static int read_in_thread(void *len)
{
	thread_read = sys_result(pread(fd, buf, *(size_t *)len, 0));
	return 0;
}

/* While a read is under way: fork, then write on both sides of it. */
static void read_beside_fork(enum way way, size_t len)
{
	static char stack[1 << 16];
	pid_t child, thread = -1;
	aio_context_t ctx = 0;
	struct iocb cb, *cbs = &cb;
	struct io_event event;
	struct ring ring;
	long result;

	memset(buf, 0, len);
	if (way == SYNC) {
		thread = clone(read_in_thread, stack + sizeof(stack), CLONE_VM | CLONE_FILES, &len);
		if (thread < 0)
			die(1, "no thread: %s", strerror(errno));
		threads_met += wait_until_it_waits(thread);
	} else if (way == AIO) {
		ctx = aio_setup(1);
		aio_prepare(&cb, fd, IOCB_CMD_PREAD, buf, len, 0);
		aio_submit(ctx, &cbs, 1);
	} else {
		ring_setup(&ring, 1, 0);
		ring_queue(&ring, fd, IORING_OP_READ, buf, len, 0, 0);
		ring_enter(&ring, 0);
	}
	child = must_fork(1);
	if (!child) {
		pause();
		_exit(0);
	}
	buf[-1] = 1;
	buf[len] = 1;
	if (way == SYNC) {
		waitpid(thread, NULL, __WALL);
		result = thread_read;
	} else if (way == AIO) {
		aio_reap(ctx, &event, 1, 1, NULL);
		result = event.res;
	} else {
		result = ring_reap(&ring, NULL);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (result != (long)len)
		die(1, "%s of %zu bytes gave %s", ways[way], len, result_name(result));
	if (memcmp(buf, pattern, len))
		die(1, "%s of %zu bytes succeeded, its data is not there", ways[way], len);
}

static void read_beside_forks(void)
{
	static const size_t lens[] = { 2048, 128 << 10, MOST };
	unsigned int i;

	pattern = get_memory(2 * MOST + 4 * PAGE);
	buf = pattern + MOST + PAGE + PAGE / 2;
	for (i = 0; i < MOST; i++)
		pattern[i] = 'a' + i % 26 + i / PAGE % 3;
	if (pwrite(fd, pattern, MOST, 0) != (ssize_t)MOST)
		die(1, "it is not written: %s", strerror(errno));
	fsync(fd);
	for (i = 0; i < ARRAY_SIZE(lens) * NR_WAYS; i++)
		read_beside_fork(i % NR_WAYS, lens[i / NR_WAYS]);
	if (!threads_met)
		die(1, "no read was met on its way: the disk is too fast for this");
}

static long send(int fd, enum way way, int write, const struct iovec *iov, int nr, off_t pos)
{
	static struct ring ring;

	switch (way) {
	case AIO:
		return aio_once(fd, write ? IOCB_CMD_PWRITEV : IOCB_CMD_PREADV, (void *)iov, nr,
				pos);
	case URING:
		if (!ring.sqes)
			ring_setup(&ring, 1, 0);
		return ring_once(&ring, fd, write ? IORING_OP_WRITEV : IORING_OP_READV,
				 (void *)iov, nr, pos);
	default:
		return sys_result(write ? pwritev(fd, iov, nr, pos) : preadv(fd, iov, nr, pos));
	}
}

/*
 * The first of the calls that there are, PIN_ROUNDS of each, must move @least bytes to @most. What
 * each round loses shows, whatever else pins pages at the same time and lets go.
 */
static void count_rounds(const char *what, unsigned int calls, const struct iovec *iov, int nr,
			 off_t pos, long least, long most)
{
	long before = pinned_now(), result, lost;
	unsigned int i, call;

	for (i = 0; i < PIN_ROUNDS * calls; i++) {
		call = i % calls;
		result = send(fd, call / 2, call % 2, iov, nr, pos);
		if (calls == 1 && result == -EINVAL && nr > 1)
			die(4, "pieces of sectors are refused here");
		if (result < least || result > most)
			die(1, "%s, %s: it gave %s", what, ways[call / 2], result_name(result));
	}
	lost = pins_left(before, PIN_ROUNDS / 2);
	if (lost)
		die(1, "%s: after %u requests %ld pins %s", what, i, labs(lost),
		    lost > 0 ? "are left" : "too few are counted as taken");
}

static void count_pins_of_pieces(void)
{
	static struct iovec pieces[NR_PIECES];
	char *memory = load_memory(2 * HUGE_PAGE, 1);
	unsigned long i;

	/* A huge page, with memory behind it that cannot be read into */
	if (madvise(memory, 2 * HUGE_PAGE, MADV_COLLAPSE))
		die(4, "no huge pages here");
	munmap(memory + HUGE_PAGE, HUGE_PAGE);

	/* Each lies in two pages; a bio of 256 that are not all whole loses 63. */
	for (i = 0; i < NR_PIECES; i++) {
		pieces[i].iov_base = memory + (i % 256 + 1) * PAGE - PIECE / 2;
		pieces[i].iov_len = PIECE;
	}
	count_rounds("pieces across two pages", 1, pieces, NR_PIECES, 0, NR_PIECES * PIECE,
		     NR_PIECES * PIECE);

	/* Three pages; its sectors need two, and the page cache may read on. */
	pieces[0].iov_base = memory;
	pieces[0].iov_len = 2 * PAGE + PIECE;
	pieces[1].iov_base = memory + HUGE_PAGE;
	pieces[1].iov_len = 512 - PIECE;
	count_rounds("bad memory behind a piece of a page", 1, pieces, 2, 0, 2 * PAGE,
		     2 * PAGE + PIECE);
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

/* In as many pieces as a page has sectors a small bio has no room for it. */
#define SECTOR(i)	{ mem + 1024 * (i), 512 }

static void count_pins(int all)
{
	char *mem = with_hole(8, 3), *big = with_hole(300, 290), *middle = mem + PAGE / 2;
	char *huge = load_memory(HUGE_PAGE, 1);
	const struct {
		const char *name;
		struct iovec iov[PAGE / 512];
		off_t pos;
		int may_fail;
	} requests[] = {
		{ "a page", { { mem, PAGE } }, 0, 0 },
		{ "a page of a huge page, if there are any", { { huge + 5 * PAGE, PAGE } }, 0, 0 },
		{ "a page in two", { { middle, PAGE } }, 0, 0 },
		{ "two pages", { { mem, 2 * PAGE } }, 0, 0 },
		{ "parts of pages", { { middle, 2 * PAGE } }, 0, 0 },
		{ "a part of a page", { { middle, 512 } }, 0, 0 },
		{ "two parts of a page", { { middle, 512 }, { middle + 512, PAGE - 512 } }, 0, 0 },
		{ "a page in many pieces", { SECTOR(0), SECTOR(1), SECTOR(2), SECTOR(3), SECTOR(4),
					     SECTOR(5), SECTOR(6), SECTOR(7) }, 0, 0 },
		{ "bad memory", { { middle, 6 * PAGE } }, 0, 1 },
		{ "a misaligned request", { { mem, PAGE + 1 } }, 0, 1 },
		{ "across the end", { { mem, 2 * PAGE } }, lseek(fd, 0, SEEK_END) - PAGE, 1 },
		{ "bad memory in a request of several bios", { { big + 512, 298 * PAGE } }, 0, 1 },
	};
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct iovec *iov = requests[i].iov;
		long len = 0;

		if (requests[i].may_fail && !all)
			continue;
		for (nr = 0; nr < ARRAY_SIZE(requests[i].iov) && iov[nr].iov_len; nr++)
			len += iov[nr].iov_len;
		count_rounds(requests[i].name, 2 * NR_WAYS, iov, nr, requests[i].pos,
			     all ? LONG_MIN : len, len);
	}
}

#define is_wrong(...)	(wrong++, printf(__VA_ARGS__))

static int nth, wrong;

/* The call's allocation number @n, from 1 on, is to fail; 0: none any more. Was there one? */
static int arm(int n)
{
	char text[16] = "";
	int left = pread(nth, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;

	snprintf(text, sizeof(text), "%d", n);
	if (pwrite(nth, text, strlen(text), 0) < 0)
		die(1, "no failure: %s", strerror(errno));
	return !left;
}

/* What is there must be of @new up to @done, and behind it of either. */
static void look_at(const char *name, int n, const char *data, long done, char old, char new)
{
	long at;

	for (at = 0; at < (long)MOST; at += 512) {
		if (!memcmp(data + at, data + at + 1, 511) &&
		    (data[at] == new || (at >= done && data[at] == old)))
			continue;
		is_wrong("%s, allocation %d failed, %ld bytes done: byte %ld is wrong\n", name, n,
			 done, at);
		return;
	}
}

/* Prints the number of allocations, which is at least one. */
static void fail_each(const char *name, int file, enum way way, int write)
{
	char *memory = load_memory(2 * MOST, 0), *back = load_memory(MOST, 0);
	static struct iovec iov[MOST / PAGE];
	long ret, before;
	int n, failed;
	char new;

	for (n = 0; n < (int)ARRAY_SIZE(iov); n++)
		iov[n] = (struct iovec){ memory + n * PAGE, PAGE };
	for (n = 1, failed = 1; failed && n < MOST_FAILURES; n++) {
		memset(memory, 'o', MOST);
		/* This way, as what AIO needs for all its requests is no call's. */
		if (send(fd, way, 1, iov, ARRAY_SIZE(iov), 0) != (long)MOST)
			die(1, "%s: the first write failed", name);
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		new = write ? 'a' + n % 10 : 'o';
		memset(memory, write ? new : 0, MOST);
		before = pinned_now();

		arm(n);
		ret = send(file, way, write, iov, ARRAY_SIZE(iov), 0);
		failed = arm(0);

		if (ret != (long)MOST &&
		    (!failed || (ret < 0 && ret != -ENOMEM && ret != -EAGAIN)))
			is_wrong("%s, allocation %d %s: %s\n", name, n,
				 failed ? "failed" : "did not", result_name(ret));
		if (write && pread(fd, back, MOST, 0) != (long)MOST)
			die(1, "%s, allocation %d: then a read failed: %s", name, n,
			    strerror(errno));
		look_at(name, n, write ? back : memory, ret, write ? 'o' : 0, new);
		if (pins_left(before, 1))
			is_wrong("%s, allocation %d failed: pages stay pinned\n", name, n);
		if (send(file, way, write, iov, ARRAY_SIZE(iov), 0) != (long)MOST)
			is_wrong("%s, allocation %d failed: so does the next\n", name, n);
	}
	if (n == 2 || failed)
		die(1, "%s: %d allocations", name, n - 2);
	printf("%s: %d allocations\n", name, n - 2);
}

/* What failed has bound nothing, and the next one does. */
static void bind_each(const char *raw, const char *disk)
{
	int ctl = open(RAW_CTL, O_RDONLY), n, ret, failed = 1;
	struct raw_config_request bind, none = { 0 };
	struct stat st;

	if (ctl < 0 || stat(disk, &st) || !S_ISBLK(st.st_mode))
		die(1, "%s, or %s: %s", RAW_CTL, disk, strerror(errno));
	none.raw_minor = atoi(raw + strcspn(raw, "0123456789"));
	bind = (struct raw_config_request){ none.raw_minor, major(st.st_rdev), minor(st.st_rdev) };
	for (n = 1; failed && n < MOST_FAILURES; n++) {
		arm(n);
		ret = sys_result(ioctl(ctl, RAW_SETBIND, &bind));
		failed = arm(0);
		if (ret ? !failed || ret != -ENOMEM || raw_bound_to(none.raw_minor) :
		    raw_bound_to(none.raw_minor) != st.st_rdev)
			is_wrong("a binding, allocation %d: %s, bound to %lx\n", n,
				 result_name(ret), (unsigned long)raw_bound_to(none.raw_minor));
		if (ioctl(ctl, RAW_SETBIND, &bind) || ioctl(ctl, RAW_SETBIND, &none))
			die(1, "allocation %d failed: no binding any more: %s", n, strerror(errno));
	}
	if (n == 2 || failed)
		die(1, "a binding: %d allocations", n - 2);
	printf("a binding: %d allocations\n", n - 2);
}

static void fail_all(const char *name, const char *disk)
{
	int cached;

	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0)
		die(4, "no CONFIG_FAULT_INJECTION");
	if (disk) {
		bind_each(name, disk);
		return;
	}
	fd = open_claimed(name, O_DIRECT, 1, 1);
	cached = open(name, O_RDONLY);
	fail_each("read", fd, SYNC, 0);
	fail_each("write", fd, SYNC, 1);
	fail_each("AIO read", fd, AIO, 0);
	fail_each("AIO write", fd, AIO, 1);
	if (cached >= 0)
		fail_each("buffered read", cached, SYNC, 0);
}

enum { FORKS, COUNT, ALL_WAYS, BY_PIECES, NOMEM };
static int test;

static const struct word words[] = {
	CHOICE("count", test, COUNT), CHOICE("ways", test, ALL_WAYS),
	CHOICE("pieces", test, BY_PIECES), CHOICE("nomem", test, NOMEM),
	{ .name = NULL }
};

int main(int argc, char **argv)
{
	const char *names[2] = { NULL };

	parse_words(argc, argv, usage, words, names, 2);
	if (!names[0] || (names[1] && test != NOMEM))
		die(EXIT_USAGE, "%s", usage);
	if (test == NOMEM) {
		fail_all(names[0], names[1]);
		return !!wrong;
	}
	fd = must_open(names[0], O_RDWR | O_DIRECT | (test == FORKS ? O_CREAT : 0), 1);
	if (test == FORKS)
		read_beside_forks();
	else if (test == BY_PIECES)
		count_pins_of_pieces();
	else
		count_pins(test == ALL_WAYS);
	return 0;
}
