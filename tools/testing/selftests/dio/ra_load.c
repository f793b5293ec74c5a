// SPDX-License-Identifier: GPL-2.0
/*
 * Read a file through the page cache in one of the ways that readahead must cope with. Some write,
 * too.
 *
 *	ra_load MODE [len=64k] [bs=4k] n=400 FILE
 *
 *	run, geometric	n runs of len (geometric: of len in the mean) at random places
 *	random		n reads of bs at random places
 *	turn		the same, then a run of len
 *	seq		n reads of bs, one after the other, from from=N (0) on
 *	streams		the same k times (k=8), the streams taking turns on one open file, or with
 *			the word separate each on its own
 *	read		n reads of bs by read(2), one after the other
 *	blocks		n requests for blocks of bs at random places, with the word once for none
 *			twice; writes=40 of 100 write; fsync=100 calls fsync(2) after as many
 *	reverse		n reads from the end to the front
 *	stride		n reads of bs, every len; from the end it goes back to the second bs
 *	mix		n times a run of 8 to 32 pages at a random place, and len of a long scan, on
 *			one open file, or with the word separate on two
 *	mmap-seq, mmap-random	touch n pages of a mapping; advise= is of the mapping, too
 *	mmap-run, mmap-turn	n runs of len; n random pages, then a run of len
 *
 * Runs are read bs at a time; with the word willneed each is asked for as a whole before; with
 * splice what is read comes by a pipe. With the word look the first bs of the file are read before
 * each, as a database looks at its header. The other options: seed=N names the random places;
 * every=1m puts them in order instead, from 1m on and that far apart; size=N uses no more of the
 * file; advise=random|sequential; disk=N: the file holds the stamps of that disk (see
 * disk_stamp), and what is read must be those, a mapped page also when it is looked at hold=N times
 * more; the word holes allows zeros instead; share=N: as many processes do all that on one open
 * file, at the same time, with seeds of their own (not with read or separate).
 *
 * Prints the time of the requests, what they read and wrote (each of those that share a line):
 *
 *	{"n": 400, "bytes": 26214400, "written": 0, "nsec": 96000000}
 *
 * Exit status: 0 done, 2 usage, 3 cannot be opened, 4 read error, 5 wrong data.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "claim.h"
#include "stamp.h"
#include "words.h"
#include "load.h"

static const char usage[] = "usage: ra_load MODE [len=64k] bs=4k n=400 FILE";

#define NOT_GIVEN	(~0ULL)

enum { NEEDS_LEN = 1, RUNS = 2, GEOMETRIC = 4, STANDS = 8, MAPPED = 16 };

/* run_places() has n requests of bs, with RUNS n runs of len, at places; others do more. */
struct mode {
	const char *name;
	void (*run)(void);
	unsigned long long (*place)(unsigned long long i, unsigned long long len);
	int flags;
};

static struct {
	const char *name;
	const struct mode *mode;
	unsigned long long bs, len, n, k, seed, from, every, size, disk, writes, fsync, share, hold;
	int holes, separate, once, look, willneed, splice;
	int advice;		/* MADV_, which has the number of POSIX_FADV_ */
} opt = { .bs = PAGE, .k = 8, .seed = 1, .disk = NOT_GIVEN };

static int fd;
static unsigned long long bytes, written, nsec;
static unsigned char *buf;
static const unsigned char *map;	/* of the file, for the modes that fault */
static const unsigned char zeros[STAMP_SECTOR];

static unsigned long long pick(unsigned long long below)
{
	return next_random(&opt.seed) % below;
}

static void verify(const unsigned char *data, unsigned long long pos, unsigned long long len)
{
	unsigned long long off;

	for (off = 0; off < len; off += STAMP_SECTOR)
		if (!opt.holes || memcmp(data + off, zeros, STAMP_SECTOR))
			check_stamps(opt.name, data + off, STAMP_SECTOR, opt.disk, pos + off);
}

