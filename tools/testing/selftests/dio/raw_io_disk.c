// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: a disk that fails, grows or goes
 */
#define _GNU_SOURCE
#include <linux/fs.h>
#include <sys/ioctl.h>
#include "raw_io.h"

/* Part of a big request fails: all of it does, wherever that part is, and the next one works. */
static void case_badblock(void)
{
	__u64 bad = strtoull(case_args[0], NULL, 0), at;
	char *buf = get_memory(MAX_IO);
	unsigned int i, k;
	enum engine e;
	int write;

	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (k = 0; k < 3; k++) {
				/* the bad block is the first, in the middle, the last */
				at = bad - k * (sizes[i] - block) / 2 / block * block;
				for (write = 0; write < 2; write++) {
					trying("%s, %s of %zu bytes, the bad one at %llu",
					       engine_names[e], rw_name(write), sizes[i],
					       (unsigned long long)(bad - at));
					expect(rw(e, write, buf, sizes[i], at), -EIO, "request");
				}
			}
			trying("%s, %zu bytes that end before the bad block", engine_names[e],
			       sizes[i]);
			disk_fill(bad - sizes[i], sizes[i], i);
			expect(rw(e, 0, buf, sizes[i], bad - sizes[i]), sizes[i], "read");
			check(buf, sizes[i], bad - sizes[i], i, "what was read");
		}
	}

	trying("position after an error");
	expect(lseek(raw_fd, bad, SEEK_SET), bad, "lseek");
	expect(sys_result(read(raw_fd, buf, PAGE)), -EIO, "read");
	expect(lseek(raw_fd, 0, SEEK_CUR), bad, "position");
}

static void expect_gone(long ret, const char *what)
{
	if (ret != -ENODEV && ret != -EIO && ret != -ENXIO)
		die("%s of a removed disk gave %s, not ENODEV, EIO or ENXIO", what,
		    result_name(ret));
}

/* Pulls the disk, by the file in /sys that does it, with requests in flight. */
static void case_gone(void)
{
	enum { NR = 64 };
	char *mem = get_memory(NR * PAGE), *big = get_memory(2 * MIB);
	aio_context_t ctx = aio_setup(NR);
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	int fd, i;
	enum engine e;

	fd = open_node(case_args[0], O_WRONLY);
	close(blk_fd);
	for (i = 0; i < NR; i++) {
		list[i] = &cbs[i];
		aio_prepare(&cbs[i], raw_fd, 0, mem + i * PAGE, PAGE, i * PAGE);
	}
	aio_submit(ctx, list, NR);
	if (write(fd, "1", 1) != 1)
		die("%s: %s", case_args[0], strerror(errno));
	aio_reap(ctx, events, NR, NR, NULL);
	for (i = 0; i < NR; i++)
		if (events[i].res != PAGE)
			expect_gone(events[i].res, "read in flight");

	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		trying("%s", engine_names[e]);
		expect_gone(rw(e, 0, mem, PAGE, 0), "read");
		expect_gone(rw(e, 1, mem, PAGE, 0), "write");
		expect_gone(rw(e, 0, big, 2 * MIB, 0), "big read");
		expect_gone(rw(e, 1, big, 2 * MIB, 0), "big write");
	}
	trying("open while the old file is open");
	fd = open_raw(O_RDWR);
	expect(fd < 0 ? -errno : 0, -ENXIO, "open");
}

/* The disk became larger while the raw device was open. */
static void case_grow(void)
{
	char command[512], *buf = get_memory(PAGE);
	__u64 larger = 0;

	snprintf(command, sizeof(command), "%s", case_args[0]);
	if (system(command))
		die("failed: %s", case_args[0]);
	expect(sys_result(ioctl(blk_fd, BLKGETSIZE64, &larger)), 0, "BLKGETSIZE64");
	if (larger <= disk_size)
		die("%s did not become larger", blk_name);
	expect(lseek(raw_fd, 0, SEEK_END), larger, "SEEK_END");
	disk_fill(larger - PAGE, PAGE, 1);
	expect(rw(SYNC, 0, buf, PAGE, larger - PAGE), PAGE, "read of the last page");
	check(buf, PAGE, larger - PAGE, 1, "what was read");
}

const struct raw_case disk_cases[] = {
	{ "badblock", case_badblock, "POSITION" },
	{ "gone", case_gone, "FILE-THAT-PULLS-THE-DISK" },
	{ "grow", case_grow, "COMMAND-THAT-GROWS-THE-DISK" },
	{ }
};
