// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a raw device must do, a case at a time; run by test_raw.sh
 *
 *	raw_io CASE RAWDEV BLOCKDEV [ARG...]
 *
 * RAWDEV is bound to BLOCKDEV, whose content is lost. What O_DIRECT on the disk does, a raw device
 * must do likewise: requests are tried on both, and compared, where it says so with every way to
 * send one (enum way) and with sizes that fit one bio on the stack, one allocated bio, and many
 * bios. RAWDEV may be a block device itself: it is then opened with O_DIRECT.
 *
 * What is not here: random requests and bad memory (dio_ops), many at once (test_raw.fio), pins and
 * fork (dio_pin), mapped files (dio_race), owners and access as a shell sees them (test_raw.sh).
 *
 * Exit status: 0 passed, 1 failed, 2 wrong usage, 4 skipped; one line on stderr says why.
 */
#include "raw_io.h"
#include <sys/prctl.h>

const char * const way_names[NR_WAYS] = { "pread/pwrite", "readv/writev", "aio", "io_uring" };
const size_t sizes[NR_SIZES] = { 4 * KIB, 16 * PAGE, 17 * PAGE, 1 * MIB, MAX_IO };
const char *raw_name, *blk_name;
char **case_args;
int raw_fd = -1, blk_fd = -1, claim_fd = -1;
__u64 disk_size;
unsigned int block, mem_align;

/* What is being tried, for the line that says what went wrong. */
static char context[160];

void trying(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
}

void fail(const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die(EXIT_FAILURE, "%s%s%s", context, *context ? ": " : "", text);
}

void expect(long result, long wanted, const char *what)
{
	if (result != wanted)
		fail("%s gave %s, not %s", what, result_name(result), result_name(wanted));
}

void check(const char *buf, size_t len, __u64 pos, unsigned int gen, const char *what)
{
	const char *why = wrong_stamps(buf, len, gen, pos);

	if (why)
		fail("%s: %s", what, why);
}

pid_t fork_child(void)
{
	pid_t child = fork();

	if (child < 0)
		fail("fork: %s", strerror(errno));
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

const char *rw_name(int write)
{
	return write ? "write" : "read";
}

void disk_io(int write, void *buf, size_t len, __u64 pos)
{
	ssize_t ret = write ? pwrite(blk_fd, buf, len, pos) : pread(blk_fd, buf, len, pos);

	if (ret != (ssize_t)len)
		fail("%s of %zu bytes at %llu on %s gave %s", rw_name(write), len,
		     (unsigned long long)pos, blk_name, result_name(sys_result(ret)));
}

/* Of MAX_IO and what a request may have on both sides */
static void *disk_buffer(size_t len)
{
	static const size_t most = 2 * MAX_IO;
	static void *buf;

	if (len > most)
		fail("%zu bytes are too many", len);
	if (!buf)
		buf = load_memory(most, 0);
	return buf;
}

void disk_fill(__u64 pos, size_t len, unsigned int gen)
{
	char *buf = disk_buffer(len);

	fill_stamps(buf, len, gen, pos);
	if (len)
		disk_io(1, buf, len, pos);
}

void disk_check(__u64 pos, size_t len, unsigned int gen, const char *what)
{
	char *buf = disk_buffer(len);

	if (len)
		disk_io(0, buf, len, pos);
	check(buf, len, pos, gen, what);
}

/* Four pieces of whole blocks, one of them empty, so that pages are shared between pieces. */
static long rw_vector(int fd, int write, char *buf, size_t len, __u64 pos)
{
	size_t unit = block > len ? len : block, first = unit ? len / 3 / unit * unit : 0;
	size_t second = unit ? (len - first) / 2 / unit * unit : 0;
	struct iovec iov[4] = {
		{ buf, first }, { buf + first, 0 }, { buf + first, second },
		{ buf + first + second, len - first - second },
	};

	return sys_result(write ? pwritev(fd, iov, 4, pos) : preadv(fd, iov, 4, pos));
}

long rw_file(int fd, enum way way, int write, void *buf, size_t len, __u64 pos)
{
	static struct ring ring;

	switch (way) {
	case VECTOR:
		return rw_vector(fd, write, buf, len, pos);
	case AIO:
		return aio_once(fd, write, buf, len, pos);
	case URING:
		if (!ring.sqes)
			ring_setup(&ring, 1, 0);
		return ring_once(&ring, fd, write ? IORING_OP_WRITE : IORING_OP_READ, buf, len,
				 pos);
	default:
		return sys_result(write ? pwrite(fd, buf, len, pos) : pread(fd, buf, len, pos));
	}
}

long rw(enum way way, int write, void *buf, size_t len, __u64 pos)
{
	return rw_file(raw_fd, way, write, buf, len, pos);
}

int open_node(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		fail("cannot open %s: %s", name, strerror(errno));
	return fd;
}

int open_raw(int flags)
{
	struct stat st;

	if (!stat(raw_name, &st) && S_ISBLK(st.st_mode))
		flags |= O_DIRECT;
	return open(raw_name, flags);
}

static const struct raw_case * const subjects[] = { io_cases, ctl_cases };

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
		fail("fstat: %s", strerror(errno));
	if (S_ISCHR(raw.st_mode) && !minor(raw.st_rdev))
		return;
	if (blk.st_rdev != (S_ISBLK(raw.st_mode) ? raw.st_rdev : raw_bound_to(minor(raw.st_rdev))))
		fail("%s does not lead to %s", raw_name, blk_name);
	if (S_ISCHR(raw.st_mode) && !claim_other_paths(blk.st_rdev, blk_name, why, sizeof(why)))
		claim_fd = dup(raw_fd);
	else if (S_ISBLK(raw.st_mode))
		claim_fd = claim(blk_name, O_RDONLY, why, sizeof(why));
	if (claim_fd < 0)
		fail("%s", why);
}

/* What a kernel that does not say demands: a sector */
static unsigned int memory_alignment(void)
{
	unsigned int mask = 511;
	char path[128];
	struct stat st;
	FILE *file;

	if (fstat(blk_fd, &st))
		fail("%s: %s", blk_name, strerror(errno));
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/dma_alignment", major(st.st_rdev),
		 minor(st.st_rdev));
	file = fopen(path, "r");
	if (file && fscanf(file, "%u", &mask) != 1)
		fail("%s has no number", path);
	if (file)
		fclose(file);
	return mask + 1;
}

static void open_devices(void)
{
	raw_fd = open_raw(O_RDWR);
	if (raw_fd < 0)
		fail("cannot open %s: %s", raw_name, strerror(errno));
	blk_fd = open_node(blk_name, O_RDWR | O_DIRECT);
	if (ioctl(blk_fd, BLKGETSIZE64, &disk_size) || ioctl(blk_fd, BLKSSZGET, &block))
		fail("%s is not a block device", blk_name);
	if (disk_size < 2 * MAX_IO)
		die(EXIT_SKIP, "%s is smaller than %lu bytes", blk_name, 2 * MAX_IO);
	mem_align = memory_alignment();
	claim_disk();
}

int main(int argc, char **argv)
{
	const struct raw_case *c;

	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		help();
	c = argc >= 4 ? find_case(argv[1]) : NULL;
	if (!c || (c->args && argc < 5))
		die(EXIT_USAGE, "usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]; -h names the cases");
	raw_name = argv[2];
	blk_name = argv[3];
	open_devices();
	alarm(TIME_LIMIT);
	case_args = argv + 4;
	c->run();
	return 0;
}
