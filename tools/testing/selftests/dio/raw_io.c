// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a raw device must do, a case at a time; run by test_raw.sh
 *
 *	raw_io CASE RAWDEV BLOCKDEV [ARG...]
 *
 * RAWDEV is bound to BLOCKDEV, whose content is lost. All data is stamped: each word of the disk
 * depends on its position and on a generation, so that data from another place or time is seen.
 * What goes through RAWDEV one way is checked through BLOCKDEV, opened with O_DIRECT, and the other
 * way round. Most cases are tried with every way to send a request (enum engine) and with sizes
 * that fit one bio on the stack, one allocated bio, and many bios. What O_DIRECT on the disk does
 * in its own way from kernel to kernel, a raw device must do likewise. RAWDEV may be a block device
 * itself: it is then opened with O_DIRECT, for comparison.
 *
 * Exit status: 0 passed, 1 failed, 2 wrong usage, 4 skipped; one line on stderr says why.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "claim.h"
#include "raw_ioctl.h"
#include "raw_io.h"

enum { EXIT_USAGE = 2, EXIT_SKIP = 4 };

const char * const engine_names[NR_ENGINES] = {
	"pread/pwrite", "readv/writev", "aio", "io_uring",
};

const char *raw_name, *blk_name;
char **case_args;
int raw_fd = -1, blk_fd = -1, claim_fd = -1;	/* blk_fd with O_DIRECT */
__u64 disk_size;
unsigned int block;		/* logical block size */
unsigned int mem_align;		/* what the disk demands of memory addresses */

/* What is being tried, for the line that says what went wrong. */
static char context[160];

void trying(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
}

void die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s%s", context, *context ? ": " : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_SKIP);
}

/* @result is a count, or a negative error number. */
void expect(long result, long wanted, const char *what)
{
	if (result != wanted)
		die("%s gave %s, not %s", what, result_name(result), result_name(wanted));
}

/*
 * Stamped data
 */

__u64 stamp(__u64 pos, unsigned int gen)
{
	return (pos / 8 + 1) * 0x9e3779b97f4a7c15ULL ^ (gen + 1) * 0xff51afd7ed558ccdULL;
}

void fill(void *buf, size_t len, __u64 pos, unsigned int gen)
{
	__u64 word;
	size_t i;

	for (i = 0; i < len; i += 8) {
		word = stamp(pos + i, gen);
		memcpy((char *)buf + i, &word, 8);
	}
}

void check(const void *buf, size_t len, __u64 pos, unsigned int gen, const char *what)
{
	__u64 word, found;
	size_t i;

	for (i = 0; i < len; i += 8) {
		word = stamp(pos + i, gen);
		memcpy(&found, (const char *)buf + i, 8);
		if (found != word)
			die("%s: wrong data at byte %zu of %zu (disk position %llu)", what, i, len,
			    (unsigned long long)(pos + i));
	}
}

void check_bytes(const unsigned char *buf, size_t len, int byte, const char *what)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != byte)
			die("%s: byte %zu of %zu was overwritten", what, i, len);
}

/* Memory in small pages, not in physical order as far as that can be had from user space. */
void *get_memory(size_t len)
{
	size_t pages = (len + PAGE - 1) / PAGE, i;
	char *mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (mem == MAP_FAILED)
		die("no memory");
	madvise(mem, pages * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i += 2)
		mem[(pages - 1 - i) * PAGE] = 1;
	memset(mem, 0, pages * PAGE);
	return mem;
}

