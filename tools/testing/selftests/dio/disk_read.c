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
 * A failure is one line on stderr. The first device that fails decides, the others are stopped.
 * Exit status: 0 all was read, and right if verified; 2 usage; 3 no such device, or it cannot be
 * opened; 4 read error, device gone, or no splice (before 2.6.17); 5 wrong data; 128 + N stopped by
 * signal N. But for nocopy it needs no system call that Linux 2.4 did not have.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "raw_ioctl.h"
#include "stamp.h"

#define MIB		1048576ULL
#define BS_MAX		(1024 * MIB)	/* one read(2) takes no 2 GiB */
#define PIPE_MAX	MIB		/* as large as anybody may make a pipe */

#define CLOSING_LINE	"Completed reading %llu mbytes in %.3f seconds (%.2f Mbytes/sec), %.0f usec mean\n"

#define PROGRAM		"disk_read"
#include "words.h"
#include "load.h"

struct reader {
	const char *name;
	int fd;
	pid_t pid;
	int raw;
	unsigned long long size;		/* of the device, in bytes */
	unsigned long long disk;		/* its number, if verified */
};

/* What the readers leave for the parent, in shared memory */
struct result {
	unsigned long long start_ns;
	unsigned long long end_ns;
	char error[PIPE_BUF];
};

struct shared {
	int first;		/* the reader that failed first, counted from 1 */
	struct result result[];
};

static struct {
	unsigned long long blocks;
	unsigned long long bs;
	unsigned long long seed;
	int direct;
	int nocopy;
	int verify;
	int random;
	int json;
} opt;

static struct reader *readers;
static unsigned int nr_readers;
static struct shared *shared;
static int stopped_by;	/* a signal */

static void stop_readers(void)
{
	unsigned int i;

	for (i = 0; i < nr_readers; i++)
		if (readers[i].pid > 0)
			kill(readers[i].pid, SIGKILL);
}

/* --- The command line --- */

static const char usage[] =
	"usage: disk_read blocks=N bs=N [direct|nocopy] [verify] [random] [seed=N] [--json]\n"
	"                 DEVICE...\n"
	"  blocks=N  reads from each device         bs=N    bytes a read (k, m, g: 1024-based)\n"
	"  direct    O_DIRECT                       nocopy  splice, no copy to user memory\n"
	"  verify    check the stamps (disk_stamp)  random  at random, the same for the same seed\n"
	"  --json    an object for the closing line\n"
	"A DEVICE is a block device or /dev/raw/rawN, named with a slash.\n"
	"Exit: 0 fine, 2 usage, 3 cannot open, 4 read error or device gone, 5 wrong data,\n"
	"128+N stopped by signal N.";

static const struct word words[] = {
	{ .name = "blocks=", .number = &opt.blocks }, { .name = "bs=", .number = &opt.bs },
	{ .name = "seed=", .number = &opt.seed },
	{ .name = "direct", .flag = &opt.direct, .value = 1 },
	{ .name = "nocopy", .flag = &opt.nocopy, .value = 1 },
	{ .name = "verify", .flag = &opt.verify, .value = 1 },
	{ .name = "random", .flag = &opt.random, .value = 1 },
	{ .name = "--json", .flag = &opt.json, .value = 1 },
	{ .name = NULL }
};

static void parse(int argc, char **argv)
{
	const char **names = calloc(argc, sizeof(*names));

	readers = calloc(argc, sizeof(*readers));
	if (!names || !readers)
		die(EXIT_IO, "no memory");
	parse_words(argc, argv, usage, words, names, argc);
	for (; names[nr_readers]; nr_readers++)
		readers[nr_readers].name = names[nr_readers];
	free(names);
	if (!opt.blocks || !opt.bs)
		die(EXIT_USAGE, "%s= is missing, or zero", opt.blocks ? "bs" : "blocks");
	if (opt.bs > BS_MAX)
		die(EXIT_USAGE, "bs=%llu: more than 1g", opt.bs);
	if (opt.blocks > LLONG_MAX / opt.bs)
		die(EXIT_USAGE, "blocks=%llu: too many", opt.blocks);
	if (opt.nocopy && opt.direct)
		die(EXIT_USAGE, "nocopy and direct do not go together");
	if (opt.nocopy && opt.verify)
		die(EXIT_USAGE, "nocopy and verify do not go together: no data to look at");
	if (!nr_readers)
		die(EXIT_USAGE, "no device named");
}

