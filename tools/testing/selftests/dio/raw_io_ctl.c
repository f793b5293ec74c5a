// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: bindings. RAWDEV is /dev/raw/rawctl, the first argument a minor number to play with
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "claim.h"
#include "raw_ioctl.h"
#include "raw_io.h"

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

	expect(sys_result(ioctl(raw_fd, RAW_GETBIND, &req)), 0, "RAW_GETBIND");
	if (req.raw_minor != minor || req.block_major != block_major ||
	    req.block_minor != block_minor)
		die("%s: raw%d is bound to %llu:%llu", what, req.raw_minor,
		    (unsigned long long)req.block_major, (unsigned long long)req.block_minor);
}

static void drop_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		die("capget: %s", strerror(errno));
	data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		die("capset: %s", strerror(errno));
}

static void case_ctl(void)
{
	int minor = atoi(case_args[0]), max = atoi(case_args[1]), fd;
	unsigned int i;
	static const unsigned long cmds[] = { RAW_SETBIND, RAW_GETBIND };
	__u64 major_nr, minor_nr;
	char node[64];
	struct stat st;

	if (stat(blk_name, &st))
		die("%s: %s", blk_name, strerror(errno));
	major_nr = major(st.st_rdev);
	minor_nr = minor(st.st_rdev);
	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		trying("%s", i ? "RAW_GETBIND" : "RAW_SETBIND");
		expect(ctl(cmds[i], 0, major_nr, minor_nr), -EINVAL, "minor 0");
		expect(ctl(cmds[i], -1, major_nr, minor_nr), -EINVAL, "minor -1");
		expect(ctl(cmds[i], max, major_nr, minor_nr), -EINVAL, "first minor too large");
		expect(ctl(cmds[i], 0x7fffffff, major_nr, minor_nr), -EINVAL, "largest minor");
		expect(sys_result(ioctl(raw_fd, cmds[i], (void *)8)), -EFAULT, "bad pointer");
		expect(sys_result(ioctl(raw_fd, cmds[i], NULL)), -EFAULT, "null pointer");
	}
	trying("rawctl");
	expect(ctl(RAW_GETBIND, max - 1, 0, 0), 0, "last minor");
	expect(sys_result(ioctl(raw_fd, _IO(0xac, 2), 0)), -ENOTTY, "unknown ioctl");
	expect(sys_result(ioctl(raw_fd, BLKGETSIZE, &i)), -ENOTTY, "BLKGETSIZE");
	expect(ctl(RAW_SETBIND, minor, 4000, 77), -ENXIO, "no such block device");
	expect(ctl(RAW_SETBIND, minor, major_nr | 1ULL << 32, minor_nr), -EINVAL, "huge major");
	expect(ctl(RAW_SETBIND, minor, major_nr, minor_nr | 1ULL << 32), -EINVAL, "huge minor");
	expect(ctl(RAW_SETBIND, minor, 0, 5), -EINVAL, "major 0, minor 5");
	expect_bound(minor, 0, 0, "after refused bindings");
	expect(ctl(RAW_SETBIND, minor, 0, 0), 0, "unbinding what is not bound");

	trying("bound device");
	expect(ctl(RAW_SETBIND, minor, major_nr, minor_nr), 0, "RAW_SETBIND");
	expect_bound(minor, major_nr, minor_nr, "after binding");
	expect(ctl(RAW_SETBIND, minor, 4000, 77), -ENXIO, "no such block device");
	expect_bound(minor, major_nr, minor_nr, "after a refused binding");
	fd = open_node(node, O_RDONLY);
	expect(ctl(RAW_SETBIND, minor, major_nr, minor_nr), -EBUSY, "binding while open");
	expect(ctl(RAW_SETBIND, minor, 0, 0), -EBUSY, "unbinding while open");
	expect_bound(minor, major_nr, minor_nr, "while open");
	close(fd);
	expect(ctl(RAW_SETBIND, minor, major_nr, minor_nr), 0, "binding once more");
	expect(ctl(RAW_SETBIND, minor, 0, 0), 0, "unbinding");
	expect_bound(minor, 0, 0, "after unbinding");

	trying("without CAP_SYS_ADMIN");
	drop_admin();
	expect(ctl(RAW_SETBIND, minor, major_nr, minor_nr), -EPERM, "RAW_SETBIND");
	expect(ctl(RAW_SETBIND, minor, 0, 0), -EPERM, "RAW_SETBIND to 0:0");
	expect(ctl(RAW_GETBIND, minor, 0, 0), 0, "RAW_GETBIND");
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
	struct stat st;
	char *mem;

	if (!kernel_takes_32())
		skip("this kernel takes no 32-bit system calls");
	if (stat(blk_name, &st))
		die("%s: %s", blk_name, strerror(errno));
	mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (mem == MAP_FAILED)
		die("no memory below 2 GiB");
	make_hole(mem + PAGE);
	req = (void *)(mem + PAGE - sizeof(*req));
	*req = (struct raw_config_request_32){ minor, major(st.st_rdev), minor(st.st_rdev) };
	expect(ioctl_32(raw_fd, RAW_SETBIND, req), 0, "RAW_SETBIND");
	expect_bound(minor, major(st.st_rdev), minor(st.st_rdev), "bound by 32 bits");
	*req = (struct raw_config_request_32){ minor, 1000, 1000 };
	expect(ioctl_32(raw_fd, RAW_GETBIND, req), 0, "RAW_GETBIND");
	if (req->raw_minor != minor || req->block_major != major(st.st_rdev) ||
	    req->block_minor != minor(st.st_rdev))
		die("RAW_GETBIND says %d: %llu:%llu", req->raw_minor,
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
	skip("only x86-64 calls as 32 bits from here");
}
#endif