static ssize_t read_by_pipe(int file, off_t pos, size_t len)
{
	static int pipes[2];
	size_t done = 0;
	ssize_t got = 0;

	if (!pipes[1] && pipe(pipes))
		die(EXIT_USAGE, "pipe: %s", strerror(errno));
	while (done < len) {
		got = splice(file, &pos, pipes[1], NULL, len - done, 0);
		if (got <= 0 || read(pipes[0], buf + done, got) != got)
			break;
		done += got;
	}
	return done ? (ssize_t)done : got;
}

/* One request; what its data is, and whether it is right, is not in the time. */
static void request(int file, int write, unsigned long long pos, unsigned long long len)
{
	unsigned long long start;
	ssize_t got;
	int err;

	if (write && opt.disk != NOT_GIVEN)
		fill_stamps((char *)buf, len, opt.disk, pos);
	start = now_ns();
	if (write)
		got = pwrite(file, buf, len, pos);
	else if (opt.splice)
		got = read_by_pipe(file, pos, len);
	else
		got = opt.mode->flags & STANDS ? read(file, buf, len) : pread(file, buf, len, pos);
	err = errno;
	nsec += now_ns() - start;
	if (got != (ssize_t)len)
		die(EXIT_IO, "%s: %s %llu bytes at %llu: %s", opt.name, write ? "write" : "read",
		    len, pos, got < 0 ? strerror(err) : "not as many");
	if (write)
		written += len;
	else
		bytes += len;
	if (!write && opt.disk != NOT_GIVEN)
		verify(buf, pos, len);
}

static int open_file(void)
{
	int file = open_claimed(opt.name, 0, opt.writes, EXIT_DEVICE);

	if (opt.advice && posix_fadvise(file, 0, 0, opt.advice))
		die(EXIT_DEVICE, "%s: posix_fadvise is refused", opt.name);
	return file;
}

/* No system call comes between two looks: the page is taken away unseen, if it is. */
static void touch(unsigned long long pos)
{
	unsigned long long start = now_ns(), looks;

	asm volatile("" : : "r" (map[pos]));
	nsec += now_ns() - start;
	bytes += PAGE;
	for (looks = 0; opt.disk != NOT_GIVEN && looks <= opt.hold; looks++) {
		verify(map + pos, pos, PAGE);
		asm volatile("" : : : "memory");
	}
}

static const unsigned char *map_file(void)
{
	void *mem = mmap(NULL, opt.size, PROT_READ, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED)
		die(EXIT_DEVICE, "%s: mmap: %s", opt.name, strerror(errno));
	if (opt.advice && madvise(mem, opt.size, opt.advice))
		die(EXIT_DEVICE, "%s: madvise is refused", opt.name);
	return mem;
}

/* A run of len from a page on, bs at a time; of a mapping, page by page */
static void read_run(unsigned long long pos, unsigned long long len)
{
	unsigned long long end = pos + len;

	if (opt.look)
		request(fd, 0, 0, opt.bs);
	if (opt.willneed && posix_fadvise(fd, pos, len, POSIX_FADV_WILLNEED))
		die(EXIT_DEVICE, "%s: posix_fadvise is refused", opt.name);
	for (; pos < end; pos += opt.bs) {
		if (map)
			touch(pos);
		else
			request(fd, 0, pos, end - pos < opt.bs ? end - pos : opt.bs);
	}
}

static unsigned long long any_place(unsigned long long i, unsigned long long len)
{
	static unsigned long long next;

	(void)i;
	next += opt.every;
	if (next + len > opt.size)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", opt.name, next + len);
	if (opt.every)
		return next;
	return pick((opt.size - len) / PAGE + 1) * PAGE;
}

static unsigned long long seq_place(unsigned long long i, unsigned long long len)
{
	return opt.from + i * len;
}

static unsigned long long reverse_place(unsigned long long i, unsigned long long len)
{
	return (opt.size / len - i - 1) * len;
}

