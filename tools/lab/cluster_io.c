// SPDX-License-Identifier: GPL-2.0
/*
 * The direct I/O of one node of a cluster (cluster.sh): blocks of a file that nodes share.
 *
 *	cluster_io write node=N [of=2] [round=1] n=N [aio|uring] [fsync] [depth=8] [tell=PATH]
 *		[until=PATH] FILE
 *	cluster_io check node=N [of=2] [round=1] n=N [done=N] [depth=8] [cached] FILE
 *
 * Nodes take turns at a file's blocks of 4 KiB: of=2, the first is node 1's, the second node 2's,
 * the third node 1's again. write writes n blocks of its node with O_DIRECT, depth of them at once
 * (one, without aio or uring), each sector stamped (stamp.h) with node, round and place; no file
 * gets shorter. until: it goes on with the next round, all of them again, until there is a file
 * PATH, and finishes the round. tell: after each queue, PATH says how far it is (the round and the
 * blocks of it that are written, ten characters each); with fsync, what is on the disk whatever
 * happens. It prints the last whole round.
 *
 * check reads the blocks of node N, with O_DIRECT or by way of the page cache (cached), and wants
 * the stamps of this round. A block of round 0 was never written: zeros, or behind the file's end.
 * done: the writer was interrupted, and had told of so many blocks of this round. The next depth
 * are of this round or of the one before, each all of one; all others are of the one before.
 *
 * Exit status: 0 done, 1 a step failed, 2 usage, 5 wrong data (a line says where, and what it is).
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <sys/stat.h>

#define PROGRAM		"cluster_io"
#include "../testing/selftests/dio/words.h"

#define async_die(...)	die(1, __VA_ARGS__)
#define async_skip(...)	die(1, __VA_ARGS__)
#include "../testing/selftests/dio/async.h"
#include "../testing/selftests/dio/load.h"
#include "../testing/selftests/dio/stamp.h"

#define BLOCK		4096
#define SECTORS		(BLOCK / STAMP_SECTOR)
#define ROUNDS		1000000		/* of a node; a stamp's disk is a round of a node */
#define WHOLE		ULLONG_MAX	/* done: the writer was not interrupted */

static const char usage[] =
	"usage: cluster_io write|check node=N [of=2] [round=1] n=N [WORD]... FILE";

enum way { SYNC, AIO, URING };

static struct {
	const char *name, *tell, *until;
	unsigned long long node, of, round, n, depth, done;
	enum way way;
	int write, check, fsync, cached;
} opt = { .of = 2, .round = 1, .depth = 8, .done = WHOLE };

static int fd;
static char *memory;

static void parse_word(char *word)
{
	if (!strcmp(word, "write"))
		opt.write = 1;
	else if (!strcmp(word, "check"))
		opt.check = 1;
	else if (!strcmp(word, "aio"))
		opt.way = AIO;
	else if (!strcmp(word, "uring"))
		opt.way = URING;
	else if (!strcmp(word, "fsync"))
		opt.fsync = 1;
	else if (!strcmp(word, "cached"))
		opt.cached = 1;
	else if (!strncmp(word, "node=", 5))
		opt.node = parse_number(word, word + 5);
	else if (!strncmp(word, "of=", 3))
		opt.of = parse_number(word, word + 3);
	else if (!strncmp(word, "round=", 6))
		opt.round = parse_number(word, word + 6);
	else if (!strncmp(word, "n=", 2))
		opt.n = parse_number(word, word + 2);
	else if (!strncmp(word, "depth=", 6))
		opt.depth = parse_number(word, word + 6);
	else if (!strncmp(word, "tell=", 5))
		opt.tell = word + 5;
	else if (!strncmp(word, "until=", 6))
		opt.until = word + 6;
	else if (!strncmp(word, "done=", 5))
		opt.done = parse_number(word, word + 5);
	else if (strchr(word, '/') && !opt.name)
		opt.name = word;
	else
		die(EXIT_USAGE, "unknown word %s", word);
}

static unsigned long long disk_of(unsigned long long round)
{
	return opt.node * ROUNDS + round;
}

/* The place of block @i of those that are the node's */
static off_t place_of(unsigned long long i)
{
	return (i * opt.of + opt.node - 1) * BLOCK;
}

static void stamp_block(char *block, unsigned long long round, off_t place)
{
	int k;

	for (k = 0; k < SECTORS; k++)
		stamp_fill(block + k * STAMP_SECTOR, disk_of(round), place / STAMP_SECTOR + k);
}

/* --- Writing --- */

static void check_result(long result, off_t place)
{
	if (result != BLOCK)
		die(1, "%s: a write at %lld gave %s", opt.name, (long long)place,
		    result_name(result));
}

/* Blocks @first to @first + @nr - 1, at once; they are stamped in memory. */
static void write_queue(unsigned long long first, unsigned long long nr)
{
	struct iocb cb[nr], *cbs[nr];
	struct io_event events[nr];
	static aio_context_t ctx;
	static struct ring ring;
	unsigned long long k;
	__u64 place;

	switch (opt.way) {
	case SYNC:
		for (k = 0; k < nr; k++)
			check_result(sys_result(pwrite(fd, memory + k * BLOCK, BLOCK,
						       place_of(first + k))), place_of(first + k));
		break;
	case AIO:
		if (!ctx)
			ctx = aio_setup(opt.depth);
		for (k = 0; k < nr; k++) {
			cbs[k] = &cb[k];
			aio_prepare(cbs[k], fd, 1, memory + k * BLOCK, BLOCK, place_of(first + k));
		}
		aio_submit(ctx, cbs, nr);
		aio_reap(ctx, events, nr, nr, NULL);
		for (k = 0; k < nr; k++)
			check_result(events[k].res,
				     ((struct iocb *)(uintptr_t)events[k].data)->aio_offset);
		break;
	case URING:
		if (!ring.sqes)
			ring_setup(&ring, opt.depth, 0);
		for (k = 0; k < nr; k++) {
			place = place_of(first + k);
			ring_queue(&ring, fd, IORING_OP_WRITE, memory + k * BLOCK, BLOCK, place,
				   place);
		}
		ring_enter(&ring, nr);
		for (k = 0; k < nr; k++)
			check_result(ring_reap(&ring, &place), place);
		break;
	}
}