/* --- The devices --- */

/* Size and logical block of what is open; Linux before 2.4.18 has the size in sectors only. */
static void measure(struct reader *r)
{
	unsigned long sectors;
	int lbs;

	if (ioctl(r->fd, BLKGETSIZE64, &r->size)) {
		if (ioctl(r->fd, BLKGETSIZE, &sectors))
			die(EXIT_DEVICE, "%s: size unknown: %s", r->name, strerror(errno));
		r->size = (unsigned long long)sectors * 512;
	}
	if (ioctl(r->fd, BLKSSZGET, &lbs))
		die(EXIT_DEVICE, "%s: logical block size unknown: %s", r->name, strerror(errno));
	if (opt.bs % lbs)
		die(EXIT_USAGE, "bs=%llu: not a multiple of the %d byte logical block of %s",
		    opt.bs, lbs, r->name);
	if ((opt.random ? 1 : opt.blocks) > r->size / opt.bs)
		die(EXIT_USAGE, "blocks=%llu: %s holds %llu blocks of %llu bytes",
		    opt.blocks, r->name, r->size / opt.bs, opt.bs);
}

static void open_device(struct reader *r)
{
	int flags = O_RDONLY;
	struct stat st;

	if (stat(r->name, &st))
		die(EXIT_DEVICE, "%s: %s", r->name, strerror(errno));
	r->raw = S_ISCHR(st.st_mode) && major(st.st_rdev) == RAW_MAJOR && minor(st.st_rdev);
	if (!S_ISBLK(st.st_mode) && !r->raw)
		die(EXIT_DEVICE, "%s: neither a block device nor a bound raw device", r->name);
	if (r->raw && opt.nocopy)
		die(EXIT_USAGE, "%s: nocopy does not work on a raw device", r->name);
	if (r->raw != readers[0].raw)
		die(EXIT_USAGE, "%s and %s: raw and block devices in one run", readers[0].name,
		    r->name);
	if (opt.direct && !r->raw)
		flags |= O_DIRECT;
	r->fd = open(r->name, flags);
	if (r->fd < 0)
		die(EXIT_DEVICE, "%s: cannot be opened: %s", r->name, strerror(errno));
	measure(r);
}

/* Zeroed and touched, so that no page fault falls into the time; shared with children if asked. */
static void *touched_memory(unsigned long long size, int flags)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? NULL : memset(mem, 0, size);
}

/* The disk's number stands in its first block; no two devices may have the same. */
static void learn_disk(struct reader *r)
{
	void *buf = touched_memory(opt.bs, MAP_PRIVATE);
	struct reader *other;
	const char *why;
	ssize_t n;

	if (!buf)
		die(EXIT_IO, "no memory for %llu bytes", opt.bs);
	n = pread(r->fd, buf, opt.bs, 0);
	if (n != (ssize_t)opt.bs)
		die(EXIT_IO, "%s: read error at offset 0: %s", r->name,
		    n < 0 ? strerror(errno) : "device gone");
	r->disk = stamp_disk(buf);
	why = wrong_stamps(buf, STAMP_SECTOR, r->disk, 0);
	if (why)
		die(EXIT_DATA, "%s: %s", r->name, why);
	for (other = readers; other < r; other++)
		if (other->disk == r->disk)
			die(EXIT_DATA, "%s and %s: both carry the stamps of disk %llu",
			    other->name, r->name, r->disk);
	munmap(buf, opt.bs);
}

/* --- A reader --- */

/* A reader fails: leave word, be the first if none was, and end. */
static void __noreturn __printf(3, 4) fail(struct reader *r, int status, const char *fmt, ...)
{
	struct result *res = &shared->result[r - readers];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(res->error, sizeof(res->error), fmt, ap);
	va_end(ap);
	__sync_bool_compare_and_swap(&shared->first, 0, r - readers + 1);
	_exit(status);
}

