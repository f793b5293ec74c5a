// SPDX-License-Identifier: GPL-2.0
/*
 * Read a file through the page cache in one of the ways that readahead must cope with.
 *
 *	ra_load MODE [len=64k] [bs=4k] n=400 FILE
 *
 *	run, geometric	n runs of len (geometric: of len in the mean) at random places
 *	random		n reads of bs at random places
 *	turn		the same, then a run of len
 *	seq		n reads of bs, one after the other, from from=N (0) on
 *	streams		the same k times (k=8), the streams taking turns on one open file, or with
 *			the word separate each on its own
 *	reverse		n reads from the end to the front
 *	stride		n reads of bs, every len
 *	mix		n times a run of 8 to 32 pages at a random place, and len of a long scan, on
 *			one open file, or with the word separate on two
 *	mmap-seq, mmap-random	touch n pages of a mapping
 *
 * Runs are read bs at a time. The other options: seed=N names the random places; every=1m puts
 * them in order instead, from 1m on and that far apart; size=N uses no more of the file;
 * advise=random|sequential|normal; disk=N: the file holds the stamps of that disk (see disk_stamp),
 * and what is read must be those; the word holes allows zeros instead. Prints the time of the
 * reads, and what they were:
 *
 *	{"n": 400, "bytes": 26214400, "nsec": 96000000, "last": 8192}
 *
 * last is the place of the last run or read.
 *
 * Exit status: 0 done, 2 usage, 3 cannot be opened, 4 read error, 5 wrong data.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "stamp.h"

#define PROGRAM		"ra_load"
#include "words.h"
#include "load.h"

struct mode {
	const char *name;
	void (*run)(void);
};

static struct {
	const char *name;
	const struct mode *mode;
	unsigned long long bs, len, n, k, seed, from, every, size, disk;
	int verify, holes, separate, advice;
} opt = { .bs = PAGE, .k = 8, .seed = 1, .advice = -1 };

static int fd;
static unsigned long long bytes, nsec, last;
static unsigned char *buf;
static const unsigned char zeros[STAMP_SECTOR];

static unsigned long long pick(unsigned long long below)
{
	return next_random(&opt.seed) % below;
}

static void verify(const unsigned char *data, unsigned long long pos, unsigned long long len)
{
	unsigned long long off;
	char text[120];

	for (off = 0; off < len; off += STAMP_SECTOR) {
		if (stamp_ok(data + off, opt.disk, (pos + off) / STAMP_SECTOR) ||
		    (opt.holes && !memcmp(data + off, zeros, STAMP_SECTOR)))
			continue;
		stamp_describe(text, sizeof(text), data + off, opt.disk,
			       (pos + off) / STAMP_SECTOR);
		die(EXIT_DATA, "%s: byte %llu: %s", opt.name, pos + off, text);
	}
}

/* One read; the checking of its data is not in the time. */
static void read_at(int file, unsigned long long pos, unsigned long long len)
{
	unsigned long long start = now_ns();
	ssize_t got = pread(file, buf, len, pos);

	nsec += now_ns() - start;
	if (got != (ssize_t)len)
		die(EXIT_IO, "%s: %llu bytes at %llu: %s", opt.name, len, pos,
		    got < 0 ? strerror(errno) : "end of file");
	bytes += len;
	if (opt.verify)
		verify(buf, pos, len);
}

/* A run of len from a page on, bs at a time */
static void read_run(unsigned long long pos, unsigned long long len)
{
	unsigned long long end = pos + len;

	last = pos;
	for (; pos < end; pos += opt.bs)
		read_at(fd, pos, end - pos < opt.bs ? end - pos : opt.bs);
}

static unsigned long long place(unsigned long long len)
{
	static unsigned long long next;

	next += opt.every;
	if (len > opt.size || next + len > opt.size)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", opt.name, next + len);
	if (opt.every)
		return next;
	return pick((opt.size - len) / PAGE + 1) * PAGE;
}

static void run_runs(void)
{
	unsigned long long i;

	for (i = 0; i < opt.n; i++)
		read_run(place(opt.len), opt.len);
}

/* Pages are added while a die with a probability of 1 - 1/mean says so. */
static void run_geometric(void)
{
	unsigned long long i, len, mean = opt.len / PAGE;

	for (i = 0; i < opt.n; i++) {
		for (len = PAGE; pick(mean); len += PAGE)
			;
		read_run(place(len), len);
	}
}

static void run_random(void)
{
	unsigned long long i;

	for (i = 0; i < opt.n; i++)
		read_at(fd, place(opt.bs), opt.bs);
}

static void run_turn(void)
{
	run_random();
	read_run(place(opt.len), opt.len);
}

static void run_seq(void)
{
	if (opt.from + opt.n * opt.bs > opt.size)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", opt.name,
		    opt.from + opt.n * opt.bs);
	read_run(opt.from, opt.n * opt.bs);
}

