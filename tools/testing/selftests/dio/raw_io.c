// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a raw device must do, a case at a time; run by test_raw.sh
 *
 *	raw_io CASE RAWDEV BLOCKDEV [ARG...]
 *
 * RAWDEV is bound to BLOCKDEV, whose content is lost. What O_DIRECT on the disk does, a raw device
 * must do likewise: requests are tried on both, and compared, where it says so with every way to
 * send one (enum way) and with sizes that fit one bio on the stack, one allocated bio, and many
 * bios. For the cases of bindings RAWDEV is /dev/raw/rawctl, and the first ARG a minor number to
 * play with.
 *
 * What is not here: random requests and bad memory (dio_ops), many at once (test_raw.fio), pins and
 * fork (dio_pin), mapped files (dio_race), owners and access as a shell sees them (test_raw.sh).
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

/* The ways to send a request. */
enum way { SYNC, VECTOR, AIO, URING, NR_WAYS };

static const char * const way_names[NR_WAYS] = {
	"pread/pwrite", "readv/writev", "aio", "io_uring"
};

static const size_t sizes[] = { 4 * KIB, 16 * PAGE, 17 * PAGE, 1 * MIB, MAX_IO };

static const char *raw_name, *blk_name;
static char **case_args;
static int raw_fd, blk_fd;		/* blk_fd with O_DIRECT */
static __u64 disk_size;
static unsigned int block;		/* logical block size */
static unsigned int mem_align;		/* what the disk demands of memory addresses */

/* @result is a count, or a negative error number. */
static void expect(long result, long wanted, const char *what)
{
	if (result != wanted)
		fail("%s gave %s, not %s", what, result_name(result), result_name(wanted));
}

#define expect_call(call, wanted, what)	expect(sys_result(call), wanted, what)

/* From the start of the disk on, stamps of a generation in place of a disk */
static void check(const char *buf, size_t len, unsigned int gen, const char *what)
{
	const char *why = wrong_stamps(buf, len, gen, 0);

	if (why)
		fail("%s: %s", what, why);
}

static pid_t fork_child(void)
{
	pid_t child = must_fork(1);

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(TIME_LIMIT);
	}
	return child;
}

static void child_done(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		exit(EXIT_FAILURE);	/* it has said why */
}

static const char *rw_name(int write)
{
	return write ? "write" : "read";
}

/* The disk itself, not through the raw device */
static void disk_fill(size_t len, unsigned int gen)
{
	char *buf = load_memory(len, 0);

	fill_stamps(buf, len, gen, 0);
	expect_call(pwrite(blk_fd, buf, len, 0), len, "write to the disk");
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

static long rw_file(int fd, enum way way, int write, void *buf, size_t len, __u64 pos)
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

static long rw(enum way way, int write, void *buf, size_t len, __u64 pos)
{
	return rw_file(raw_fd, way, write, buf, len, pos);
}

static int open_node(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		fail("cannot open %s: %s", name, strerror(errno));
	return fd;
}

/* --- Requests --- */

/*
 * What a request gives on the disk with O_DIRECT it gives on the raw device: in the disk, across
 * its end and behind, and where memory, place or length do not fit. dio_ops looks at the data.
 */
static void case_same(void)
{
	char *mem = load_memory(MAX_IO + PAGE, 0), *readonly = load_memory(PAGE, 0);
	unsigned int i, k;
	enum way way;
	long on_disk;
	int write;

	if (mprotect(readonly, PAGE, PROT_READ))
		fail("mprotect: %s", strerror(errno));
	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			size_t len = sizes[i];
			const struct { size_t offset, len; __u64 pos; } requests[] = {
				{ 0, len, 5 * block }, { mem_align, len, 5 * block },
				{ PAGE - mem_align, len, 5 * block }, { 0, 0, 5 * block },
				{ 0, len, disk_size - len }, { 0, len, disk_size - block },
				{ 0, 0, disk_size }, { 0, len, disk_size },
				{ 0, len, disk_size + 8 * block }, { 0, len, 1ULL << 62 },
				{ mem_align / 2, len, block }, { 1, len, block },
				{ 0, len, block + 1 }, { 0, len, 3 * block / 2 },
				{ 0, len - block / 2, block }, { 0, len - 1, block },
			};

			for (k = 0; k < 2 * ARRAY_SIZE(requests); k++) {
				const typeof(*requests) *r = &requests[k / 2];

				write = k % 2;
				trying("%s, %s of %zu bytes at %llu, memory offset %zu",
				       way_names[way], rw_name(write), r->len,
				       (unsigned long long)r->pos, r->offset);
				on_disk = rw_file(blk_fd, way, write, mem + r->offset, r->len,
						  r->pos);
				expect(rw(way, write, mem + r->offset, r->len, r->pos),
				       k < 6 ? (long)r->len : on_disk, "it");
			}
		}
		trying("%s", way_names[way]);
		expect(rw(way, 0, readonly, PAGE, 0), -EFAULT, "read into read-only memory");
		expect(rw(way, 1, readonly, PAGE, 0), PAGE, "write of read-only memory");
		expect(rw(way, 0, (void *)PAGE, PAGE, 0), -EFAULT, "read into nothing");
	}
}

