// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a file of a raw device is
 */
#include "raw_io.h"
#include <linux/loop.h>
#include <scsi/sg.h>
#include <sys/mount.h>
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

/*
 * A loop device that is made of the raw file. It goes when nobody has it open, also if this program
 * fails: the raw device would stay busy.
 */
static int loop_over_raw(char *name, size_t size)
{
	struct loop_config config = {
		.fd = raw_fd, .block_size = block, .info.lo_flags = LO_FLAGS_AUTOCLEAR,
	};
	int ctl = open("/dev/loop-control", O_RDWR), n, fd;

	n = ctl < 0 ? -1 : ioctl(ctl, LOOP_CTL_GET_FREE);
	snprintf(name, size, "/dev/loop%d", n);
	fd = n < 0 ? -1 : open(name, O_RDWR);
	if (fd < 0)
		die(EXIT_SKIP, "no loop devices");
	expect_call(ioctl(fd, LOOP_CONFIGURE, &config), 0, "LOOP_CONFIGURE");
	return fd;
}

/* What the loop driver calls, is there: also what frees and zeroes. */
static void case_loop(void)
{
	const size_t part = 256 * KIB;
	__u64 range[2] = { part, part };
	char *buf = load_memory(part, 0), name[32];
	__u64 size = 0;
	long ret;
	int fd;

	/* udev reads a new device, and what it has read is cached. */
	disk_fill(0, 4 * part, 1);
	fd = loop_over_raw(name, sizeof(name));
	trying("%s", name);
	expect_call(ioctl(fd, BLKGETSIZE64, &size), 0, "BLKGETSIZE64");
	if (!size) {
		/* 7.3 asks the inode of the raw device, which has no size. */
		expect_call(pread(fd, buf, part, 0), 0, "read of what has no bytes");
		expect_call(ioctl(fd, LOOP_CLR_FD, 0), 0, "LOOP_CLR_FD");
		die(EXIT_SKIP, "this kernel's loop driver takes a raw device for empty");
	}
	if (size != disk_size)
		fail("has %llu bytes, not %llu", (unsigned long long)size,
		     (unsigned long long)disk_size);
	expect_call(pread(fd, buf, part, 0), part, "read");
	check(buf, part, 0, 1, "what was read");
	fill(buf, part, 0, 2);
	expect_call(pwrite(fd, buf, part, 0), part, "write");
	expect_call(fsync(fd), 0, "fsync");
	disk_check(0, part, 2, "what was written");
	expect_call(ioctl(fd, BLKZEROOUT, range), 0, "BLKZEROOUT");
	disk_io(0, buf, part, part);
	check_bytes((unsigned char *)buf, part, 0, "what was zeroed");
	range[0] = 2 * part;
	ret = sys_result(ioctl(fd, BLKDISCARD, range));
	if (ret != -EOPNOTSUPP)
		expect(ret, 0, "BLKDISCARD");
	disk_check(3 * part, part, 1, "what is behind it");
	expect_call(ioctl(fd, LOOP_CLR_FD, 0), 0, "LOOP_CLR_FD");
}

static void case_splice(void)
{
	const size_t len = 16 * PAGE;
	int pipes[2], file = memfd_create("raw_io", 0);
	char *buf = load_memory(MIB, 0);
	off_t pos = 3 * block;
	loff_t at = pos;

	if (pipe(pipes) || file < 0)
		fail("no pipe, or no file: %s", strerror(errno));
	disk_fill(0, 2 * MIB, 1);
	expect_call(splice(raw_fd, &at, pipes[1], NULL, len, 0), len, "splice to a pipe");
	expect(at, pos + len, "position after it");
	expect_call(read(pipes[0], buf, len), len, "read of the pipe");
	check(buf, len, pos, 1, "what came out of the pipe");

	fill(buf, len, pos, 2);
	expect_call(write(pipes[1], buf, len), len, "write into the pipe");
	at = pos;
	expect_call(splice(pipes[0], NULL, raw_fd, &at, len, 0), len, "splice to the disk");
	expect(at, pos + len, "position after it");
	disk_check(pos, len, 2, "what came out of the pipe");
	disk_check(0, pos, 1, "what is before it");
	disk_check(pos + len, len, 1, "what is behind it");

	at = 1;
	expect_call(splice(raw_fd, &at, pipes[1], NULL, len, 0), -EINVAL, "odd position");
	at = disk_size;
	expect_call(splice(raw_fd, &at, pipes[1], NULL, len, 0), 0, "splice at the end");

	disk_fill(0, MIB, 3);
	pos = 0;
	while (pos < (off_t)MIB)
		if (sendfile(file, raw_fd, &pos, MIB - pos) <= 0)
			fail("sendfile at %jd: %s", (intmax_t)pos, strerror(errno));
	expect_call(pread(file, buf, MIB, 0), MIB, "read of the file");
	check(buf, MIB, 0, 3, "what was sent");
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

static void expect_open(const char *name, int flags, int wanted, const char *when)
{
	int fd = open(name, flags);
	long ret = fd < 0 ? -errno : 0;

	trying("%s", when);
	expect(ret, -wanted, name);
	if (fd >= 0)
		close(fd);
}

static void expect_mount_busy(const char *dir)
{
	static const char * const types[] = { "ext4", "ext2", "xfs", "vfat" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!mount(blk_name, dir, types[i], MS_RDONLY, NULL)) {
			umount(dir);
			fail("the disk can be mounted");
		}
		if (errno == ENODEV)
			continue;
		expect(-errno, -EBUSY, "mount");
		return;
	}
}

