// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes in flight on a disk that fails: what came of each one, and is its data right?
 *
 *	array_io write|read [direct] [gen=N] [from=N] size=N [bs=4k] [depth=32]
 *		 [bad=N badsize=N errno=ENODATA] DEVICE
 *	array_io load [direct] [from=N] size=N [bs=4k] [depth=32] n=N|until=FILE
 *		 [errno=EIO] [least=MS] [most=MS] DEVICE
 *
 * DEVICE is a block device or /dev/raw/rawN; from=, bad= and sizes are bytes. AIO keeps depth
 * requests of bs bytes in flight on a raw device, and with direct on a disk. Through the page cache
 * they go one after the other, writes with O_DSYNC, so that each has its own result. A device that
 * is written is claimed (claim.h); blocks are stamped (stamp.h), gen= being the number of the disk.
 *
 *	write	each block from from= on, once
 *	read	the same, and looks at the data. What touches the bad= range must fail with errno=,
 *		and nothing else may; so it is with write
 *	load	writes a block, reads it, and goes on to another, n times or until FILE is there;
 *		then reads all that it wrote. With errno=, an I/O may fail so; some must, and what
 *		failed is tried again until it is done. The longest I/O must take least= to most= ms
 *
 * Prints how many I/Os there were, how many failed, and how long the longest took. Exit status: 0
 * all as it should be, 1 an I/O was not, 2 usage, 4 this kernel has no AIO, 5 wrong data.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/sysmacros.h>

#include "claim.h"

#define PROGRAM		"array_io"
#include "words.h"

#define async_die(...)	die(1, __VA_ARGS__)
#define async_skip(...)	die(4, __VA_ARGS__)
#include "async.h"
#include "load.h"
#include "raw_ioctl.h"
#include "stamp.h"

#define DEPTH_MOST	256
#define ERRNO_MOST	134
#define TIME_LIMIT	300	/* seconds; what waits longer hangs */

static const char usage[] =
	"usage: array_io write|read [direct] [gen=N] [from=N] size=N [bs=4k] [depth=32]\n"
	"                [bad=N badsize=N errno=ENODATA] DEVICE\n"
	"       array_io load [direct] [from=N] size=N [bs=4k] [depth=32] n=N|until=FILE\n"
	"                [errno=EIO] [least=MS] [most=MS] DEVICE";

enum { NONE, WRITE, READ, LOAD };

static struct {
	const char *name, *until;
	unsigned long long gen, from, size, bs, depth, bad, badsize, n, least, most;
	int what, direct, error;
} opt = { .gen = 1, .bs = 4096, .depth = 32 };

/* One request; a load's slot has every depth'th block to itself. */
struct slot {
	struct iocb cb;
	char *buf;
	unsigned long long block, start;
	int write;
};

static int fd;
static aio_context_t ctx;
static struct slot slots[DEPTH_MOST];
static unsigned int *gens;	/* of each block, what was written last; 0: nothing yet */
static unsigned long long blocks, done, failed, longest;

/* --- The command line --- */

static int parse_errno(const char *name)
{
	const char *known;
	int i;

	for (i = 1; i < ERRNO_MOST; i++) {
		known = strerrorname_np(i);
		if (known && !strcmp(name, known))
			return i;
	}
	die(EXIT_USAGE, "errno=%s: no such error is known here", name);
}

static const char *error_name;

static const struct word words[] = {
	{ .name = "gen=", .number = &opt.gen }, { .name = "from=", .number = &opt.from },
	{ .name = "size=", .number = &opt.size }, { .name = "bs=", .number = &opt.bs },
	{ .name = "depth=", .number = &opt.depth }, { .name = "bad=", .number = &opt.bad },
	{ .name = "badsize=", .number = &opt.badsize }, { .name = "n=", .number = &opt.n },
	{ .name = "least=", .number = &opt.least }, { .name = "most=", .number = &opt.most },
	{ .name = "until=", .text = &opt.until },
	{ .name = "write", .flag = &opt.what, .value = WRITE },
	{ .name = "read", .flag = &opt.what, .value = READ },
	{ .name = "load", .flag = &opt.what, .value = LOAD },
	{ .name = "direct", .flag = &opt.direct, .value = 1 },
	{ .name = "errno=", .text = &error_name },
	{ .name = NULL }
};

static void parse(int argc, char **argv)
{
	parse_words(argc, argv, usage, words, &opt.name, 1);
	if (error_name)
		opt.error = parse_errno(error_name);
	if (!opt.name || !opt.what || !opt.size || !opt.bs || !opt.gen ||
	    (opt.what == LOAD && !opt.n == !opt.until))
		die(EXIT_USAGE, "%s", usage);
	if (opt.bs % STAMP_SECTOR || opt.from % opt.bs || opt.size % opt.bs)
		die(EXIT_USAGE, "from= or size= is not a multiple of bs=, or bs= not of %d",
		    STAMP_SECTOR);
	if (!opt.depth || opt.depth > DEPTH_MOST)
		die(EXIT_USAGE, "depth= is 1 to %d", DEPTH_MOST);
	if (opt.badsize && !opt.error)
		die(EXIT_USAGE, "badsize= needs errno=");
	blocks = opt.size / opt.bs;
}

