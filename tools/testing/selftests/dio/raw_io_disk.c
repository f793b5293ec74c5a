// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: a disk that fails, grows or goes
 */
#include "raw_io.h"

/* Part of a big request fails: all of it does, wherever that part is, and the next one works. */
static void case_badblock(void)
{
	__u64 bad = strtoull(case_args[0], NULL, 0), at;
	char *buf = load_memory(MAX_IO, 0);
	unsigned int i, k;
	enum way way;

	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < NR_SIZES; i++) {
			for (k = 0; k < 6; k++) {
				/* the bad block is the first, in the middle, the last */
				at = bad - k / 2 * (sizes[i] - block) / 2 / block * block;
				trying("%s, %s of %zu bytes, the bad one at %llu", way_names[way],
				       rw_name(k % 2), sizes[i], (unsigned long long)(bad - at));
				expect(rw(way, k % 2, buf, sizes[i], at), -EIO, "request");
			}
			at = bad - sizes[i];
			trying("%s, %zu bytes that end before it", way_names[way], sizes[i]);
			disk_fill(at, sizes[i], i);
			expect(rw(way, 0, buf, sizes[i], at), sizes[i], "read");
			check(buf, sizes[i], at, i, "what was read");
		}
	}

	trying("position after an error");
	expect(lseek(raw_fd, bad, SEEK_SET), bad, "lseek");
	expect_call(read(raw_fd, buf, PAGE), -EIO, "read");
	expect(lseek(raw_fd, 0, SEEK_CUR), bad, "position");
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
	expect_call(open_raw(O_RDWR), -ENXIO, "open");
}

/* The disk became larger while the raw device was open. */
static void case_grow(void)
{
	char *buf = load_memory(PAGE, 0);
	__u64 larger = 0;

	if (system(case_args[0]))
		fail("failed: %s", case_args[0]);
	expect_call(ioctl(blk_fd, BLKGETSIZE64, &larger), 0, "BLKGETSIZE64");
	if (larger <= disk_size)
		fail("%s did not become larger", blk_name);
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
