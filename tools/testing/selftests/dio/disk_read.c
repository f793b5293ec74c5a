// SPDX-License-Identifier: GPL-2.0
/*
 * Read every disk at once, four ways, and print what it took.
 *
 *	disk_read blocks=2K bs=1m [direct|nocopy] [verify] [random] [seed=N] [--json] DEVICE...
 *
 * blocks is the number of reads of bs bytes from each device: from its start on, or with random at
 * multiples of bs all over it (the same places for the same seed).
 *
 *	(no word)  buffered: through the page cache, copied to user memory
 *	direct     O_DIRECT
 *	raw        not a word: devices /dev/raw/rawN, told by their number
 *	nocopy     the page cache without the copy: splice from the device to a pipe and from it to
 *	           /dev/null. Lookup, readahead, waiting and references are the same
 *
 * verify looks at each sector after each read (see stamp.h) and names the first wrong one.
 *
 * One process reads one device. All get ready, wait at a pipe, and start together when the parent
 * closes it. The closing line is that of the report of 2002:
 *
 *	Completed reading N mbytes in S seconds (R Mbytes/sec), U usec mean
 *
 * N is of all devices, a mbyte is 2^20. S is from the start to the end of the last reader. U is
 * the mean of the readers' own times divided by the number of all blocks. Whether two devices are
 * on one disk dio_guard.sh tells.
 *
 * A device that fails says so in a line on stderr, and the others are stopped. Exit status: 0 all
 * was read, and right if verified; 2 usage; 3 no such device, or it cannot be opened; 4 read error,
 * device gone, or no splice (before 2.6.17); 5 wrong data. But for nocopy it is meant to run on
 * Linux 2.4, too.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "stamp.h"
#include "words.h"
#include "load.h"

#define RAW_MAJOR	162
#define MIB		1048576ULL
#define BS_MAX		(1024 * MIB)	/* one read(2) takes no 2 GiB */
#define PIPE_MAX	MIB		/* as large as anybody may make a pipe */

#define CLOSING_LINE	"Completed reading %llu mbytes in %.3f seconds (%.2f Mbytes/sec), %.0f usec mean\n"
#define JSON "{\"bytes\": %llu, \"seconds\": %.9f, \"mb_per_s\": %.3f, " \
	"\"nsec_per_block\": %.3f}\n"

struct reader {
	const char *name;
	int fd;
	unsigned long long size;
	unsigned long long disk;		/* its number, if verified */
};

static struct {
	unsigned long long blocks, bs, seed;
	int direct, nocopy, verify, random, json;
} opt;

static struct reader *readers;
static unsigned int nr_readers;
static struct times {
	unsigned long long start_ns, end_ns;
} *times;	/* of each reader, shared with them */

static const char usage[] =
	"usage: disk_read blocks=N bs=N [direct|nocopy] [verify] [random] [seed=N] [--json]\n"
	"       DEVICE...\n"
	"  blocks=N  reads from each device         bs=N    bytes a read (k, m, g: 1024-based)\n"
	"  direct    O_DIRECT                       nocopy  splice, no copy to user memory\n"
	"  verify    check the stamps (disk_stamp)  random  at random, the same for the same seed\n"
	"  --json    an object for the closing line\n"
	"A DEVICE is a block device or /dev/raw/rawN, named with a slash.\n"
	"Exit: 0 fine, 2 usage, 3 cannot open, 4 read error or device gone, 5 wrong data.";

static const struct word words[] = {
	NUMBER("blocks=", opt.blocks), NUMBER("bs=", opt.bs), NUMBER("seed=", opt.seed),
	FLAG("random", opt.random), FLAG("direct", opt.direct), FLAG("nocopy", opt.nocopy),
	FLAG("verify", opt.verify), FLAG("--json", opt.json),
	{ .name = NULL }
};