static void open_device(void)
{
	int flags = opt.direct ? O_DIRECT : 0;
	char why[PATH_MAX];
	struct stat st;
	int raw;

	raw = !stat(opt.name, &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) == RAW_MAJOR;
	if (!opt.direct && !raw) {
		flags |= O_DSYNC;
		opt.depth = 1;
	}
	fd = open_claimed(opt.name, flags, opt.what != READ, why, sizeof(why));
	if (fd < 0)
		die(1, "%s", why);
}

/* --- One I/O --- */

static unsigned long long place(const struct slot *s)
{
	return opt.from + s->block * opt.bs;
}

static void check_block(const struct slot *s, unsigned int gen)
{
	const char *why = wrong_stamps(s->buf, opt.bs, gen, place(s));

	if (why)
		die(EXIT_DATA, "%s: %s", opt.name, why);
}

/* The page cache has nothing of it left, so a read must come from the disk. */
static void forget(unsigned long long pos, unsigned long long size)
{
	posix_fadvise(fd, pos, size, POSIX_FADV_DONTNEED);
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

static struct slot *reap(long *result)
{
	unsigned long long took;
	struct io_event event;
	struct slot *s;

	aio_reap(ctx, &event, 1, 1, NULL);
	s = (struct slot *)(uintptr_t)event.data;
	*result = event.res;
	took = now_ns() - s->start;
	if (took > longest)
		longest = took;
	done++;
	failed += event.res != (long)opt.bs;
	return s;
}

static void __noreturn wrong(const struct slot *s, long result, long wanted)
{
	die(1, "%s: a %s of %llu bytes at %llu gave %s, not %s", opt.name,
	    s->write ? "write" : "read", opt.bs, place(s), result_name(result),
	    result_name(wanted));
}

/* --- Each block once --- */

static int is_bad(const struct slot *s)
{
	return opt.badsize && place(s) < opt.bad + opt.badsize && place(s) + opt.bs > opt.bad;
}

static void pass(int write)
{
	unsigned long long next = 0, in_flight = 0;
	struct slot *s = slots;
	long result, wanted;

	forget(0, 0);
	/* A folio is read as one, and a bad sector is all of it. At random each is a page. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (; next < blocks && in_flight < opt.depth; s++, in_flight++) {
		s->block = next++;
		start(s, write, opt.gen);
	}
	while (in_flight) {
		s = reap(&result);
		wanted = is_bad(s) ? -opt.error : (long)opt.bs;
		if (result != wanted)
			wrong(s, result, wanted);
		if (!write && result > 0)
			check_block(s, opt.gen);
		if (next < blocks) {
			s->block = next++;
			start(s, write, opt.gen);
		} else {
			in_flight--;
		}
	}
}

/* --- Load --- */

static int is_over(void)
{
	return opt.until ? !access(opt.until, F_OK) : done >= opt.n;
}

static void start_read(struct slot *s)
{
	forget(place(s), opt.bs);
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

/* It may fail, and is tried again, not at once: what is lost does not come back the sooner. */
static void again(struct slot *s, long result)
{
	struct timespec pause = { .tv_nsec = 10000000 };

	if (result != -opt.error || !opt.error)
		wrong(s, result, opt.bs);
	nanosleep(&pause, NULL);
	start(s, s->write, gens[s->block] + 1);
}

static void run_load(void)
{
	unsigned long long in_flight;
	struct slot *s;
	long result;

	if (opt.depth > blocks)
		opt.depth = blocks;
	gens = calloc(blocks, sizeof(*gens));
	if (!gens)
		die(1, "no memory");
	for (in_flight = 0; in_flight < opt.depth; in_flight++) {
		slots[in_flight].block = in_flight;
		start(&slots[in_flight], 1, 1);
	}
	while (in_flight) {
		s = reap(&result);
		if (result != (long)opt.bs) {
			again(s, result);
		} else if (s->write) {
			gens[s->block]++;
			start_read(s);
		} else {
			check_block(s, gens[s->block]);
			if (is_over())
				in_flight--;
			else
				start_next(s);
		}
	}
}

/* After the faults: all that was written is there. */
static void check_load(void)
{
	struct slot *s = slots;
	long result;

	for (s->block = 0; s->block < blocks; s->block++) {
		if (!gens[s->block])
			continue;
		start_read(s);
		reap(&result);
		if (result != (long)opt.bs)
			wrong(s, result, opt.bs);
		check_block(s, gens[s->block]);
	}
}

/* --- The end --- */

static void on_alarm(int sig)
{
	static const char text[] = PROGRAM ": an I/O hangs\n";

	(void)sig;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(1);
}

static void judge(void)
{
	unsigned long long ms = longest / 1000000;

	printf("%llu I/Os, %llu failed, the longest took %llu ms\n", done, failed, ms);
	if (opt.error && !failed)
		die(1, "%s: nothing failed: there was no fault", opt.name);
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
	switch (opt.what) {
	case LOAD:
		run_load();
		check_load();
		break;
	default:
		pass(opt.what == WRITE);
		break;
	}
	judge();
	return 0;
}
