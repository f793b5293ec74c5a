// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: the page cache of the block device
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <linux/fs.h>
#include "raw_io.h"

static void try_coherent(enum engine e, int buffered, char *map, char *buf, size_t len,
			 unsigned int gen)
{
	const __u64 pos = 3 * block;

	trying("%s, %zu bytes", engine_names[e], len);
	fill(buf, len, pos, gen);
	expect(sys_result(pwrite(buffered, buf, len, pos)), len, "buffered write");
	memset(buf, 0, len);
	expect(rw(e, 0, buf, len, pos), len, "read");
	check(buf, len, pos, gen, "read after a buffered write");

	/* The cache is filled, and mapped, before the disk changes beneath it. */
	expect(sys_result(pread(buffered, buf, len, pos)), len, "buffered read");
	check(map + pos, len, pos, gen, "mapped disk");
	fill(buf, len, pos, gen + 1);
	expect(rw(e, 1, buf, len, pos), len, "write");
	memset(buf, 0, len);
	expect(sys_result(pread(buffered, buf, len, pos)), len, "buffered read");
	check(buf, len, pos, gen + 1, "buffered read after a write");
	check(map + pos, len, pos, gen + 1, "mapped disk after a write");

	/* Dirty pages of which a part is overwritten keep the rest. */
	fill(buf, len + 2 * block, pos - block, gen + 2);
	expect(sys_result(pwrite(buffered, buf, len + 2 * block, pos - block)), len + 2 * block,
	       "buffered write");
	fill(buf, len, pos, gen + 3);
	expect(rw(e, 1, buf, len, pos), len, "write");
	expect(sys_result(pread(buffered, buf, len + 2 * block, pos - block)), len + 2 * block,
	       "buffered read");
	check(buf, block, pos - block, gen + 2, "buffered data before a write");
	check(buf + block, len, pos, gen + 3, "buffered read after a write");
	check(buf + block + len, block, pos + len, gen + 2, "buffered data behind a write");
	expect(sys_result(fsync(buffered)), 0, "fsync");
	disk_check(pos, len, gen + 3, "the disk after all is written back");

	fill(map + pos, len, pos, gen + 4);
	expect(rw(e, 0, buf, len, pos), len, "read");
	check(buf, len, pos, gen + 4, "read after a store to the mapped disk");
}

static void case_coherent(void)
{
	char *buf = get_memory(MAX_IO + 2 * PAGE), *map;
	int buffered = open_node(blk_name, O_RDWR);
	unsigned int i, gen = 1;
	enum engine e;

	map = mmap(NULL, disk_size, PROT_READ | PROT_WRITE, MAP_SHARED, buffered, 0);
	if (map == MAP_FAILED)
		die("%s cannot be mapped: %s", blk_name, strerror(errno));
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e))
		for (i = 0; i < ARRAY_SIZE(sizes); i++, gen += 5)
			try_coherent(e, buffered, map, buf, sizes[i], gen);
}

static size_t cached_pages(int fd, size_t len)
{
	unsigned char *seen = malloc(len / PAGE);
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	size_t i, count = 0;

	if (!seen || map == MAP_FAILED || mincore(map, len, seen))
		die("cannot see what of %s is cached: %s", blk_name, strerror(errno));
	for (i = 0; i < len / PAGE; i++)
		count += seen[i] & 1;
	munmap(map, len);
	free(seen);
	return count;
}

static void case_nocache(void)
{
	size_t area = 4 * MIB, left, at;
	int buffered = open_node(blk_name, O_RDWR);
	char *buf = get_memory(area);
	enum engine e;
	int write;

	disk_fill(0, area, 1);
	expect(sys_result(pread(buffered, buf, area, 0)), area, "buffered read");
	left = cached_pages(buffered, area);
	if (left != area / PAGE)
		die("a buffered read left %zu pages in the cache: this case sees nothing", left);
	expect(sys_result(ioctl(buffered, BLKFLSBUF)), 0, "BLKFLSBUF");
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (write = 0; write < 2; write++) {
			trying("%s, %s", engine_names[e], rw_name(write));
			for (at = 0; at < area / 2; at += area / 64)
				expect(rw(e, write, buf, PAGE, at), PAGE, "small request");
			expect(rw(e, write, buf, area / 2, at), area / 2, "big request");
			left = cached_pages(buffered, area);
			if (left)
				die("%zu pages came into the cache", left);
		}
	}
}

/* BLOCKDEV holds writes back. A buffered read in mid-write leaves no stale cache behind. */
static void case_late(void)
{
	int buffered = open_node(blk_name, O_RDWR), status;
	char *buf = get_memory(MAX_IO);
	unsigned int i;
	pid_t child;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("%zu bytes", sizes[i]);
		disk_fill(0, sizes[i], 1);
		expect(sys_result(ioctl(buffered, BLKFLSBUF)), 0, "BLKFLSBUF");
		child = fork();
		if (!child) {
			fill(buf, sizes[i], 0, 2);
			expect(rw(SYNC, 1, buf, sizes[i], 0), sizes[i], "write");
			exit(0);
		}
		/* Reads until the writer is done, so some of them fall between. */
		do {
			expect(sys_result(pread(buffered, buf, sizes[i], 0)), sizes[i],
			       "buffered read");
		} while (!waitpid(child, &status, WNOHANG));
		if (status)
			exit(EXIT_FAILURE);
		expect(sys_result(pread(buffered, buf, sizes[i], 0)), sizes[i], "buffered read");
		check(buf, sizes[i], 0, 2, "buffered read after the write");
	}
}

/* Write the first block, from a process of its own. */
static pid_t start_write(enum engine e, char *buf)
{
	pid_t child = fork_child();

	if (child)
		return child;
	fill(buf, block, 0, 2);
	expect(rw(e, 1, buf, block, 0), block, "write");
	exit(0);
}

/*
 * BLOCKDEV holds writes back. The write waits for the dirty page to be written, to drop it then. A
 * store to the mapped page meanwhile makes that fail. Both must be in the page and on the disk.
 */
static void case_kept(void)
{
	size_t len = block > PAGE / 2 ? 2 * block : PAGE;
	char *buf = get_memory(len), *map;
	int buffered = open_node(blk_name, O_RDWR);
	enum engine e;
	pid_t child;

	if (block >= PAGE)
		skip("a page holds one block of this disk");
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, buffered, 0);
	if (map == MAP_FAILED)
		die("%s cannot be mapped: %s", blk_name, strerror(errno));
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		trying("%s", engine_names[e]);
		fill(buf, len, 0, 1);
		expect(sys_result(pwrite(buffered, buf, len, 0)), len, "buffered write");
		child = start_write(e, buf);
		sleep_ms(100);
		fill(map + len - block, block, len - block, 3);
		child_done(child);
		check(map, block, 0, 2, "mapped disk after a write");
		expect(sys_result(pread(buffered, buf, len, 0)), len, "buffered read");
		check(buf, block, 0, 2, "buffered read after a write");
		expect(sys_result(fsync(buffered)), 0, "fsync");
		disk_check(0, block, 2, "the disk, where it was written");
		disk_check(block, len - 2 * block, 1, "the disk, where nobody wrote");
		disk_check(len - block, block, 3, "the disk, where it was stored to");
	}
}

const struct raw_case cache_cases[] = {
	{ "coherent", case_coherent, NULL },
	{ "nocache", case_nocache, NULL },
	{ "late", case_late, NULL },
	{ "kept", case_kept, NULL },
	{ }
};