static void __noreturn fail_read(struct reader *r, ssize_t n, unsigned long long offset)
{
	if (n)
		fail(r, EXIT_IO, "read error at offset %llu: %s", offset, strerror(errno));
	fail(r, EXIT_IO, "device gone, data ends at offset %llu", offset);
}

/* A read came back short or not at all: get the rest, unless it cannot be had. */
static void read_rest(struct reader *r, char *buf, unsigned long long offset, ssize_t n)
{
	unsigned long long done = 0;

	for (;;) {
		if (n > 0)
			done += n;
		else if (!n || errno != EINTR)
			fail_read(r, n, offset + done);
		if (done == opt.bs)
			return;
		n = pread(r->fd, buf + done, opt.bs - done, offset + done);
	}
}

static void read_block(struct reader *r, char *buf, unsigned long long offset)
{
	ssize_t n = pread(r->fd, buf, opt.bs, offset);

	if (n != (ssize_t)opt.bs)
		read_rest(r, buf, offset, n);
}

/* The pages go through the pipe by reference; a pipe takes a part of a large block at a time. */
static void splice_block(struct reader *r, int *pipefd, int null, unsigned long long offset)
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
				fail(r, EXIT_IO, "splice to /dev/null: %s", strerror(errno));
			n -= m;
		}
	}
}

static void verify_block(struct reader *r, const char *buf, unsigned long long offset)
{
	const char *why = wrong_stamps(buf, opt.bs, r->disk, offset);

	if (why)
		fail(r, EXIT_DATA, "%s", why);
}

static void read_device(struct reader *r, char *buf, int *pipefd, int null)
{
	unsigned long long state = opt.seed * 0x100 + (r - readers);
	unsigned long long held = r->size / opt.bs;
	unsigned long long offset = 0;
	unsigned long long i;

	for (i = 0; i < opt.blocks; i++) {
		if (opt.random)
			offset = next_random(&state) % held * opt.bs;
		if (opt.nocopy)
			splice_block(r, pipefd, null, offset);
		else
			read_block(r, buf, offset);
		if (opt.verify)
			verify_block(r, buf, offset);
		offset += opt.bs;
	}
}

/* Get ready, say so, wait for the start (the end of the pipe), read, leave the times. */
static void __noreturn run_reader(struct reader *r, int ready, int start)
{
	struct result *res = &shared->result[r - readers];
	int pipefd[2] = { -1, -1 };
	char *buf = NULL;
	int null = -1;
	char c = 0;

	if (opt.nocopy) {
		null = open("/dev/null", O_WRONLY);
		if (null < 0 || pipe(pipefd))
			fail(r, EXIT_IO, "no pipe to /dev/null: %s", strerror(errno));
		/* fewer rounds if it can be had; any size works */
		fcntl(pipefd[1], F_SETPIPE_SZ, (int)(opt.bs < PIPE_MAX ? opt.bs : PIPE_MAX));
	} else {
		buf = touched_memory(opt.bs, MAP_PRIVATE);
		if (!buf)
			fail(r, EXIT_IO, "no memory for %llu bytes", opt.bs);
	}
	if (write(ready, &c, 1) != 1)
		_exit(EXIT_IO);
	close(ready);
	if (read(start, &c, 1))
		_exit(EXIT_IO);
	res->start_ns = now_ns();
	read_device(r, buf, pipefd, null);
	res->end_ns = now_ns();
	_exit(0);
}

/* --- The parent --- */

static void on_signal(int sig)
{
	__atomic_store_n(&stopped_by, sig, __ATOMIC_SEQ_CST);
	stop_readers();
}

