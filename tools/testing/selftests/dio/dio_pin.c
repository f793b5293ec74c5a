// SPDX-License-Identifier: GPL-2.0
/*
 * Regression test: direct reads and fork.
 *
 *	dio_pin FILE
 *
 * The bug: memory that the disk writes to was held by a plain reference. A fork makes the page
 * copy-on-write; whoever writes into it first gets a copy. If that is the parent, while the disk
 * writes, it has the copy and the disk's data goes into the page that the child keeps. Who is hurt:
 * programs that fork (or start another program) beside direct I/O into memory that is not whole
 * pages, or that also writes next to it: they read success and old data.
 *
 *	parent: reads into a page, the disk is busy
 *	parent: forks, the page becomes copy-on-write
 *	parent: writes another byte of the page, and gets a copy of it
 *	disk: writes into the page that the child has now
 *	parent: the read returns, the data is not there
 *
 * Pages that are pinned are copied at fork instead: the child gets the copy.
 *
 * FILE is on a disk that holds reads back (dm-delay, 100 ms), longer than a fork takes; AIO and
 * io_uring submit without waiting, so the read is in flight when they return. Linux 6.1 fails on
 * every file system.
 *
 * Exit status: 0 right, 1 wrong data, 2 usage, 4 neither AIO nor io_uring here.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define PROGRAM		"dio_pin"
#include "words.h"

#define async_die(...)	die(1, __VA_ARGS__)
#define async_skip(...)	die(4, __VA_ARGS__)
#include "async.h"
#include "load.h"

#define MOST		(256 * PAGE)

static const char usage[] = "usage: dio_pin FILE";

static char *pattern, *buf;
static int fd;

static void make_pattern(void)
{
	unsigned long i;

	pattern = get_memory(2 * MOST + 4 * PAGE);
	buf = pattern + MOST + PAGE + PAGE / 2;
	for (i = 0; i < MOST; i++)
		pattern[i] = 'a' + i % 26 + i / PAGE % 3;
}

/* While a read of @len bytes is under way: fork, then write on both sides of it. */
static pid_t fork_and_write(size_t len)
{
	pid_t child = fork();

	if (child < 0)
		die(1, "no process: %s", strerror(errno));
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

int main(int argc, char **argv)
{
	static const size_t lens[] = { 2048, 128 << 10, MOST };
	unsigned int i;

	help_if_asked(argc, argv, usage);
	if (argc != 2)
		die(EXIT_USAGE, "%s", usage);
	make_pattern();
	fd = open(argv[1], O_RDWR | O_CREAT | O_DIRECT, 0600);
	if (fd < 0)
		die(1, "%s: %s", argv[1], strerror(errno));
	if (pwrite(fd, pattern, MOST, 0) != (ssize_t)MOST)
		die(1, "%s: %s", argv[1], strerror(errno));
	fsync(fd);
	for (i = 0; i < sizeof(lens) / sizeof(*lens); i++) {
		memset(buf, 0, lens[i]);
		try_aio(lens[i]);
		memset(buf, 0, lens[i]);
		try_uring(lens[i]);
	}
	return 0;
}