/* From the end it goes back to the second one, and so on. */
static unsigned long long stride_place(unsigned long long i, unsigned long long len)
{
	static unsigned long long pos, pass;

	pos += i ? opt.len : 0;
	if (pos + len > opt.size)
		pos = ++pass * len;
	return pos;
}

/* Every block once, in any order: n of all that there are, the first of a shuffled row */
static unsigned long long *shuffled(unsigned long long blocks)
{
	unsigned long long *row = get_memory(blocks * sizeof(*row)), i, other, block;

	for (i = 0; i < blocks; i++)
		row[i] = i;
	for (i = 0; i < opt.n; i++) {
		other = i + pick(blocks - i);
		block = row[other];
		row[other] = row[i];
		row[i] = block;
	}
	return row;
}

static unsigned long long block_place(unsigned long long i, unsigned long long len)
{
	static unsigned long long *row;

	if (opt.once && !row)
		row = shuffled(opt.size / len);
	return (row ? row[i] : pick(opt.size / len)) * len;
}

/*
 * Writes are spread evenly among the reads. With GEOMETRIC pages are added while a die with a
 * probability of 1 - 1/mean says so.
 */
static void run_places(void)
{
	unsigned long long i, pos, start, len = opt.mode->flags & RUNS ? opt.len : opt.bs;

	if (opt.mode->flags & STANDS)
		lseek(fd, opt.from, SEEK_SET);
	for (i = 0; i < opt.n; i++) {
		if (opt.mode->flags & GEOMETRIC)
			for (len = PAGE; pick(opt.len / PAGE); len += PAGE)
				;
		pos = opt.mode->place(i, len);
		if (pos >= opt.size || pos + len > opt.size)
			die(EXIT_USAGE, "%s has no %llu places", opt.name, opt.n);
		if ((i + 1) * opt.writes / 100 > i * opt.writes / 100)
			request(fd, 1, pos, len);
		else
			read_run(pos, len);
		start = now_ns();
		if (opt.fsync && !((i + 1) % opt.fsync) && fsync(fd))
			die(EXIT_IO, "%s: fsync: %s", opt.name, strerror(errno));
		nsec += now_ns() - start;
	}
}

static void run_turn(void)
{
	run_places();
	read_run(any_place(0, opt.len), opt.len);
}

static void run_streams(void)
{
	unsigned long long part = opt.size / opt.k / PAGE * PAGE, i, k;
	int files[opt.k];

	if (opt.n * opt.bs > part)
		die(EXIT_USAGE, "%s has no room for %llu streams of %llu bytes", opt.name, opt.k,
		    opt.n * opt.bs);
	for (k = 0; k < opt.k; k++)
		files[k] = opt.separate ? open_file() : fd;
	for (i = 0; i < opt.n; i++)
		for (k = 0; k < opt.k; k++)
			request(files[k], 0, k * part + i * opt.bs, opt.bs);
}

/* Queries that look up rows by an index, beside one that scans a table; one open file each */
static void run_mix(void)
{
	unsigned long long i, len, scanned = 0;
	int lookup = fd, scan = opt.separate ? open_file() : fd;

	for (i = 0; i < opt.n; i++) {
		len = (8 + pick(25)) * PAGE;
		fd = lookup;
		read_run(opt.size / 2 + pick((opt.size / 2 - len) / PAGE) * PAGE, len);
		fd = scan;
		read_run(scanned, opt.len);
		scanned = (scanned + opt.len) % (opt.size / 2 / opt.len * opt.len);
	}
}

static const struct mode modes[] = {
	{ "run", run_places, any_place, NEEDS_LEN | RUNS },
	{ "geometric", run_places, any_place, NEEDS_LEN | GEOMETRIC },
	{ "random", run_places, any_place, 0 }, { "turn", run_turn, any_place, NEEDS_LEN },
	{ "seq", run_places, seq_place, 0 }, { "streams", run_streams, NULL, 0 },
	{ "read", run_places, seq_place, STANDS }, { "blocks", run_places, block_place, 0 },
	{ "reverse", run_places, reverse_place, 0 },
	{ "stride", run_places, stride_place, NEEDS_LEN }, { "mix", run_mix, NULL, NEEDS_LEN },
	{ "mmap-seq", run_places, seq_place, MAPPED },
	{ "mmap-random", run_places, any_place, MAPPED },
	{ "mmap-run", run_places, any_place, NEEDS_LEN | RUNS | MAPPED },
	{ "mmap-turn", run_turn, any_place, NEEDS_LEN | MAPPED },
};

