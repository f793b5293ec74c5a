// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a file of a raw device is
 */
#include "raw_io.h"
#include <scsi/sg.h>
#include <sys/sendfile.h>

static void case_ioctl(void)
{
	static const struct { unsigned long cmd; const char *name; } same[] = {
		{ BLKGETSIZE, "BLKGETSIZE" }, { BLKSSZGET, "BLKSSZGET" },
		{ BLKPBSZGET, "BLKPBSZGET" }, { BLKROGET, "BLKROGET" }, { BLKIOMIN, "BLKIOMIN" },
		{ BLKIOOPT, "BLKIOOPT" }, { BLKSECTGET, "BLKSECTGET" },
	};
	unsigned char cdb[6] = { 0x12, 0, 0, 0, 36 }, sense[32], inquiry[2][36] = { { 0 } };
	struct sg_io_hdr sg = {
		.interface_id = 'S', .dxfer_direction = SG_DXFER_FROM_DEV, .cmdp = cdb,
		.cmd_len = sizeof(cdb), .dxfer_len = sizeof(inquiry[0]), .sbp = sense,
		.mx_sb_len = sizeof(sense), .timeout = 10000,
	};
	__u64 bytes = 0;
	unsigned long a, b;
	unsigned int i;
	long ret;
	int size = 4 * KIB;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		a = 0;
		b = 0;
		ret = sys_result(ioctl(blk_fd, same[i].cmd, &b));
		expect_call(ioctl(raw_fd, same[i].cmd, &a), ret, same[i].name);
		if (a != b)
			fail("%s says %lu, %s says %lu", same[i].name, a, blk_name, b);
	}
	expect_call(ioctl(raw_fd, BLKGETSIZE64, &bytes), 0, "BLKGETSIZE64");
	if (bytes != disk_size)
		fail("BLKGETSIZE64 says %llu", (unsigned long long)bytes);
	expect_call(ioctl(raw_fd, BLKFLSBUF, 0), 0, "BLKFLSBUF");
	/* Only the owner may change the block size without being refused as busy. */
	expect_call(ioctl(raw_fd, BLKBSZSET, &size), 0, "BLKBSZSET");
	ret = sys_result(ioctl(blk_fd, _IO('z', 99), 0));
	expect_call(ioctl(raw_fd, _IO('z', 99), 0), ret, "an unknown ioctl");
	expect_call(ioctl(raw_fd, BLKGETSIZE64, NULL), -EFAULT, "BLKGETSIZE64 to nowhere");

	sg.dxferp = inquiry[0];
	ret = sys_result(ioctl(blk_fd, SG_IO, &sg));
	sg.dxferp = inquiry[1];
	expect_call(ioctl(raw_fd, SG_IO, &sg), ret, "SG_IO");
	if (memcmp(inquiry[0], inquiry[1], sizeof(inquiry[0])))
		fail("SG_IO gives another answer than on %s", blk_name);
}

static void case_splice(void)
{
	const size_t len = 16 * PAGE;
	char *buf = load_memory(len, 0);
	loff_t at = 3 * block;
	int pipes[2];

	if (pipe(pipes))
		fail("no pipe: %s", strerror(errno));
	disk_fill(0, 2 * MIB, 1);
	expect_call(splice(raw_fd, &at, pipes[1], NULL, len, 0), len, "splice to a pipe");
	expect(at, 3 * block + len, "position after it");
	expect_call(read(pipes[0], buf, len), len, "read of the pipe");
	check(buf, len, 3 * block, 1, "what came out of the pipe");

	fill_stamps(buf, len, 2, 3 * block);
	expect_call(write(pipes[1], buf, len), len, "write into the pipe");
	at = 3 * block;
	expect_call(splice(pipes[0], NULL, raw_fd, &at, len, 0), len, "splice to the disk");
	expect(at, 3 * block + len, "position after it");
	disk_check(0, 3 * block, 1, "what is before it");
	disk_check(3 * block, len, 2, "what came out of the pipe");
	disk_check(at, len, 1, "what is behind it");
	at = 1;
	expect_call(splice(raw_fd, &at, pipes[1], NULL, len, 0), -EINVAL, "odd position");
}

/* What a file is opened for. Access mode 3 is for ioctls alone. There is nothing to be mapped. */
static void case_modes(void)
{
	static const struct { int mode; long read, write; } modes[] = {
		{ O_RDONLY, PAGE, -EBADF }, { O_WRONLY, -EBADF, PAGE },
		{ O_ACCMODE, -EBADF, -EBADF },
	};
	char *buf = load_memory(PAGE, 0);
	unsigned int i;
	__u64 size;
	int fd;

	if (mmap(NULL, PAGE, PROT_READ, MAP_SHARED, raw_fd, 0) != MAP_FAILED || errno != ENODEV)
		fail("can be mapped, or not for the right reason");
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		trying("access mode %d", modes[i].mode);
		fd = open_raw(modes[i].mode);
		expect_call(fd < 0 ? fd : 0, 0, "open");
		size = 0;
		expect_call(ioctl(fd, BLKGETSIZE64, &size), 0, "BLKGETSIZE64");
		expect(size, disk_size, "size");
		expect_call(pread(fd, buf, PAGE, 0), modes[i].read, "read");
		expect_call(pwrite(fd, buf, PAGE, 0), modes[i].write, "write");
	}
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
	sleep_ms(200);
	opener = fork_child();
	if (!opener)
		exit(open(raw_name, O_RDONLY) < 0);
	sleep_ms(200);
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

const struct raw_case file_cases[] = {
	{ "ioctl", case_ioctl, NULL },
	{ "splice", case_splice, NULL },
	{ "modes", case_modes, NULL },
	{ "cgroup", case_cgroup, "CGROUP" },
	{ "sick", case_sick, "RAWDEV2" },
	{ }
};