static void catch_signals(void (*handler)(int))
{
	struct sigaction sa = { .sa_handler = handler };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

static void check_stopped(void)
{
	int sig = __atomic_load_n(&stopped_by, __ATOMIC_SEQ_CST);

	if (sig)
		die(128 + sig, "stopped by signal %d", sig);
}

/* Fork the readers and return when all are ready. Closing the descriptor returned starts them. */
static int fork_readers(void)
{
	int ready[2], start[2];
	unsigned int i;
	char c;

	if (pipe(ready) || pipe(start))
		die(EXIT_IO, "no pipe: %s", strerror(errno));
	for (i = 0; i < nr_readers; i++) {
		readers[i].pid = fork();
		if (readers[i].pid < 0)
			die(EXIT_IO, "no process for %s: %s", readers[i].name, strerror(errno));
		if (!readers[i].pid) {
			catch_signals(SIG_DFL);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			nr_readers = 0;		/* its brothers are not its to stop */
			close(ready[0]);
			close(start[1]);
			run_reader(&readers[i], ready[1], start[0]);
		}
	}
	close(ready[1]);
	close(start[0]);
	for (i = 0; i < nr_readers; i++) {
		if (read(ready[0], &c, 1) == 1)
			continue;
		check_stopped();
		break;	/* a reader ended before its time; wait_readers says why */
	}
	close(ready[0]);
	check_stopped();
	return start[1];
}

static unsigned int reader_of(pid_t pid)
{
	unsigned int i = 0;

	while (i < nr_readers && readers[i].pid != pid)
		i++;
	return i;
}

/* All must end well; the first that did not is the one to name. */
static void wait_readers(void)
{
	unsigned int left = nr_readers, i;
	int status;
	pid_t pid;

	while (left) {
		pid = wait(&status);
		check_stopped();
		if (pid < 0)
			die(EXIT_IO, "wait: %s", strerror(errno));
		i = reader_of(pid);
		if (i == nr_readers)
			continue;
		readers[i].pid = 0;
		left--;
		if (WIFSIGNALED(status))
			die(EXIT_IO, "%s: its reader was killed by signal %d", readers[i].name,
			    WTERMSIG(status));
		if (WEXITSTATUS(status) && !shared->first)
			die(EXIT_IO, "%s: its reader did not start", readers[i].name);
		if (WEXITSTATUS(status)) {
			i = shared->first - 1;
			die(WEXITSTATUS(status), "%s: %s", readers[i].name,
			    shared->result[i].error);
		}
	}
}

/* --- The result --- */

static const char *mode_name(void)
{
	if (readers[0].raw)
		return "raw";
	if (opt.direct)
		return "direct";
	return opt.nocopy ? "nocopy" : "buffered";
}

static void print_json(unsigned long long bytes, double seconds, double mb_per_s, double nsec)
{
	printf("{\"mode\": \"%s\", \"blocks\": %llu, \"bs\": %llu, \"devices\": %u, ", mode_name(),
	       opt.blocks, opt.bs, nr_readers);
	printf("\"bytes\": %llu, \"seconds\": %.9f, \"mb_per_s\": %.3f, ", bytes, seconds,
	       mb_per_s);
	printf("\"nsec_per_block\": %.3f, \"verify\": %s}\n", nsec, opt.verify ? "true" : "false");
}

static void report(unsigned long long start_ns)
{
	unsigned long long bytes = opt.blocks * opt.bs * nr_readers;
	unsigned long long end_ns = start_ns + 1;		/* a coarse clock may stand still */
	double seconds, mb_per_s, nsec = 0;
	unsigned int i;

	for (i = 0; i < nr_readers; i++) {
		nsec += shared->result[i].end_ns - shared->result[i].start_ns;
		if (end_ns < shared->result[i].end_ns)
			end_ns = shared->result[i].end_ns;
	}
	nsec /= (double)nr_readers * nr_readers * opt.blocks;
	seconds = (end_ns - start_ns) / 1e9;
	mb_per_s = bytes / seconds / MIB;
	if (opt.json)
		print_json(bytes, seconds, mb_per_s, nsec);
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
	atexit(stop_readers);
	if (opt.nocopy && splice(-1, NULL, -1, NULL, 1, 0) && errno != EBADF)
		die(EXIT_IO, "nocopy: this kernel has no splice");
	for (i = 0; i < nr_readers; i++)
		open_device(&readers[i]);
	for (i = 0; opt.verify && i < nr_readers; i++)
		learn_disk(&readers[i]);
	shared = touched_memory(sizeof(*shared) + nr_readers * sizeof(struct result), MAP_SHARED);
	if (!shared)
		die(EXIT_IO, "no memory for %u readers", nr_readers);
	catch_signals(on_signal);
	start = fork_readers();
	start_ns = now_ns();
	close(start);
	wait_readers();
	report(start_ns);
	return 0;
}