static int open_file(void)
{
	int file = open(opt.name, O_RDONLY);

	if (file < 0)
		die(EXIT_DEVICE, "%s: %s", opt.name, strerror(errno));
	if (opt.advice >= 0 && posix_fadvise(file, 0, 0, opt.advice))
		die(EXIT_DEVICE, "%s: posix_fadvise is refused", opt.name);
	return file;
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
			read_at(files[k], k * part + i * opt.bs, opt.bs);
}

static void run_reverse(void)
{
	unsigned long long i, blocks = opt.size / opt.bs;

	for (i = 1; i <= opt.n && i <= blocks; i++)
		read_at(fd, (blocks - i) * opt.bs, opt.bs);
}

static void run_stride(void)
{
	unsigned long long i;

	if (opt.n * opt.len > opt.size)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", opt.name, opt.n * opt.len);
	for (i = 0; i < opt.n; i++)
		read_at(fd, i * opt.len, opt.bs);
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

static void touch(const unsigned char *map, unsigned long long pos)
{
	unsigned long long start = now_ns();

	asm volatile("" : : "r" (map[pos]));
	nsec += now_ns() - start;
	bytes += PAGE;
	if (opt.verify)
		verify(map + pos, pos, PAGE);
}

static void run_mmap(int random)
{
	unsigned char *map = mmap(NULL, opt.size, PROT_READ, MAP_SHARED, fd, 0);
	unsigned long long i;

	if (map == MAP_FAILED)
		die(EXIT_DEVICE, "%s: mmap: %s", opt.name, strerror(errno));
	if (opt.n * PAGE > opt.size)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", opt.name, opt.n * PAGE);
	for (i = 0; i < opt.n; i++)
		touch(map, random ? place(PAGE) : i * PAGE);
	munmap(map, opt.size);
}

static void run_mmap_seq(void)
{
	run_mmap(0);
}

static void run_mmap_random(void)
{
	run_mmap(1);
}

static const struct mode modes[] = {
	{ "run", run_runs }, { "geometric", run_geometric }, { "random", run_random },
	{ "turn", run_turn }, { "seq", run_seq }, { "streams", run_streams },
	{ "reverse", run_reverse }, { "stride", run_stride }, { "mix", run_mix },
	{ "mmap-seq", run_mmap_seq }, { "mmap-random", run_mmap_random },
};

static const struct {
	const char *word;
	unsigned long long *value;
} numbers[] = {
	{ "bs=", &opt.bs }, { "len=", &opt.len }, { "n=", &opt.n }, { "k=", &opt.k },
	{ "seed=", &opt.seed }, { "from=", &opt.from }, { "every=", &opt.every },
	{ "size=", &opt.size }, { "disk=", &opt.disk },
};

static void parse_word(char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(word, modes[i].name)) {
			opt.mode = &modes[i];
			return;
		}
	}
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!strncmp(word, numbers[i].word, strlen(numbers[i].word))) {
			*numbers[i].value = parse_number(word, word + strlen(numbers[i].word));
			opt.verify |= numbers[i].value == &opt.disk;
			return;
		}
	}
	if (!strcmp(word, "separate"))
		opt.separate = 1;
	else if (!strcmp(word, "holes"))
		opt.holes = 1;
	else if (!strcmp(word, "advise=random"))
		opt.advice = POSIX_FADV_RANDOM;
	else if (!strcmp(word, "advise=sequential"))
		opt.advice = POSIX_FADV_SEQUENTIAL;
	else if (!strcmp(word, "advise=normal"))
		opt.advice = POSIX_FADV_NORMAL;
	else if (strchr(word, '/'))
		opt.name = word;
	else
		die(EXIT_USAGE, "unknown word %s", word);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		parse_word(argv[i]);
	if (!opt.name || !opt.mode || !opt.bs || !opt.n || !opt.k)
		die(EXIT_USAGE, "usage: ra_load MODE [len=64k] bs=4k n=400 FILE");
	if (opt.bs % STAMP_SECTOR || opt.len % PAGE)
		die(EXIT_USAGE, "bs= is a multiple of %d, len= of %lu", STAMP_SECTOR, PAGE);
	if (!opt.len && (opt.mode->run == run_runs || opt.mode->run == run_geometric ||
			 opt.mode->run == run_stride || opt.mode->run == run_mix ||
			 opt.mode->run == run_turn))
		die(EXIT_USAGE, "%s needs len=", opt.mode->name);
	fd = open_file();
	if (!opt.size)
		opt.size = lseek(fd, 0, SEEK_END);
	buf = aligned_alloc(PAGE, (opt.bs + PAGE - 1) / PAGE * PAGE);
	if (!buf)
		die(EXIT_USAGE, "bs= is too large");
	memset(buf, 0, opt.bs);
	opt.mode->run();
	printf("{\"n\": %llu, \"bytes\": %llu, \"nsec\": %llu, \"last\": %llu}\n",
	       opt.n, bytes, nsec, last);
	return 0;
}