static void parse(int argc, char **argv)
{
	const char *names[argc + 1];

	memset(names, 0, sizeof(names));
	parse_words(argc, argv, usage, words, names, argc);
	readers = calloc(argc, sizeof(*readers));
	if (!readers)
		die(EXIT_IO, "no memory");
	for (; names[nr_readers]; nr_readers++)
		readers[nr_readers].name = names[nr_readers];
	if (!opt.blocks || !opt.bs || !nr_readers)
		die(EXIT_USAGE, "blocks=, bs= or a device is missing (-h for help)");
	if (opt.bs > BS_MAX || opt.blocks > LLONG_MAX / opt.bs)
		die(EXIT_USAGE, "blocks=%llu bs=%llu: too large", opt.blocks, opt.bs);
	if (opt.nocopy && (opt.direct || opt.verify))
		die(EXIT_USAGE, "nocopy does not go together with direct or verify");
}

/* --- The devices --- */

static void measure(struct reader *r)
{
	int lbs;

	if (ioctl(r->fd, BLKGETSIZE64, &r->size) || ioctl(r->fd, BLKSSZGET, &lbs))
		die(EXIT_DEVICE, "%s: size unknown: %s", r->name, strerror(errno));
	if (opt.bs % lbs)
		die(EXIT_USAGE, "bs=%llu: not a multiple of the %d byte logical block of %s",
		    opt.bs, lbs, r->name);
	if ((opt.random ? 1 : opt.blocks) > r->size / opt.bs)
		die(EXIT_USAGE, "blocks=%llu: %s holds %llu blocks of %llu bytes", opt.blocks,
		    r->name, r->size / opt.bs, opt.bs);
}

static void open_device(struct reader *r)
{
	struct stat st;
	int raw;

	if (stat(r->name, &st))
		die(EXIT_DEVICE, "%s: %s", r->name, strerror(errno));
	raw = S_ISCHR(st.st_mode) && major(st.st_rdev) == RAW_MAJOR && minor(st.st_rdev);
	if (!S_ISBLK(st.st_mode) && !raw)
		die(EXIT_DEVICE, "%s: neither a block device nor a bound raw device", r->name);
	if (raw && opt.nocopy)
		die(EXIT_USAGE, "%s: nocopy does not work on a raw device", r->name);
	r->fd = must_open(r->name, O_RDONLY | (opt.direct && !raw ? O_DIRECT : 0), EXIT_DEVICE);
	measure(r);
}

static void __noreturn fail_read(const struct reader *r, ssize_t n, unsigned long long offset)
{
	die(EXIT_IO, "%s: read error at offset %llu: %s", r->name, offset,
	    n < 0 ? strerror(errno) : "device gone");
}

static void read_block(const struct reader *r, char *buf, unsigned long long offset)
{
	unsigned long long done = 0;
	ssize_t n;

	do {
		n = pread(r->fd, buf + done, opt.bs - done, offset + done);
		if (!n || (n < 0 && errno != EINTR))
			fail_read(r, n, offset + done);
		done += n > 0 ? n : 0;
	} while (done < opt.bs);
}

/* The pages go through the pipe by reference; a pipe takes a part of a large block at a time. */
static void splice_block(const struct reader *r, int *pipefd, int null, unsigned long long offset)
{
	unsigned long long end = offset + opt.bs;
	off_t pos = offset;
	ssize_t n, m;

	while ((unsigned long long)pos < end) {
		n = splice(r->fd, &pos, pipefd[1], NULL, end - pos, 0);
		if (n <= 0)
			fail_read(r, n, pos);
		while (n) {
			m = splice(pipefd[0], NULL, null, NULL, n, 0);
			if (m <= 0)
				die(EXIT_IO, "splice to /dev/null: %s", strerror(errno));
			n -= m;
		}
	}
}

/* The disk's number stands in its first block; no two devices may have the same. */
static void learn_disk(struct reader *r)
{
	char *buf = get_memory(opt.bs);
	struct reader *other;

	read_block(r, buf, 0);
	r->disk = stamp_disk(buf);
	check_stamps(r->name, buf, STAMP_SECTOR, r->disk, 0);
	for (other = readers; other < r; other++)
		if (other->disk == r->disk)
			die(EXIT_DATA, "%s and %s: both carry the stamps of disk %llu",
			    other->name, r->name, r->disk);
	munmap(buf, opt.bs);
}