/* RAWDEV2 is bound to the same disk. */
static void case_excl(void)
{
	const char *raw2 = case_args[0], *dir = case_args[1];
	int fd, fd2;

	close(claim_fd);
	close(raw_fd);
	raw_fd = -1;
	expect_open(blk_name, O_RDONLY | O_EXCL, 0, "nobody has the raw device open");
	fd = open_node(raw_name, O_RDONLY);
	expect_open(blk_name, O_RDONLY | O_EXCL, EBUSY, "raw device open");
	expect_open(blk_name, O_RDWR, 0, "raw device open");
	expect_mount_busy(dir);
	expect_open(raw_name, O_RDWR, 0, "raw device open twice");
	fd2 = open_node(raw2, O_RDWR);
	close(fd);
	expect_open(blk_name, O_RDONLY | O_EXCL, EBUSY, "second raw device open");
	expect_mount_busy(dir);
	close(fd2);
	expect_open(blk_name, O_RDONLY | O_EXCL, 0, "raw devices closed");

	fd = open_node(blk_name, O_RDONLY | O_EXCL);
	expect_open(raw_name, O_RDONLY, EBUSY, "block device open exclusively");
	expect_open(raw2, O_RDWR, EBUSY, "block device open exclusively");
	close(fd);
	expect_open(raw_name, O_RDONLY, 0, "block device closed");
	expect_open(blk_name, O_RDONLY | O_EXCL, 0, "all closed");
}

/* A disk made read-only: opened and written with the result that the block device gives. */
static void case_readonly(void)
{
	int on = 1, off = 0, blk, raw, reader;
	char *buf = load_memory(PAGE, 0);
	long wanted, ret;

	close(raw_fd);
	disk_fill(0, PAGE, 1);
	expect_call(ioctl(blk_fd, BLKROSET, &on), 0, "BLKROSET");
	blk = open(blk_name, O_RDWR | O_DIRECT);
	wanted = blk < 0 ? -errno : 0;
	raw = open_raw(O_RDWR);
	ret = raw < 0 ? -errno : 0;
	if (blk >= 0 && raw >= 0) {
		wanted = sys_result(pwrite(blk, buf, PAGE, 0));
		ret = sys_result(pwrite(raw, buf, PAGE, 0));
	}
	reader = open_raw(O_RDONLY);
	if (ioctl(blk_fd, BLKROSET, &off))
		fail("BLKROSET: %s", strerror(errno));

	expect(ret, wanted, blk < 0 ? "open for writing" : "write");
	if (ret >= 0)
		fail("a read-only disk was written");
	disk_check(0, PAGE, 1, "the disk");
	if (reader < 0)
		fail("cannot be opened for reading");
	expect_call(pread(reader, buf, PAGE, 0), PAGE, "read");
	check(buf, PAGE, 0, 1, "what was read");
}

const struct raw_case file_cases[] = {
	{ "ioctl", case_ioctl, NULL },
	{ "loop", case_loop, NULL },
	{ "splice", case_splice, NULL },
	{ "modes", case_modes, NULL },
	{ "cgroup", case_cgroup, "CGROUP" },
	{ "sick", case_sick, "RAWDEV2" },
	{ "excl", case_excl, "RAWDEV2 DIRECTORY" },
	{ "readonly", case_readonly, NULL },
	{ }
};
