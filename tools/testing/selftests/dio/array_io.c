// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes in flight while paths to a disk come and go: none fails, and is the data right?
 *
 *	array_io [direct] [from=N] size=N [bs=4k] until=FILE [least=MS] [most=MS] DEVICE
 *
 * DEVICE is a block device, which is claimed (claim.h), or /dev/raw/rawN. AIO keeps 32 requests of
 * bs bytes in flight on a raw device, and with direct on a disk. Through the page cache they go one
 * after the other, writes with O_DSYNC, so that each has its own result.
 *
 * It writes a block of stamps (stamp.h), reads it, and goes on to another until FILE is there; then
 * it reads all that it wrote. The longest I/O must take least= to most= ms. Prints how many I/Os
 * there were, and how long the longest took. Exit status: 0 all as it should be, 1 an I/O was not,
 * 2 usage, 4 this kernel has no AIO, 5 wrong data.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "words.h"
#include "async.h"
#include "load.h"
#include "raw_ioctl.h"
#include "stamp.h"

#define DEPTH		32
#define TIME_LIMIT	300	/* seconds; what waits longer hangs */

static const char usage[] = "usage: array_io [direct] [from=N] size=N [bs=4k] until=FILE\n"
			    "                [least=MS] [most=MS] DEVICE";

static struct {
	const char *name, *until;
	unsigned long long from, size, bs, depth, least, most;
	int direct;
} opt = { .bs = 4096, .depth = DEPTH };

/* One request; a slot has every depth'th block to itself. */
struct slot {
	struct iocb cb;
	char *buf;
	unsigned long long block, start;
	int write;
};

static int fd;
static aio_context_t ctx;
static struct slot slots[DEPTH];
static unsigned int *gens;	/* of each block, what was written last; 0: nothing yet */
static unsigned long long blocks, done, longest;

/* --- The command line --- */

static const struct word words[] = {
	NUMBER("from=", opt.from), NUMBER("size=", opt.size), NUMBER("bs=", opt.bs),
	TEXT("until=", opt.until), NUMBER("least=", opt.least), NUMBER("most=", opt.most),
	FLAG("direct", opt.direct),
	{ .name = NULL }
};

static void parse(int argc, char **argv)
{
	parse_words(argc, argv, usage, words, &opt.name, 1);
	if (!opt.name || !opt.size || !opt.bs || !opt.until)
		die(EXIT_USAGE, "%s", usage);
	if (opt.bs % STAMP_SECTOR || opt.from % opt.bs || opt.size % opt.bs)
		die(EXIT_USAGE, "from= or size= is not a multiple of bs=, or bs= not of %d",
		    STAMP_SECTOR);
	blocks = opt.size / opt.bs;
	if (opt.depth > blocks)
		opt.depth = blocks;
}

static void open_device(void)
{
	int flags = opt.direct ? O_DIRECT : 0;
	struct stat st;

	if (!opt.direct && (stat(opt.name, &st) || !is_raw(&st))) {
		flags |= O_DSYNC;
		opt.depth = 1;
	}
	fd = open_claimed(opt.name, flags, 1, 1);
}

/* --- One I/O --- */

static unsigned long long place(const struct slot *s)
{
	return opt.from + s->block * opt.bs;
}

static void start(struct slot *s, int write, unsigned int gen)
{
	struct iocb *cb = &s->cb;

	s->write = write;
	if (write)
		fill_stamps(s->buf, opt.bs, gen, place(s));
	else
		memset(s->buf, 0xee, opt.bs);
	aio_prepare(cb, fd, write, s->buf, opt.bs, place(s));
	cb->aio_data = (uintptr_t)s;
	s->start = now_ns();
	aio_submit(ctx, &cb, 1);
}

/* The next request that is done: none fails */
static struct slot *reap(void)
{
	unsigned long long took;
	struct io_event event;
	struct slot *s;

	aio_reap(ctx, &event, 1, 1, NULL);
	s = (struct slot *)(uintptr_t)event.data;
	took = now_ns() - s->start;
	if (took > longest)
		longest = took;
	done++;
	if (event.res != (long)opt.bs)
		die(1, "%s: a %s of %llu bytes at %llu gave %s", opt.name,
		    s->write ? "write" : "read", opt.bs, place(s), result_name(event.res));
	return s;
}

/* The page cache has nothing of it left, so a read must come from the disk. */
static void start_read(struct slot *s)
{
	posix_fadvise(fd, place(s), opt.bs, POSIX_FADV_DONTNEED);
	start(s, 0, 0);
}

/* A slot's next block, over and over */
static void start_next(struct slot *s)
{
	s->block += opt.depth;
	if (s->block >= blocks)
		s->block = s - slots;
	start(s, 1, gens[s->block] + 1);
}

static void run_load(void)
{
	unsigned long long in_flight;
	struct slot *s;

	gens = calloc(blocks, sizeof(*gens));
	if (!gens)
		die(1, "no memory");
	for (in_flight = 0; in_flight < opt.depth; in_flight++) {
		slots[in_flight].block = in_flight;
		start(&slots[in_flight], 1, 1);
	}
	while (in_flight) {
		s = reap();
		if (s->write) {
			gens[s->block]++;
			start_read(s);
		} else {
			check_stamps(opt.name, s->buf, opt.bs, gens[s->block], place(s));
			if (access(opt.until, F_OK))
				start_next(s);
			else
				in_flight--;
		}
	}
}

/* After the faults: all that was written is there. */
static void check_load(void)
{
	struct slot *s = slots;

	for (s->block = 0; s->block < blocks; s->block++) {
		if (!gens[s->block])
			continue;
		start_read(s);
		reap();
		check_stamps(opt.name, s->buf, opt.bs, gens[s->block], place(s));
	}
}

/* --- The end --- */

static void on_alarm(int sig)
{
	static const char text[] = "array_io: an I/O hangs\n";

	(void)sig;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 3 : 1);
}

static void judge(void)
{
	unsigned long long ms = longest / 1000000;

	printf("%llu I/Os, the longest took %llu ms\n", done, ms);
	if (ms < opt.least)
		die(1, "%s: no I/O took %llu ms: there was no fault", opt.name, opt.least);
	if (opt.most && ms > opt.most)
		die(1, "%s: an I/O took more than %llu ms", opt.name, opt.most);
}

int main(int argc, char **argv)
{
	unsigned long long i;
	char *memory;

	parse(argc, argv);
	signal(SIGALRM, on_alarm);
	alarm(TIME_LIMIT);
	open_device();
	ctx = aio_setup(opt.depth);
	memory = load_memory(opt.bs * opt.depth, 0);
	for (i = 0; i < opt.depth; i++)
		slots[i].buf = memory + i * opt.bs;
	run_load();
	check_load();
	judge();
	return 0;
}