static const struct word words[] = {
	NUMBER("bs=", opt.bs), NUMBER("len=", opt.len), NUMBER("n=", opt.n), NUMBER("k=", opt.k),
	NUMBER("seed=", opt.seed), NUMBER("from=", opt.from), NUMBER("every=", opt.every),
	NUMBER("size=", opt.size), NUMBER("writes=", opt.writes), NUMBER("fsync=", opt.fsync),
	NUMBER("share=", opt.share), NUMBER("disk=", opt.disk), NUMBER("hold=", opt.hold),
	CHOICE("advise=random", opt.advice, POSIX_FADV_RANDOM),
	CHOICE("advise=sequential", opt.advice, POSIX_FADV_SEQUENTIAL),
	FLAG("separate", opt.separate), FLAG("holes", opt.holes), FLAG("once", opt.once),
	FLAG("look", opt.look), FLAG("splice", opt.splice), FLAG("willneed", opt.willneed),
	{ .name = NULL }
};

static int run_mode(void)
{
	if (opt.mode->flags & MAPPED) {
		map = map_file();
		opt.bs = PAGE;
	}
	opt.mode->run();
	printf("{\"n\": %llu, \"bytes\": %llu, \"written\": %llu, \"nsec\": %llu}\n", opt.n, bytes,
	       written, nsec);
	return 0;
}

/* The exit status is that of one that failed. */
static int run_shared(void)
{
	int status, failed = 0;

	for (; opt.share; opt.share--, opt.seed++) {
		if (must_fork(EXIT_USAGE))
			continue;
		stay_in_memory();
		exit(run_mode());
	}
	while (wait(&status) > 0) {
		if (WIFSIGNALED(status))
			fprintf(stderr, "ra_load: ended by signal %d\n", WTERMSIG(status));
		if (status)
			failed = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_IO;
	}
	return failed;
}

int main(int argc, char **argv)
{
	unsigned int i;

	help_if_asked(argc, argv, usage);
	for (i = 0; argc > 1 && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			opt.mode = &modes[i];
	if (!opt.mode)
		die(EXIT_USAGE, "%s", usage);
	parse_words(argc - 1, argv + 1, usage, words, &opt.name, 1);
	if (!opt.name || !opt.bs || !opt.n || !opt.k)
		die(EXIT_USAGE, "%s", usage);
	if (opt.bs % STAMP_SECTOR || opt.len % PAGE)
		die(EXIT_USAGE, "bs= is a multiple of %d, len= of %lu", STAMP_SECTOR, PAGE);
	if (!opt.len && opt.mode->flags & NEEDS_LEN)
		die(EXIT_USAGE, "%s needs len=", opt.mode->name);
	if (opt.share && (opt.mode->flags & STANDS || opt.separate))
		die(EXIT_USAGE, "share= is of one open file: not with read or separate");
	if (opt.writes > 100)
		die(EXIT_USAGE, "writes= is at most 100");
	fd = open_file();
	if (!opt.size)
		opt.size = lseek(fd, 0, SEEK_END);
	if (opt.bs > opt.size || (opt.once && opt.n > opt.size / opt.bs))
		die(EXIT_USAGE, "%s has only %llu blocks", opt.name, opt.size / opt.bs);
	buf = aligned_alloc(PAGE, (opt.bs + PAGE - 1) / PAGE * PAGE);
	if (!buf)
		die(EXIT_USAGE, "bs= is too large");
	memset(buf, 0, opt.bs);
	stay_in_memory();
	return opt.share ? run_shared() : run_mode();
}
