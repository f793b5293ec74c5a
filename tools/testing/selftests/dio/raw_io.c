// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a raw device must do, a case at a time; run by test_raw.sh
 *
 *	raw_io CASE RAWDEV BLOCKDEV [ARG...]
 *
 * RAWDEV is bound to BLOCKDEV, whose content is lost. For the cases of bindings RAWDEV is
 * /dev/raw/rawctl, and the first ARG a minor number to play with.
 *
 * What is not here: random requests and bad memory (dio_ops), many at once (test_raw.fio), pins and
 * fork (dio_pin), and what a shell can see (test_raw.sh).
 *
 * Exit status: 0 passed, 1 failed, 2 wrong usage, 4 skipped; one line on stderr says why.
 */
#include <fcntl.h>
#include <sched.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "words.h"

enum { EXIT_SKIP = 4 };

/* What is being tried, which the line that says what went wrong begins with */
static char context[160];

#define trying(...)	snprintf(context, sizeof(context), __VA_ARGS__)
#define fail(fmt, ...)	die(EXIT_FAILURE, "%s%s" fmt, context, *context ? ": " : "", ##__VA_ARGS__)
#define async_die	fail
#include "async.h"
#include "load.h"
#include "raw_ioctl.h"
#include "stamp.h"

#define KIB		1024UL
#define MIB		(1024 * KIB)
#define MAX_IO		(3 * MIB + 4 * KIB)
#define TIME_LIMIT	300	/* seconds a case may take: far more than any needs */

static const char *raw_name, *blk_name;
static char **case_args;
static int raw_fd, blk_fd;		/* blk_fd with O_DIRECT */
static __u64 disk_size;
static unsigned int block;		/* logical block size */

/* @result is a count, or a negative error number. */
static void expect(long result, long wanted, const char *what)
{
	if (result != wanted)
		fail("%s gave %s, not %s", what, result_name(result), result_name(wanted));
}

#define expect_call(call, wanted, what)	expect(sys_result(call), wanted, what)

/* --- Requests --- */

enum way { SYNC, AIO, URING, NR_WAYS };

static long rw(enum way way, int fd, int write, void *buf, size_t len, __u64 pos)
{
	static struct ring ring;

	if (way == AIO)
		return aio_once(fd, write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD, buf, len, pos);
	if (way == SYNC)
		return sys_result(write ? pwrite(fd, buf, len, pos) : pread(fd, buf, len, pos));
	if (!ring.sqes)
		ring_setup(&ring, 1, 0);
	return ring_once(&ring, fd, write ? IORING_OP_WRITE : IORING_OP_READ, buf, len, pos);
}

/*
 * What a request gives on the disk with O_DIRECT it gives on the raw device: in the disk, across
 * its end and behind, and where memory, place or length do not fit. Sizes fit one bio on the stack,
 * one allocated bio, and many bios. dio_ops looks at the data.
 */
static void case_same(void)
{
	static const size_t sizes[] = { 4 * KIB, 16 * PAGE, 17 * PAGE, 1 * MIB, MAX_IO };
	char *mem = load_memory(MAX_IO + PAGE, 0);
	unsigned int way, i, k, write;
	long on_disk;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t len = sizes[i];
		const struct { size_t offset, len; __u64 pos; } requests[] = {
			{ 0, len, 5 * block }, { 0, 0, 5 * block }, { 0, len, disk_size - len },
			{ 0, len, disk_size - block }, { 0, 0, disk_size }, { 0, len, disk_size },
			{ 0, len, disk_size + 8 * block }, { 0, len, 1ULL << 62 },
			{ 512, len, block }, { 4, len, block }, { 1, len, block },
			{ PAGE - 4, len, block }, { 0, len, block + 1 },
			{ 0, len, 3 * block / 2 }, { 0, len - block / 2, block },
			{ 0, len - 1, block },
		};

		for (k = 0; k < NR_WAYS * 2 * ARRAY_SIZE(requests); k++) {
			const typeof(*requests) *r = &requests[k / NR_WAYS / 2];

			way = k % NR_WAYS;
			write = k / NR_WAYS % 2;
			trying("way %u, %s of %zu bytes at %llu, memory offset %zu", way,
			       write ? "write" : "read", r->len, (unsigned long long)r->pos,
			       r->offset);
			on_disk = rw(way, blk_fd, write, mem + r->offset, r->len, r->pos);
			expect(rw(way, raw_fd, write, mem + r->offset, r->len, r->pos),
			       r == requests ? (long)len : on_disk, "it");
		}
	}
}

