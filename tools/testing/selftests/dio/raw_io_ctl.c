// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: bindings. RAWDEV is /dev/raw/rawctl, the first argument a minor number to play with
 */
#include "raw_io.h"
#include <linux/capability.h>
#include <sched.h>

static long ctl(unsigned long cmd, int minor, __u64 block_major, __u64 block_minor)
{
	struct raw_config_request req = {
		.raw_minor = minor, .block_major = block_major, .block_minor = block_minor,
	};

	return sys_result(ioctl(raw_fd, cmd, &req));
}

static void expect_bound(int minor, __u64 block_major, __u64 block_minor, const char *what)
{
	struct raw_config_request req = {
		.raw_minor = minor, .block_major = 1000, .block_minor = 1000,
	};

	expect_call(ioctl(raw_fd, RAW_GETBIND, &req), 0, "RAW_GETBIND");
	if (req.raw_minor != minor || req.block_major != block_major ||
	    req.block_minor != block_minor)
		fail("%s: raw%d is bound to %llu:%llu", what, req.raw_minor,
		     (unsigned long long)req.block_major, (unsigned long long)req.block_minor);
}

static void drop_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		fail("capget: %s", strerror(errno));
	data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		fail("capset: %s", strerror(errno));
}

static void stat_disk(const char *name, __u64 *block_major, __u64 *block_minor)
{
	struct stat st;

	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	*block_major = major(st.st_rdev);
	*block_minor = minor(st.st_rdev);
}

