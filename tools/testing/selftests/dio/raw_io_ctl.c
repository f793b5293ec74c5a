// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: bindings. RAWDEV is /dev/raw/rawctl, the first argument a minor number to play with
 */
#include "raw_io.h"
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

static void stat_disk(const char *name, __u64 *block_major, __u64 *block_minor)
{
	struct stat st;

	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	*block_major = major(st.st_rdev);
	*block_minor = minor(st.st_rdev);
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
	char *mem, node[64];
	int fd;

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
	/* The disk, too, is told who asks: a size of 32 bits is all that there is room for. */
	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	fd = open_node(node, O_RDONLY);
	expect(ioctl_32(fd, BLKGETSIZE, mem + PAGE - 4), 0, "BLKGETSIZE of 32 bits");
	close(fd);
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
	{ "compat", case_compat, "MINOR" },
	{ "race", case_race, "MINOR BLOCKDEV2" },
	{ }
};