static long rw_flags(int write, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result((write ? pwritev2 : preadv2)(raw_fd, &iov, 1, 0, flags));
}

/* What may not wait is refused: the driver cannot tell what would. Mode 3 is for ioctls alone. */
static void case_flags(void)
{
	char *buf = load_memory(MAX_IO, 0);
	int fd = must_open(raw_name, O_ACCMODE, EXIT_FAILURE);

	expect(rw_flags(0, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT read");
	expect(rw_flags(1, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT write");
	expect(rw_flags(0, buf, PAGE, RWF_HIPRI), PAGE, "RWF_HIPRI read");
	expect(rw_flags(1, buf, MAX_IO, RWF_HIPRI | RWF_SYNC), MAX_IO, "RWF_SYNC write");
	/* Half a block can be read by way of the page cache alone. */
	expect_call(fcntl(raw_fd, F_SETFL, 0), 0, "F_SETFL without O_DIRECT");
	expect(rw(SYNC, raw_fd, 0, buf, block / 2, 0), -EINVAL, "read of half a block");
	expect_call(lseek(raw_fd, 0, SEEK_END), disk_size, "SEEK_END");
	expect_call(pread(fd, buf, block, 0), -EBADF, "a read of what is open for ioctls");
}

static void expect_gone(long ret, const char *what)
{
	if (ret != -ENODEV && ret != -EIO && ret != -ENXIO)
		fail("%s of a removed disk gave %s, not ENODEV, EIO or ENXIO", what,
		     result_name(ret));
}

/* Pulls the disk, by the file in /sys that does it, with requests in flight. */
static void case_gone(void)
{
	enum { NR = 64 };
	int fd = must_open(case_args[0], O_WRONLY, EXIT_FAILURE), i;
	struct iocb cbs[NR], *list[NR];
	char *mem = load_memory(2 * MIB, 0);
	aio_context_t ctx = aio_setup(NR);
	struct io_event events[NR];

	close(blk_fd);
	for (i = 0; i < NR; i++) {
		list[i] = &cbs[i];
		aio_prepare(&cbs[i], raw_fd, 0, mem + i * PAGE, PAGE, i * PAGE);
	}
	aio_submit(ctx, list, NR);
	expect_call(write(fd, "1", 1), 1, case_args[0]);
	aio_reap(ctx, events, NR, NR, NULL);
	for (i = 0; i < NR; i++)
		if (events[i].res != PAGE)
			expect_gone(events[i].res, "read in flight");
	for (i = 0; i < NR_WAYS * 4; i++) {
		trying("way %d, %s", i / 4, i & 1 ? "2 MiB" : "a page");
		expect_gone(rw(i / 4, raw_fd, i & 2, mem, i & 1 ? 2 * MIB : PAGE, 0),
			    i & 2 ? "write" : "read");
	}
	trying("open while the old file is open");
	expect_call(open(raw_name, O_RDWR), -ENXIO, "open");
}

/* The cgroup has no right to the disk, to none of its raw devices either. */
static void case_cgroup(void)
{
	char procs[PATH_MAX];
	int fd, mode;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", case_args[0]);
	expect_call(write(must_open(procs, O_WRONLY, EXIT_FAILURE), "0", 1), 1, procs);
	for (mode = O_RDONLY; mode <= O_ACCMODE; mode++) {
		trying("access mode %d", mode);
		fd = open(blk_name, mode);
		if (mode != O_ACCMODE)
			expect_call(fd < 0 ? fd : 0, -EPERM, blk_name);
		fd = open(raw_name, mode);
		expect_call(fd < 0 ? fd : 0, -EPERM, raw_name);
	}
}

/* --- Bindings --- */

static long set_bind(int minor, dev_t disk)
{
	struct raw_config_request req = { minor, major(disk), minor(disk) };

	return sys_result(ioctl(raw_fd, RAW_SETBIND, &req));
}

static void expect_bound(int minor, dev_t disk, const char *what)
{
	struct raw_config_request req = {
		.raw_minor = minor, .block_major = 1000, .block_minor = 1000,
	};

	expect_call(ioctl(raw_fd, RAW_GETBIND, &req), 0, "RAW_GETBIND");
	if (req.raw_minor != minor || req.block_major != major(disk) ||
	    req.block_minor != minor(disk))
		fail("%s: raw%d is bound to %llu:%llu", what, req.raw_minor,
		     (unsigned long long)req.block_major, (unsigned long long)req.block_minor);
}

static dev_t number_of(const char *name)
{
	struct stat st;

	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	return st.st_rdev;
}

#ifdef __x86_64__
/* As a program of i386 calls: all in 32 bits */
static long call_32(long number, long b, unsigned long c, void *d)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "a" (number), "b" (b), "c" (c), "d" (d)
		     : "memory", "cc", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static long ioctl_32(int fd, unsigned long cmd, void *arg)
{
	return call_32(54, fd, cmd, arg);
}

struct raw_config_request_32 {
	int raw_minor;
	__u64 block_major;
	__u64 block_minor;
} __attribute__((__packed__));

static void no_such_call(int signal)
{
	_exit(signal);
}

static int kernel_takes_32(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGSEGV, no_such_call);
		/* getpid(), where user-mode Linux takes the number for writev() */
		_exit(call_32(20, -1, 0, NULL) != getpid());
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* The struct ends with the caller's memory. */
static void case_compat(void)
{
	int minor = atoi(case_args[0]);
	struct raw_config_request_32 *req;
	dev_t disk = number_of(blk_name);
	char *mem, node[64];
	int fd;

	if (!kernel_takes_32())
		die(EXIT_SKIP, "this kernel takes no 32-bit system calls");
	mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (mem == MAP_FAILED)
		fail("no memory below 2 GiB");
	if (mprotect(mem + PAGE, PAGE, PROT_NONE))
		fail("mprotect: %s", strerror(errno));
	req = (void *)(mem + PAGE - sizeof(*req));
	*req = (struct raw_config_request_32){ minor, major(disk), minor(disk) };
	expect(ioctl_32(raw_fd, RAW_SETBIND, req), 0, "RAW_SETBIND");
	expect_bound(minor, disk, "bound by 32 bits");
	*req = (struct raw_config_request_32){ minor, 1000, 1000 };
	expect(ioctl_32(raw_fd, RAW_GETBIND, req), 0, "RAW_GETBIND");
	if (req->raw_minor != minor || req->block_major != major(disk) ||
	    req->block_minor != minor(disk))
		fail("RAW_GETBIND says %d: %llu:%llu", req->raw_minor,
		     (unsigned long long)req->block_major, (unsigned long long)req->block_minor);
	/* The disk, too, is told who asks: a size of 32 bits is all that there is room for. */
	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	fd = must_open(node, O_RDONLY, EXIT_FAILURE);
	expect(ioctl_32(fd, BLKGETSIZE, mem + PAGE - 4), 0, "BLKGETSIZE of 32 bits");
	close(fd);
	*req = (struct raw_config_request_32){ minor, 0, 0 };
	expect(ioctl_32(raw_fd, RAW_SETBIND, req), 0, "RAW_SETBIND to 0:0");
	expect_bound(minor, 0, "unbound by 32 bits");
	expect(ioctl_32(raw_fd, RAW_SETBIND, mem + PAGE - 4), -EFAULT, "half a request");
	expect(ioctl_32(raw_fd, BLKGETSIZE, req), -ENOTTY, "BLKGETSIZE");
}
#else
static void case_compat(void)
{
	die(EXIT_SKIP, "only x86-64 calls as 32 bits from here");
}
#endif

/*
 * Opened again and again while it is bound to one disk and another, whose stamps differ. An open
 * file holds its binding.
 */
static void __noreturn use_bindings(const char *node, int minor, const dev_t *disks)
{
	char *buf = load_memory(PAGE, 0);
	unsigned int i, k, gen, good = 0;
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(TIME_LIMIT);
	for (i = 0; i < 3000; i++) {
		fd = open(node, O_RDWR);
		if (fd < 0) {
			if (errno != ENXIO && errno != ENOENT)
				fail("open while bindings change: %s", strerror(errno));
			sched_yield();
			continue;
		}
		expect_call(pread(fd, buf, PAGE, 0), PAGE, "read");
		gen = stamp_disk(buf) & 1;
		expect_bound(minor, disks[gen], "open");
		for (k = 0; k < 2; k++) {
			check_stamps(node, buf, PAGE, gen, 0);
			expect_call(pread(fd, buf, PAGE, 0), PAGE, "second read");
		}
		good++;
		close(fd);
	}
	if (!good)
		fail("not one open succeeded in 3000");
	exit(0);
}

static void case_race(void)
{
	const char *disks[2] = { blk_name, case_args[1] };
	int minor = atoi(case_args[0]), i, status, left, bound = 0;
	char *buf = load_memory(PAGE, 0), node[64];
	dev_t nrs[2];
	long ret;

	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	for (i = 0; i < 2; i++) {
		close(blk_fd);
		blk_fd = claim(disks[i], O_RDWR | O_DIRECT, EXIT_FAILURE);
		fill_stamps(buf, PAGE, i, 0);
		expect_call(pwrite(blk_fd, buf, PAGE, 0), PAGE, "write to the disk");
		nrs[i] = number_of(disks[i]);
	}
	close(blk_fd);		/* from here on the disks are the raw device's to claim */
	for (left = 0; left < 3; left++)
		if (!must_fork(1))
			use_bindings(node, minor, nrs);
	for (i = 0; left; i++) {
		ret = set_bind(minor, i % 4 == 3 ? 0 : nrs[i % 2]);
		bound += !ret;
		if (ret)
			expect(ret, -EBUSY, "RAW_SETBIND while used");
		if (waitpid(-1, &status, WNOHANG) > 0) {
			left--;
			if (status)
				exit(EXIT_FAILURE);	/* it has said why */
		}
		sched_yield();
	}
	expect(set_bind(minor, 0), 0, "RAW_SETBIND at the end");
	if (!bound)
		fail("no binding ever succeeded");
}

static const char usage[] =
	"usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]   (BLOCKDEV's content is lost)\n"
	"  same, flags, gone FILE-THAT-PULLS-THE-DISK, cgroup CGROUP, compat MINOR,\n"
	"  race MINOR BLOCKDEV2\n"
	"Exit: 0 passed, 1 failed, 2 usage, 4 skipped.";

static const struct raw_case {
	const char *name;
	void (*run)(void);
	int args;
} cases[] = {
	{ "same", case_same, 0 }, { "flags", case_flags, 0 }, { "gone", case_gone, 1 },
	{ "cgroup", case_cgroup, 1 }, { "compat", case_compat, 1 }, { "race", case_race, 2 },
};

/*
 * While a case runs nobody else may mount the disk or hold it, by whatever path. An open raw device
 * is a claim. With rawctl nothing is claimed: the case that writes claims its disks itself.
 */
static void open_devices(void)
{
	struct stat st;

	raw_fd = must_open(raw_name, O_RDWR, EXIT_FAILURE);
	blk_fd = must_open(blk_name, O_RDWR | O_DIRECT, EXIT_FAILURE);
	if (ioctl(blk_fd, BLKGETSIZE64, &disk_size) || ioctl(blk_fd, BLKSSZGET, &block))
		fail("%s is not a block device", blk_name);
	if (disk_size < 2 * MAX_IO)
		die(EXIT_SKIP, "%s is smaller than %lu bytes", blk_name, 2 * MAX_IO);
	if (fstat(raw_fd, &st) || !is_raw(&st) || minor(st.st_rdev))
		raw_claim(raw_fd, raw_name, blk_name);
}

int main(int argc, char **argv)
{
	const struct raw_case *c = cases, *end = cases + ARRAY_SIZE(cases);

	help_if_asked(argc, argv, usage);
	while (argc > 1 && c < end && strcmp(argv[1], c->name))
		c++;
	if (c == end || argc != 4 + c->args)
		die(EXIT_USAGE, "%s", usage);
	raw_name = argv[2];
	blk_name = argv[3];
	open_devices();
	alarm(TIME_LIMIT);
	case_args = argv + 4;
	c->run();
	return 0;
}