static void tell(int told, unsigned long long round, unsigned long long blocks)
{
	char text[32];

	snprintf(text, sizeof(text), "%-10llu %-10llu\n", round, blocks);
	if (opt.tell && pwrite(told, text, 22, 0) != 22)
		die(1, "%s: %s", opt.tell, strerror(errno));
}

static void write_rounds(void)
{
	unsigned long long round = opt.round, at, nr, k;
	int told = -1;

	if (opt.tell) {
		told = open(opt.tell, O_WRONLY | O_CREAT, 0666);
		if (told < 0)
			die(1, "%s: %s", opt.tell, strerror(errno));
	}
	for (;; round++) {
		for (at = 0; at < opt.n; at += nr) {
			nr = opt.way == SYNC ? 1 : opt.depth;
			if (nr > opt.n - at)
				nr = opt.n - at;
			for (k = 0; k < nr; k++)
				stamp_block(memory + k * BLOCK, round, place_of(at + k));
			write_queue(at, nr);
			if (opt.fsync && fsync(fd))
				die(1, "%s: fsync: %s", opt.name, strerror(errno));
			tell(told, round, at + nr);
		}
		if (!opt.until || !access(opt.until, F_OK))
			break;
	}
	if (close(fd))
		die(1, "%s: %s", opt.name, strerror(errno));
	printf("%llu\n", round);
}

/* --- Checking --- */

static int holds_stamps(unsigned long long round, off_t place)
{
	int k;

	for (k = 0; k < SECTORS; k++)
		if (!stamp_ok(memory + k * STAMP_SECTOR, disk_of(round), place / STAMP_SECTOR + k))
			return 0;
	return 1;
}

/* Does what was read, the first @got bytes of a block, hold what the round left there? */
static int holds(unsigned long long round, off_t place, ssize_t got)
{
	ssize_t i;

	if (round)
		return got == BLOCK && holds_stamps(round, place);
	for (i = 0; i < got; i++)
		if (memory[i])
			return 0;
	return 1;
}

static void __noreturn wrong_data(off_t place, ssize_t got)
{
	unsigned long long sector = place / STAMP_SECTOR, disk = disk_of(opt.round);
	int k, first = 0, bad = 0;
	char text[200];

	if (got != BLOCK)
		die(EXIT_DATA, "%s: the block at %lld has %zd bytes", opt.name, (long long)place,
		    got);
	for (k = 0; k < SECTORS; k++) {
		if (stamp_ok(memory + k * STAMP_SECTOR, disk, sector + k))
			continue;
		if (!bad++)
			first = k;
	}
	if (!bad)
		die(EXIT_DATA, "%s: the block at %lld is of round %llu already", opt.name,
		    (long long)place, opt.round);
	stamp_describe(text, sizeof(text), memory + first * STAMP_SECTOR, disk, sector + first);
	die(EXIT_DATA, "%s: %d sectors wrong in the block at %lld: sector %llu of disk %llu is %s",
	    opt.name, bad, (long long)place, sector + first, disk, text);
}

static void check_blocks(void)
{
	int interrupted = opt.done != WHOLE;
	unsigned long long i;
	off_t place;
	ssize_t got;

	/* It may have begun the next round, and not told yet. */
	if (interrupted && opt.done == opt.n) {
		opt.done = 0;
		opt.round++;
	}
	for (i = 0; i < opt.n; i++) {
		place = place_of(i);
		got = pread(fd, memory, BLOCK, place);
		if (got < 0)
			die(1, "%s: a read at %lld: %s", opt.name, (long long)place,
			    strerror(errno));
		if ((!interrupted || i < opt.done + opt.depth) && holds(opt.round, place, got))
			continue;
		if (!interrupted || i < opt.done || !holds(opt.round - 1, place, got))
			wrong_data(place, got);
	}
}

int main(int argc, char **argv)
{
	int i, flags;

	help_if_asked(argc, argv, usage);
	for (i = 1; i < argc; i++)
		parse_word(argv[i]);
	if (!opt.name || opt.write == opt.check || !opt.node || opt.node > opt.of || !opt.n ||
	    !opt.depth)
		die(EXIT_USAGE, "%s", usage);
	if (opt.done != WHOLE && (!opt.round || opt.done > opt.n))
		die(EXIT_USAGE, "done= is of round 1 or later, and n at most");
	flags = opt.write ? O_WRONLY | O_CREAT : O_RDONLY;
	want_file(opt.name);
	fd = open(opt.name, flags | (opt.cached ? 0 : O_DIRECT), 0666);
	if (fd < 0)
		die(1, "%s: %s", opt.name, strerror(errno));
	memory = load_memory(opt.depth * BLOCK, 0);
	if (opt.write)
		write_rounds();
	else
		check_blocks();
	return 0;
}