/* Get ready, say so, wait for the start (the end of the pipe), read, leave the times. */
static void __noreturn run_reader(const struct reader *r, int ready, int start)
{
	unsigned long long state = opt.seed * 0x100 + (r - readers);
	unsigned long long i, offset = 0;
	int pipefd[2], null = -1;
	char *buf = NULL;
	char c = 0;

	if (opt.nocopy) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || pipe(pipefd))
			die(EXIT_IO, "no pipe to /dev/null: %s", strerror(errno));
		/* fewer rounds if it can be had; any size works */
		fcntl(pipefd[1], F_SETPIPE_SZ, (int)(opt.bs < PIPE_MAX ? opt.bs : PIPE_MAX));
	} else {
		/* Touched, so that no page fault falls into the time */
		buf = memset(get_memory(opt.bs), 0, opt.bs);
	}
	if (write(ready, &c, 1) != 1 || read(start, &c, 1))
		_exit(EXIT_IO);
	times[r - readers].start_ns = now_ns();
	for (i = 0; i < opt.blocks; i++) {
		if (opt.random)
			offset = next_random(&state) % (r->size / opt.bs) * opt.bs;
		if (opt.nocopy)
			splice_block(r, pipefd, null, offset);
		else
			read_block(r, buf, offset);
		if (opt.verify)
			check_stamps(r->name, buf, opt.bs, r->disk, offset);
		offset += opt.bs;
	}
	times[r - readers].end_ns = now_ns();
	_exit(0);
}

/* --- The parent --- */

/*
 * Fork the readers and return when all are ready. Closing the descriptor returned starts them.
 * However the parent ends, the kernel kills those that are left.
 */
static int fork_readers(void)
{
	int ready[2], start[2];
	pid_t parent = getpid();
	unsigned int i;
	char c;

	if (pipe(ready) || pipe(start))
		die(EXIT_IO, "no pipe: %s", strerror(errno));
	for (i = 0; i < nr_readers; i++) {
		if (must_fork(EXIT_IO))
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_IO);
		close(ready[0]);
		close(start[1]);
		run_reader(&readers[i], ready[1], start[0]);
	}
	close(ready[1]);
	close(start[0]);
	/* One that ends before its time is told of by wait_readers(). */
	for (i = 0; i < nr_readers && read(ready[0], &c, 1) == 1; i++)
		;
	close(ready[0]);
	return start[1];
}

/* All must end well; one that did not has said why. */
static void wait_readers(void)
{
	unsigned int left;
	int status;

	for (left = nr_readers; left; left--) {
		if (wait(&status) < 0)
			die(EXIT_IO, "wait: %s", strerror(errno));
		if (WIFSIGNALED(status))
			die(EXIT_IO, "a reader was killed by signal %d", WTERMSIG(status));
		if (status)
			exit(WEXITSTATUS(status));
	}
}

/* --- The result --- */

static void report(unsigned long long start_ns)
{
	unsigned long long bytes = opt.blocks * opt.bs * nr_readers;
	unsigned long long end_ns = start_ns + 1;		/* a coarse clock may stand still */
	double seconds, mb_per_s, nsec = 0;
	unsigned int i;

	for (i = 0; i < nr_readers; i++) {
		nsec += times[i].end_ns - times[i].start_ns;
		if (end_ns < times[i].end_ns)
			end_ns = times[i].end_ns;
	}
	nsec /= (double)nr_readers * nr_readers * opt.blocks;
	seconds = (end_ns - start_ns) / 1e9;
	mb_per_s = bytes / seconds / MIB;
	if (opt.json)
		printf(JSON, bytes, seconds, mb_per_s, nsec);
	else
		printf(CLOSING_LINE, bytes / MIB, seconds, mb_per_s, nsec / 1000);
	if (fflush(stdout) || ferror(stdout))
		die(EXIT_IO, "standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	unsigned long long start_ns;
	unsigned int i;
	int start;

	parse(argc, argv);
	for (i = 0; i < nr_readers; i++)
		open_device(&readers[i]);
	for (i = 0; opt.verify && i < nr_readers; i++)
		learn_disk(&readers[i]);
	times = map_memory(nr_readers * sizeof(*times), MAP_SHARED);
	start = fork_readers();
	start_ns = now_ns();
	close(start);
	wait_readers();
	report(start_ns);
	return 0;
}