/* Not unmapped: somebody else's memory would soon be there. */
void make_hole(void *page)
{
	/* A page that once was there user-mode Linux goes on to read through PROT_NONE. */
	if (mmap(page, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		die("mmap: %s", strerror(errno));
}

pid_t fork_child(void)
{
	pid_t child = fork();

	if (child < 0)
		die("fork: %s", strerror(errno));
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(TIME_LIMIT);
	}
	return child;
}

void child_done(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		exit(EXIT_FAILURE);	/* it has said why */
}

void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The disk itself, not through the raw device. */
void disk_io(int write, void *buf, size_t len, __u64 pos)
{
	ssize_t ret = write ? pwrite(blk_fd, buf, len, pos) : pread(blk_fd, buf, len, pos);

	if (ret != (ssize_t)len)
		die("%s of %zu bytes at %llu on %s gave %s", write ? "write" : "read", len,
		    (unsigned long long)pos, blk_name, result_name(sys_result(ret)));
}

static void *disk_buffer(size_t len)
{
	static void *buf;
	static size_t size;

	if (size < len) {
		if (buf)
			munmap(buf, size);
		buf = get_memory(len);
		size = len;
	}
	return buf;
}

void disk_fill(__u64 pos, size_t len, unsigned int gen)
{
	void *buf = disk_buffer(len);

	if (!len)
		return;
	fill(buf, len, pos, gen);
	disk_io(1, buf, len, pos);
}

void disk_check(__u64 pos, size_t len, unsigned int gen, const char *what)
{
	void *buf = disk_buffer(len);

	if (!len)
		return;
	disk_io(0, buf, len, pos);
	check(buf, len, pos, gen, what);
}

long aio_one(struct iocb *cb)
{
	static aio_context_t ctx;
	struct io_event event;

	if (!ctx)
		ctx = aio_setup(1);
	aio_submit(ctx, &cb, 1);
	aio_reap(ctx, &event, 1, 1, NULL);
	return event.res;
}

long ring_one(int op, void *addr, unsigned int len, __u64 pos)
{
	static struct ring ring = { .fd = -1 };

	if (ring.fd < 0)
		ring_setup(&ring, 1, 0);
	ring_queue(&ring, raw_fd, op, addr, len, pos, 0);
	ring_enter(&ring, 1);
	return ring_reap(&ring, NULL);
}

/*
 * One request through the raw device: bytes moved, or a negative error number
 */

/* Four pieces of whole blocks, one of them empty, so that pages are shared between pieces. */
static int split(struct iovec *iov, char *buf, size_t len)
{
	size_t unit = block > len ? len : block, first = len / 3 / unit * unit;
	size_t second = (len - first) / 2 / unit * unit;

	iov[0] = (struct iovec) { buf, first };
	iov[1] = (struct iovec) { buf + first, 0 };
	iov[2] = (struct iovec) { buf + first, second };
	iov[3] = (struct iovec) { buf + first + second, len - first - second };
	return 4;
}

long rw(enum engine engine, int write, void *buf, size_t len, __u64 pos)
{
	struct iovec iov[4];
	struct iocb cb;

	switch (engine) {
	case VECTOR:
		split(iov, buf, len);
		return sys_result(write ? pwritev(raw_fd, iov, 4, pos) :
					  preadv(raw_fd, iov, 4, pos));
	case AIO:
		aio_prepare(&cb, raw_fd, write, buf, len, pos);
		return aio_one(&cb);
	case URING:
		return ring_one(write ? IORING_OP_WRITE : IORING_OP_READ, buf, len, pos);
	default:
		return sys_result(write ? pwrite(raw_fd, buf, len, pos) :
					  pread(raw_fd, buf, len, pos));
	}
}

long disk_rw(enum engine engine, int write, void *buf, size_t len, __u64 pos)
{
	int fd = raw_fd;
	long ret;

	raw_fd = blk_fd;
	ret = rw(engine, write, buf, len, pos);
	raw_fd = fd;
	return ret;
}

const char *rw_name(int write)
{
	return write ? "write" : "read";
}

/* An engine that this kernel lacks is left out; the cases "aio" and "uring" say so. */
int engine_there(enum engine engine)
{
	static int there[NR_ENGINES] = { [SYNC] = 1, [VECTOR] = 1 };
	struct io_uring_params p = { 0 };
	aio_context_t ctx = 0;
	int fd;

	if (there[engine])
		return there[engine] > 0;

	if (engine == AIO) {
		there[AIO] = syscall(SYS_io_setup, 1, &ctx) ? -1 : 1;
		if (ctx)
			syscall(SYS_io_destroy, ctx);
	} else {
		fd = syscall(SYS_io_uring_setup, 1, &p);
		there[URING] = fd < 0 ? -1 : 1;
		if (fd >= 0)
			close(fd);
	}
	return there[engine] > 0;
}

enum engine next_engine(enum engine e)
{
	do {
		e++;
	} while (e < NR_ENGINES && !engine_there(e));
	return e;
}

const size_t sizes[NR_SIZES] = { 4 * KIB, 16 * PAGE, 17 * PAGE, 1 * MIB, MAX_IO };

int open_node(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		die("cannot open %s: %s", name, strerror(errno));
	return fd;
}

int open_raw(int flags)
{
	struct stat st;

	if (!stat(raw_name, &st) && S_ISBLK(st.st_mode))
		flags |= O_DIRECT;
	return open(raw_name, flags);
}

/* A number from the queue's directory in /sys, or @missing. */
unsigned long queue_attr(const char *name, unsigned long missing)
{
	unsigned long value = missing;
	char path[128];
	struct stat st;
	FILE *file;

	if (fstat(blk_fd, &st))
		die("%s: %s", blk_name, strerror(errno));
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s", major(st.st_rdev),
		 minor(st.st_rdev), name);
	file = fopen(path, "r");
	if (!file)
		return missing;
	if (fscanf(file, "%lu", &value) != 1)
		value = missing;
	fclose(file);
	return value;
}

