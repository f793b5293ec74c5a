// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what was written is there, at its place, and nothing else
 */
#define _GNU_SOURCE
#include "raw_io.h"

/* One write and one read of @len bytes at @pos, memory @offset into a page. */
static void try_data(enum engine e, char *mem, size_t len, size_t offset, __u64 pos)
{
	__u64 before = pos > PAGE ? pos - PAGE : 0;
	__u64 after = pos + len + PAGE < disk_size ? pos + len + PAGE : disk_size;
	char *buf = mem + PAGE + offset;

	trying("%s, %zu bytes at %llu, memory offset %zu", engine_names[e], len,
	       (unsigned long long)pos, offset);

	disk_fill(before, after - before, 1);
	fill(buf, len, pos, 2);
	expect(rw(e, 1, buf, len, pos), len, "write");
	disk_check(pos, len, 2, "what was written");
	disk_check(before, pos - before, 1, "what is before it");
	disk_check(pos + len, after - pos - len, 1, "what is behind it");

	disk_fill(pos, len, 3);
	memset(mem, 0xa5, len + 3 * PAGE);
	expect(rw(e, 0, buf, len, pos), len, "read");
	check(buf, len, pos, 3, "what was read");
	check_bytes((unsigned char *)mem, PAGE + offset, 0xa5, "memory before it");
	check_bytes((unsigned char *)buf + len, 2 * PAGE - offset, 0xa5, "memory behind it");
}

static void case_data(void)
{
	size_t offsets[] = { 0, mem_align, 512, 3 * KIB };
	char *mem = get_memory(MAX_IO + 3 * PAGE);
	unsigned int n = 0, i, k;
	enum engine e;

	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (k = 0; k < ARRAY_SIZE(offsets); k++) {
				__u64 places[] = { 0, 5 * block, disk_size - sizes[i] };

				try_data(e, mem, sizes[i], offsets[k], places[n++ % 3]);
			}
		}
		try_data(e, mem, block, 0, 3 * block);
		try_data(e, mem, block, 0, disk_size - block);
		/* 16 pages' worth of data in 17 pages, and the last block of 1 MiB in a page */
		try_data(e, mem, 16 * PAGE, PAGE - mem_align, 7 * block);
		try_data(e, mem, 1 * MIB + block, 512, 0);
	}
}