static void case_ctl(void)
{
	static const unsigned long cmds[] = { RAW_SETBIND, RAW_GETBIND };
	int n = atoi(case_args[0]), max = atoi(case_args[1]), fd = -1;
	const int bad[] = { 0, -1, max, 0x7fffffff };
	enum { CHECK, OPEN, CLOSE, DROP };	/* before a step, or no more than that */
	__u64 disk_major, disk_minor;
	unsigned int i, k;
	char node[64];

	stat_disk(blk_name, &disk_major, &disk_minor);
	snprintf(node, sizeof(node), "/dev/raw/raw%d", n);
	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		trying("%s", i ? "RAW_GETBIND" : "RAW_SETBIND");
		for (k = 0; k < ARRAY_SIZE(bad); k++)
			expect(ctl(cmds[i], bad[k], disk_major, disk_minor), -EINVAL, "bad minor");
		expect_call(ioctl(raw_fd, cmds[i], (void *)8), -EFAULT, "bad pointer");
		expect_call(ioctl(raw_fd, cmds[i], NULL), -EFAULT, "null pointer");
	}
	trying("rawctl");
	expect(ctl(RAW_GETBIND, max - 1, 0, 0), 0, "last minor");
	expect_call(ioctl(raw_fd, _IO(0xac, 2), 0), -ENOTTY, "unknown ioctl");
	expect_call(ioctl(raw_fd, BLKGETSIZE, &i), -ENOTTY, "BLKGETSIZE");

	const struct { int first; __u64 major, minor; long gives; int bound; } steps[] = {
		/* not bound */
		{ CHECK, 4000, 77, -ENXIO, 0 },
		{ CHECK, disk_major | 1ULL << 32, disk_minor, -EINVAL, 0 },
		{ CHECK, disk_major, disk_minor | 1ULL << 32, -EINVAL, 0 },
		{ CHECK, 0, 5, -EINVAL, 0 },
		{ CHECK, 0, 0, 0, 0 },
		/* bound */
		{ CHECK, disk_major, disk_minor, 0, 1 },
		{ CHECK, 4000, 77, -ENXIO, 1 },
		{ OPEN, disk_major, disk_minor, -EBUSY, 1 },
		{ CHECK, 0, 0, -EBUSY, 1 },
		{ CLOSE, disk_major, disk_minor, 0, 1 },
		{ CHECK, 0, 0, 0, 0 },
		/* without CAP_SYS_ADMIN */
		{ DROP, disk_major, disk_minor, -EPERM, 0 },
		{ CHECK, 0, 0, -EPERM, 0 },
	};

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		trying("step %u, to %llu:%llu", i, steps[i].major, steps[i].minor);
		if (steps[i].first == OPEN)
			fd = open_node(node, O_RDONLY);
		else if (steps[i].first == CLOSE)
			close(fd);
		else if (steps[i].first == DROP)
			drop_admin();
		expect(ctl(RAW_SETBIND, n, steps[i].major, steps[i].minor), steps[i].gives,
		       "RAW_SETBIND");
		expect_bound(n, steps[i].bound ? disk_major : 0, steps[i].bound ? disk_minor : 0,
			     "after it");
	}
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
	__u64 disk_major, disk_minor;
	char *mem;

	if (!kernel_takes_32())
		die(EXIT_SKIP, "this kernel takes no 32-bit system calls");
	stat_disk(blk_name, &disk_major, &disk_minor);
	mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (mem == MAP_FAILED)
		fail("no memory below 2 GiB");
	if (mprotect(mem + PAGE, PAGE, PROT_NONE))
		fail("mprotect: %s", strerror(errno));
	req = (void *)(mem + PAGE - sizeof(*req));
	*req = (struct raw_config_request_32){ minor, disk_major, disk_minor };
	expect(ioctl_32(raw_fd, RAW_SETBIND, req), 0, "RAW_SETBIND");
	expect_bound(minor, disk_major, disk_minor, "bound by 32 bits");
	*req = (struct raw_config_request_32){ minor, 1000, 1000 };
	expect(ioctl_32(raw_fd, RAW_GETBIND, req), 0, "RAW_GETBIND");
	if (req->raw_minor != minor || req->block_major != disk_major ||
	    req->block_minor != disk_minor)
		fail("RAW_GETBIND says %d: %llu:%llu", req->raw_minor,
		     (unsigned long long)req->block_major, (unsigned long long)req->block_minor);
	*req = (struct raw_config_request_32){ minor, 0, 0 };
	expect(ioctl_32(raw_fd, RAW_SETBIND, req), 0, "RAW_SETBIND to 0:0");
	expect_bound(minor, 0, 0, "unbound by 32 bits");
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
static void use_bindings(const char *node, int minor, __u64 (*disks)[2])
{
	__u64 *buf = (void *)load_memory(PAGE, 0);
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
		gen = buf[0] != stamp(0, 0);
		check(buf, PAGE, 0, gen, "what was read");
		expect_bound(minor, disks[gen][0], disks[gen][1], "open");
		expect_call(pread(fd, buf, PAGE, 0), PAGE, "second read");
		check(buf, PAGE, 0, gen, "second read of one open file");
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
	char node[64], why[PATH_MAX];
	__u64 nrs[2][2];
	long ret;

	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	for (i = 0; i < 2; i++) {
		close(blk_fd);
		blk_fd = claim(disks[i], O_RDWR | O_DIRECT, why, sizeof(why));
		if (blk_fd < 0)
			fail("%s", why);
		disk_fill(0, PAGE, i);
		stat_disk(disks[i], &nrs[i][0], &nrs[i][1]);
	}
	close(blk_fd);		/* from here on the disks are the raw device's to claim */
	for (i = 0; i < users; i++) {
		if (fork_child())
			continue;
		use_bindings(node, minor, nrs);
		exit(0);
	}
	for (i = 0; left; i++) {
		ret = i % 4 == 3 ? ctl(RAW_SETBIND, minor, 0, 0) :
				   ctl(RAW_SETBIND, minor, nrs[i % 2][0], nrs[i % 2][1]);
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
	expect(ctl(RAW_SETBIND, minor, 0, 0), 0, "RAW_SETBIND at the end");
	if (!bound)
		fail("no binding ever succeeded");
}

const struct raw_case ctl_cases[] = {
	{ "ctl", case_ctl, "MINOR NUMBER-OF-MINORS" },
	{ "compat", case_compat, "MINOR" },
	{ "race", case_race, "MINOR BLOCKDEV2" },
	{ }
};