static const struct raw_case * const subjects[] = {
	data_cases, limits_cases, many_cases, cache_cases, memory_cases, file_cases, disk_cases,
	ctl_cases,
};

static const struct raw_case *find_case(const char *name)
{
	const struct raw_case *c;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		for (c = subjects[i]; c->name; c++)
			if (!strcmp(c->name, name))
				return c;
	return NULL;
}

static int nr_args(const struct raw_case *c)
{
	const char *at = c->args;
	int n = !!at;

	while (at && (at = strchr(at, ' '))) {
		at++;
		n++;
	}
	return n;
}

static void help(void)
{
	const struct raw_case *c;
	unsigned int i;

	puts("usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]   (BLOCKDEV's content is lost)");
	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		for (c = subjects[i]; c->name; c++)
			printf("  %s %s\n", c->name, c->args ? c->args : "");
	puts("Exit: 0 passed, 1 failed, 2 usage, 4 skipped.");
	exit(fflush(stdout) ? EXIT_FAILURE : 0);
}

/*
 * While a case runs nobody else may mount the disk or hold it, by whatever path. An open raw device
 * is a claim, which all raw devices share; claim_fd keeps it when a case closes raw_fd. With rawctl
 * nothing is claimed: the case that writes claims its disks itself.
 */
static void claim_disk(void)
{
	char why[PATH_MAX];
	struct stat raw, blk;

	if (fstat(raw_fd, &raw) || fstat(blk_fd, &blk))
		die("fstat: %s", strerror(errno));
	if (S_ISCHR(raw.st_mode) && !minor(raw.st_rdev))
		return;
	if (blk.st_rdev != (S_ISBLK(raw.st_mode) ? raw.st_rdev : raw_bound_to(minor(raw.st_rdev))))
		die("%s does not lead to %s", raw_name, blk_name);
	if (S_ISCHR(raw.st_mode) && !claim_other_paths(blk.st_rdev, blk_name, why, sizeof(why)))
		claim_fd = dup(raw_fd);
	else if (S_ISBLK(raw.st_mode))
		claim_fd = claim(blk_name, O_RDONLY, why, sizeof(why));
	if (claim_fd < 0)
		die("%s", why);
}

static void open_devices(void)
{
	raw_fd = open_raw(O_RDWR);
	if (raw_fd < 0)
		die("cannot open %s: %s", raw_name, strerror(errno));
	blk_fd = open_node(blk_name, O_RDWR | O_DIRECT);
	if (ioctl(blk_fd, BLKGETSIZE64, &disk_size) || ioctl(blk_fd, BLKSSZGET, &block))
		die("%s is not a block device", blk_name);
	if (disk_size < 2 * MAX_IO)
		skip("%s is smaller than %lu bytes", blk_name, 2 * MAX_IO);
	mem_align = queue_attr("dma_alignment", 511) + 1;
	claim_disk();
}

int main(int argc, char **argv)
{
	const struct raw_case *c;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		help();
	c = argc >= 4 ? find_case(argv[1]) : NULL;
	if (!c || argc != 4 + nr_args(c)) {
		fputs("usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]; -h names the cases\n", stderr);
		return EXIT_USAGE;
	}
	raw_name = argv[2];
	blk_name = argv[3];
	open_devices();
	alarm(TIME_LIMIT);
	case_args = argv + 4;
	c->run();
	return 0;
}