static __u64 random_next(void)
{
	static __u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t random_blocks(size_t max)
{
	size_t limit = (size_t)block << random_next() % 13;

	if (limit > max)
		limit = max;
	return (1 + random_next() % (limit / block)) * block;
}

/* Random requests, buffered ones on the block device among them, against a copy in memory. */
static void case_model(void)
{
	size_t area = disk_size < 6 * MIB ? disk_size / PAGE * PAGE : 6 * MIB, len, at;
	unsigned char *model = get_memory(area), *mem = get_memory(area + PAGE), *buf;
	int buffered = open_node(blk_name, O_RDWR), write, i;
	unsigned int e;
	long ret;

	disk_fill(0, area, 1);
	fill(model, area, 0, 1);
	for (i = 0; i < 1000; i++) {
		do {
			e = random_next() % (NR_ENGINES + 1);
		} while (e < NR_ENGINES && !engine_there(e));
		write = random_next() % 2;
		len = random_blocks(2 * MIB);
		at = random_next() % ((area - len) / block + 1) * block;
		buf = mem + random_next() % (PAGE / mem_align) * mem_align;
		trying("request %d: %s %s of %zu bytes at %zu", i,
		       e < NR_ENGINES ? engine_names[e] : "buffered", rw_name(write), len, at);
		fill(buf, len, at, write ? i + 2 : 0);
		if (e < NR_ENGINES)
			ret = rw(e, write, buf, len, at);
		else
			ret = sys_result(write ? pwrite(buffered, buf, len, at) :
						 pread(buffered, buf, len, at));
		expect(ret, len, "request");
		if (write)
			memcpy(model + at, buf, len);
		else if (memcmp(model + at, buf, len))
			die("wrong data");
	}
	if (fsync(buffered))
		die("fsync: %s", strerror(errno));
	trying("after all requests");
	disk_io(0, mem, area, 0);
	if (memcmp(model, mem, area))
		die("wrong data on the disk");
}

#define BIG_PIECES 1000

/* Pieces of odd sizes, each at an odd place of its own in memory. */
static size_t odd_pieces(struct iovec *iov, char *mem, size_t room)
{
	size_t used = 0, total = 0, len;
	int i;

	for (i = 0; i < BIG_PIECES; i++) {
		len = random_next() % (2 * room / BIG_PIECES / block + 1) * block;
		used = (used + mem_align - 1) / mem_align * mem_align;
		if (used + len + mem_align > room)
			len = 0;
		iov[i] = (struct iovec) { mem + used, len };
		used += len + random_next() % 5 * mem_align;
		total += len;
	}
	return total;
}

static void pieces_fill(const struct iovec *iov, __u64 pos, unsigned int gen)
{
	int i;

	for (i = 0; i < BIG_PIECES; pos += iov[i++].iov_len)
		fill(iov[i].iov_base, iov[i].iov_len, pos, gen);
}

static void pieces_check(const struct iovec *iov, __u64 pos, unsigned int gen)
{
	int i;

	for (i = 0; i < BIG_PIECES; pos += iov[i++].iov_len)
		check(iov[i].iov_base, iov[i].iov_len, pos, gen, "what was read");
}

static long rw_pieces(enum engine e, int write, struct iovec *iov, __u64 pos)
{
	struct iocb cb;

	if (e == URING)
		return ring_one(write ? IORING_OP_WRITEV : IORING_OP_READV, iov, BIG_PIECES, pos);
	if (e == AIO) {
		aio_prepare(&cb, raw_fd, write, iov, BIG_PIECES, pos);
		cb.aio_lio_opcode = write ? IOCB_CMD_PWRITEV : IOCB_CMD_PREADV;
		return aio_one(&cb);
	}
	return sys_result(write ? pwritev(raw_fd, iov, BIG_PIECES, pos) :
				  preadv(raw_fd, iov, BIG_PIECES, pos));
}

/* Requests of up to 8 MiB in a thousand odd pieces: many bios, pages shared within and across. */
static void case_big(void)
{
	size_t room = disk_size > 9 * MIB ? 9 * MIB : disk_size / PAGE * PAGE, len;
	struct iovec iov[BIG_PIECES];
	char *mem = get_memory(room);
	unsigned int gen = 1;
	enum engine e;

	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		if (e == SYNC)
			continue;
		len = odd_pieces(iov, mem, room);
		trying("%s, %zu bytes in %d pieces", engine_names[e], len, BIG_PIECES);
		if (len < 2 * MIB)
			die("the disk is too small for this case");
		pieces_fill(iov, 0, ++gen);
		expect(rw_pieces(e, 1, iov, 0), len, "write");
		disk_check(0, len, gen, "what was written");
		disk_fill(0, len, ++gen);
		expect(rw_pieces(e, 0, iov, 0), len, "read");
		pieces_check(iov, 0, gen);
	}
}

/* read() and write() move the position by what they did. */
static void case_position(void)
{
	char *buf = get_memory(MAX_IO);
	__u64 pos;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("%zu bytes", sizes[i]);
		pos = 2 * block;
		expect(lseek(raw_fd, pos, SEEK_SET), pos, "lseek");
		fill(buf, sizes[i], pos, i);
		expect(sys_result(write(raw_fd, buf, sizes[i])), sizes[i], "write");
		expect(lseek(raw_fd, 0, SEEK_CUR), pos + sizes[i], "position after write");
		fill(buf, block, pos + sizes[i], i);
		expect(sys_result(write(raw_fd, buf, block)), block, "second write");
		disk_check(pos, sizes[i] + block, i, "what was written");

		expect(lseek(raw_fd, pos, SEEK_SET), pos, "lseek");
		expect(sys_result(read(raw_fd, buf, block)), block, "read");
		check(buf, block, pos, i, "what was read");
		expect(sys_result(read(raw_fd, buf, sizes[i])), sizes[i], "second read");
		check(buf, sizes[i], pos + block, i, "what was read next");
		expect(lseek(raw_fd, 0, SEEK_CUR), pos + block + sizes[i], "position after reads");
		expect(sys_result(pread(raw_fd, buf, block, 0)), block, "pread");
		expect(lseek(raw_fd, 0, SEEK_CUR), pos + block + sizes[i], "position after pread");
	}
}

const struct raw_case data_cases[] = {
	{ "data", case_data, NULL },
	{ "model", case_model, NULL },
	{ "big", case_big, NULL },
	{ "position", case_position, NULL },
	{ }
};