static long rw_flags(int write, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(write ? pwritev2(raw_fd, &iov, 1, 0, flags) :
				  preadv2(raw_fd, &iov, 1, 0, flags));
}

/* What may not wait is refused: the driver cannot tell what would. Mode 3 is for ioctls alone. */
static void case_flags(void)
{
	int buffered = open_node(blk_name, O_RDWR), fd = open(raw_name, O_ACCMODE);
	char *buf = load_memory(MAX_IO, 0);

	fill_stamps(buf, PAGE, 2, 0);
	expect_call(pwrite(buffered, buf, PAGE, 0), PAGE, "buffered write");
	expect(rw_flags(0, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT read");
	expect(rw_flags(1, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT write");
	expect(rw_flags(0, buf, PAGE, RWF_HIPRI), PAGE, "RWF_HIPRI read");
	check(buf, PAGE, 2, "what was read, of a dirty page");
	fill_stamps(buf, MAX_IO, 3, 0);
	expect(rw_flags(1, buf, MAX_IO, RWF_HIPRI | RWF_SYNC), MAX_IO, "RWF_SYNC write");
	memset(buf, 0, MAX_IO);
	expect_call(pread(blk_fd, buf, MAX_IO, 0), MAX_IO, "read of the disk");
	check(buf, MAX_IO, 3, "what was written");
	/* Half a block can be read by way of the page cache alone. */
	expect_call(fcntl(raw_fd, F_SETFL, 0), 0, "F_SETFL without O_DIRECT");
	expect(rw(SYNC, 0, buf, block / 2, 0), -EINVAL, "read of half a block");
	expect_call(lseek(raw_fd, 0, SEEK_END), disk_size, "SEEK_END");
	expect_call(fd < 0 ? fd : 0, 0, "open for ioctls");
	expect_call(pread(fd, buf, block, 0), -EBADF, "a read there");
}

/* BLOCKDEV holds reads back. Requests are sent, not carried out, by the calls that send them. */
static void case_async(void)
{
	enum { NR = 8 };
	char *mem = load_memory(NR * MAX_IO, 0);
	struct iocb cbs[NR], *list[NR];
	struct io_event events[NR];
	struct timespec none = { 0 };
	aio_context_t ctx = aio_setup(NR);
	unsigned int i, k;

	disk_fill(MAX_IO, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("aio, %zu bytes", sizes[i]);
		for (k = 0; k < NR; k++) {
			list[k] = &cbs[k];
			aio_prepare(&cbs[k], raw_fd, 0, mem + k * MAX_IO, sizes[i], 0);
		}
		aio_submit(ctx, list, NR);
		if (aio_reap(ctx, events, 0, NR, &none) == NR)
			fail("io_submit returned when all was read");
		while (k)
			k -= aio_reap(ctx, events, 1, k, NULL);
		for (k = 0; k < NR; k++)
			check(mem + k * MAX_IO, sizes[i], 1, "what was read");
	}
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
	char *mem = load_memory(2 * MIB, 0);
	aio_context_t ctx = aio_setup(NR);
	struct iocb cbs[NR], *list[NR];
	struct io_event events[NR];
	enum way way;
	int fd, i;

	fd = open_node(case_args[0], O_WRONLY);
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

	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < 4; i++) {
			trying("%s, %s", way_names[way], i / 2 ? "2 MiB" : "a page");
			expect_gone(rw(way, i % 2, mem, i / 2 ? 2 * MIB : PAGE, 0), rw_name(i % 2));
		}
	}
	trying("open while the old file is open");
	expect_call(open(raw_name, O_RDWR), -ENXIO, "open");
}

/* The cgroup has no right to the disk, to none of its raw devices either. */
static void case_cgroup(void)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR, O_ACCMODE };
	char procs[PATH_MAX];
	unsigned int i;
	int fd;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", case_args[0]);
	fd = open_node(procs, O_WRONLY);
	if (write(fd, "0", 1) != 1)
		fail("%s: %s", procs, strerror(errno));
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		trying("access mode %d", modes[i]);
		fd = open(blk_name, modes[i]);
		if (modes[i] != O_ACCMODE)
			expect_call(fd < 0 ? fd : 0, -EPERM, blk_name);
		fd = open(raw_name, modes[i]);
		expect_call(fd < 0 ? fd : 0, -EPERM, raw_name);
	}
}