/*
 * Opened again and again while it is bound to one disk and another, whose stamps differ. An open
 * file holds its binding.
 */
static void use_bindings(const char *node, int minor, const struct stat *disks)
{
	__u64 *buf = get_memory(PAGE);
	unsigned int i, gen, good = 0;
	int fd;

	for (i = 0; i < 3000; i++) {
		fd = open(node, O_RDWR);
		if (fd < 0) {
			if (errno != ENXIO && errno != ENOENT)
				die("open while bindings change: %s", strerror(errno));
			sched_yield();
			continue;
		}
		expect(sys_result(pread(fd, buf, PAGE, 0)), PAGE, "read");
		gen = buf[0] != stamp(0, 0);
		check(buf, PAGE, 0, gen, "what was read");
		expect_bound(minor, major(disks[gen].st_rdev), minor(disks[gen].st_rdev),
			     "open, with data of the other disk");
		expect(sys_result(pread(fd, buf, PAGE, 0)), PAGE, "second read");
		check(buf, PAGE, 0, gen, "second read of one open file");
		good++;
		close(fd);
	}
	if (!good)
		die("not one open succeeded in 3000");
}

static void case_race(void)
{
	const char *disks[2] = { blk_name, case_args[1] };
	int minor = atoi(case_args[0]), users = 3, i, status, left = users, bound = 0;
	char node[64], why[PATH_MAX];
	struct stat st[2];
	long ret;

	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	for (i = 0; i < 2; i++) {
		close(blk_fd);
		blk_fd = claim(disks[i], O_RDWR | O_DIRECT, why, sizeof(why));
		if (blk_fd < 0)
			die("%s", why);
		disk_fill(0, PAGE, i);
		if (stat(disks[i], &st[i]))
			die("%s: %s", disks[i], strerror(errno));
	}
	close(blk_fd);		/* from here on the disks are the raw device's to claim */
	for (i = 0; i < users; i++) {
		if (fork())
			continue;
		alarm(TIME_LIMIT);
		use_bindings(node, minor, st);
		exit(0);
	}
	for (i = 0; left; i++) {
		if (i % 4 == 3)
			ret = ctl(RAW_SETBIND, minor, 0, 0);
		else
			ret = ctl(RAW_SETBIND, minor, major(st[i % 2].st_rdev),
				  minor(st[i % 2].st_rdev));
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
		die("no binding ever succeeded");
}

const struct raw_case ctl_cases[] = {
	{ "ctl", case_ctl, "MINOR NUMBER-OF-MINORS" },
	{ "compat", case_compat, "MINOR" },
	{ "race", case_race, "MINOR BLOCKDEV2" },
	{ }
};
