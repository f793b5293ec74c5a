// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a file of a raw device is
 */
#define _GNU_SOURCE
#include <linux/fs.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include "raw_io.h"

static void case_ioctl(char **args)
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

	(void)args;
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		a = 0;
		b = 0;
		ret = sys_result(ioctl(blk_fd, same[i].cmd, &b));
		expect(sys_result(ioctl(raw_fd, same[i].cmd, &a)), ret, same[i].name);
		if (a != b)
			die("%s says %lu, %s says %lu", same[i].name, a, blk_name, b);
	}
	expect(sys_result(ioctl(raw_fd, BLKGETSIZE64, &bytes)), 0, "BLKGETSIZE64");
	if (bytes != disk_size)
		die("BLKGETSIZE64 says %llu", (unsigned long long)bytes);
	expect(sys_result(ioctl(raw_fd, BLKFLSBUF, 0)), 0, "BLKFLSBUF");
	/* Only the owner may change the block size without being refused as busy. */
	expect(sys_result(ioctl(raw_fd, BLKBSZSET, &size)), 0, "BLKBSZSET");
	ret = sys_result(ioctl(blk_fd, _IO('z', 99), 0));
	expect(sys_result(ioctl(raw_fd, _IO('z', 99), 0)), ret, "an unknown ioctl");
	expect(sys_result(ioctl(raw_fd, BLKGETSIZE64, NULL)), -EFAULT, "BLKGETSIZE64 to nowhere");

	sg.dxferp = inquiry[0];
	ret = sys_result(ioctl(blk_fd, SG_IO, &sg));
	sg.dxferp = inquiry[1];
	expect(sys_result(ioctl(raw_fd, SG_IO, &sg)), ret, "SG_IO");
	if (memcmp(inquiry[0], inquiry[1], sizeof(inquiry[0])))
		die("SG_IO gives another answer than on %s", blk_name);
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
			die("the disk can be mounted");
		}
		if (errno == ENODEV)
			continue;
		expect(-errno, -EBUSY, "mount");
		return;
	}
}

/* RAWDEV2 is bound to the same disk. */
static void case_excl(char **args)
{
	const char *raw2 = args[0], *dir = args[1];
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
static void case_readonly(char **args)
{
	int on = 1, off = 0, blk, raw, reader;
	char *buf = get_memory(PAGE);
	long wanted, ret;

	(void)args;
	close(raw_fd);
	disk_fill(0, PAGE, 1);
	expect(sys_result(ioctl(blk_fd, BLKROSET, &on)), 0, "BLKROSET");
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
		die("BLKROSET: %s", strerror(errno));

	expect(ret, wanted, blk < 0 ? "open for writing" : "write");
	if (ret >= 0)
		die("a read-only disk was written");
	disk_check(0, PAGE, 1, "the disk");
	if (reader < 0)
		die("cannot be opened for reading");
	expect(sys_result(pread(reader, buf, PAGE, 0)), PAGE, "read");
	check(buf, PAGE, 0, 1, "what was read");
}

/* Single requests, for what the test script watches from outside. */
static void case_once(char **args)
{
	size_t len = strtoull(args[1], NULL, 0);
	char *buf = get_memory(len ? len : 1);
	int flags = O_RDWR;

	if (!strcmp(args[0], "fsync")) {
		expect(sys_result(fsync(raw_fd)), 0, "fsync");
		return;
	}
	if (!strcmp(args[0], "dsync"))
		flags |= O_DSYNC;
	close(raw_fd);
	raw_fd = open_raw(flags);
	if (raw_fd < 0)
		die("open: %s", strerror(errno));
	expect(rw(SYNC, !!strcmp(args[0], "read"), buf, len, 0), len, args[0]);
}

const struct raw_case file_cases[] = {
	{ "ioctl", case_ioctl, NULL },
	{ "excl", case_excl, "RAWDEV2 DIRECTORY" },
	{ "readonly", case_readonly, NULL },
	{ "once", case_once, "read|write|dsync|fsync LENGTH" },
	{ }
};