static void still_waits(pid_t child, const char *what)
{
	if (waitpid(child, NULL, WNOHANG))
		fail("%s was done too soon: this case sees nothing", what);
}

/*
 * BLOCKDEV takes a second for each request, and its partitions are being looked for: who opens it
 * has to wait. Nobody else has to.
 */
static void case_sick(void)
{
	unsigned long long start;
	pid_t scan, opener;

	scan = fork_child();
	if (!scan)
		exit(ioctl(raw_fd, BLKFLSBUF, 0) || ioctl(raw_fd, BLKRRPART, 0));
	usleep(200000);
	opener = fork_child();
	if (!opener)
		exit(open(raw_name, O_RDONLY) < 0);
	usleep(200000);
	still_waits(opener, "the open of the sick disk");
	start = now_ns();
	close(open_node(case_args[0], O_RDONLY));
	if (!raw_bound_to(atoi(strrchr(case_args[0], 'w') + 1)))
		fail("%s is not bound", case_args[0]);
	if (now_ns() - start > 300000000)
		fail("another raw device was opened and asked for in %llu ns", now_ns() - start);
	still_waits(opener, "the open of the sick disk");
	child_done(opener);
	child_done(scan);
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
	fd = open_node(node, O_RDONLY);
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
static void use_bindings(const char *node, int minor, const dev_t *disks)
{
	char *buf = load_memory(PAGE, 0);
	unsigned int i, gen, good = 0;
	int fd;

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
		check(buf, PAGE, gen, "what was read");
		expect_bound(minor, disks[gen], "open");
		expect_call(pread(fd, buf, PAGE, 0), PAGE, "second read");
		check(buf, PAGE, gen, "second read of one open file");
		good++;
		close(fd);
	}
	if (!good)
		fail("not one open succeeded in 3000");
}

static void case_race(void)
{
	const char *disks[2] = { blk_name, case_args[1] };
	int minor = atoi(case_args[0]), users = 3, i, status, left = users, bound = 0;
	char node[64];
	dev_t nrs[2];
	long ret;

	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	for (i = 0; i < 2; i++) {
		close(blk_fd);
		blk_fd = claim(disks[i], O_RDWR | O_DIRECT, EXIT_FAILURE);
		disk_fill(PAGE, i);
		nrs[i] = number_of(disks[i]);
	}
	close(blk_fd);		/* from here on the disks are the raw device's to claim */
	for (i = 0; i < users; i++) {
		if (fork_child())
			continue;
		use_bindings(node, minor, nrs);
		exit(0);
	}
	for (i = 0; left; i++) {
		ret = set_bind(minor, i % 4 == 3 ? 0 : nrs[i % 2]);
		if (!ret)
			bound++;
		else
			expect(ret, -EBUSY, "RAW_SETBIND while used");
		if (waitpid(-1, &status, WNOHANG) > 0) {
			left--;
			if (status)
				exit(EXIT_FAILURE);
		}
		sched_yield();
	}
	expect(set_bind(minor, 0), 0, "RAW_SETBIND at the end");
	if (!bound)
		fail("no binding ever succeeded");
}

static const char usage[] =
	"usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]   (BLOCKDEV's content is lost)\n"
	"  same, flags, async, gone FILE-THAT-PULLS-THE-DISK, cgroup CGROUP, sick RAWDEV2,\n"
	"  compat MINOR, race MINOR BLOCKDEV2\n"
	"Exit: 0 passed, 1 failed, 2 usage, 4 skipped.";

static const struct raw_case {
	const char *name;
	void (*run)(void);
	int args;
} cases[] = {
	{ "same", case_same, 0 }, { "flags", case_flags, 0 }, { "async", case_async, 0 },
	{ "gone", case_gone, 1 }, { "cgroup", case_cgroup, 1 }, { "sick", case_sick, 1 },
	{ "compat", case_compat, 1 }, { "race", case_race, 2 },
};

/*
 * While a case runs nobody else may mount the disk or hold it, by whatever path. An open raw device
 * is a claim. With rawctl nothing is claimed: the case that writes claims its disks itself.
 */
static void claim_disk(void)
{
	struct stat raw;

	if (fstat(raw_fd, &raw) || !is_raw(&raw) || minor(raw.st_rdev))
		raw_claim(raw_fd, raw_name, blk_name);
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
	raw_fd = open_node(raw_name, O_RDWR);
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
