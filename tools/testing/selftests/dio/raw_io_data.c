// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what requests give, move, and leave alone; also where the disk fails, grows or goes
 */
#include "raw_io.h"

struct request {
	size_t offset;		/* of the memory in its page */
	size_t len;
	__u64 pos;
};

/* What came of one, with a page of memory and of the disk on both sides */
struct outcome {
	long result;
	char *memory, *disk;
};

static void carry_out(int fd, enum way way, int write, const struct request *r, struct outcome *o)
{
	__u64 at = r->pos < disk_size ? r->pos / block * block : disk_size;
	__u64 start = at > PAGE ? at - PAGE : 0, end = at + r->len / block * block + 2 * PAGE;

	if (end > disk_size)
		end = disk_size;
	disk_fill(start, end - start, 1);
	fill_stamps(o->memory, r->len / block * block + 4 * PAGE, 2, at);
	o->result = rw_file(fd, way, write, o->memory + PAGE + r->offset, r->len, r->pos);
	disk_io(0, o->disk, end - start, start);
}

/* By the raw device as by the disk with O_DIRECT; all of it, if it must not fail */
static void try_request(enum way way, const struct request *r, int must)
{
	const size_t most = MAX_IO + 4 * PAGE;
	static struct outcome raw, blk;
	int write;

	if (!raw.memory) {
		raw.memory = load_memory(most, 0);
		raw.disk = load_memory(most, 0);
		blk.memory = load_memory(most, 0);
		blk.disk = load_memory(most, 0);
	}
	for (write = 0; write < 2; write++) {
		trying("%s, %s of %zu bytes at %llu, memory offset %zu", way_names[way],
		       rw_name(write), r->len, (unsigned long long)r->pos, r->offset);
		carry_out(blk_fd, way, write, r, &blk);
		carry_out(raw_fd, way, write, r, &raw);
		expect(raw.result, must ? (long)r->len : blk.result, "it");
		if (memcmp(raw.memory, blk.memory, r->len + 3 * PAGE))
			fail("memory is not as after the same on %s", blk_name);
		if (memcmp(raw.disk, blk.disk, r->len + 2 * PAGE))
			fail("the disk is not as after the same on %s", blk_name);
	}
}

static void case_same(void)
{
	char *readonly = load_memory(PAGE, 0);
	unsigned int i, k;
	enum way way;

	if (mprotect(readonly, PAGE, PROT_READ))
		fail("mprotect: %s", strerror(errno));
	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < NR_SIZES; i++) {
			size_t len = sizes[i];
			const struct request requests[] = {
				{ 0, len, 5 * block }, { mem_align, len, 5 * block },
				{ PAGE - mem_align, len, 5 * block }, { 0, 0, 5 * block },
				/* up to the end, across it and behind it */
				{ 0, len, disk_size - len }, { 0, len, disk_size - block },
				{ 0, 0, disk_size }, { 0, len, disk_size },
				{ 0, len, disk_size + 8 * block }, { 0, len, 1ULL << 62 },
				/* memory, place and length that do not fit */
				{ mem_align / 2, len, block }, { 1, len, block },
				{ 0, len, block + 1 }, { 0, len, 3 * block / 2 },
				{ 0, len - block / 2, block }, { 0, len - 1, block },
			};

			/* Large ones take time: each goes one way. */
			for (k = 0; k < ARRAY_SIZE(requests); k++)
				if (len < MIB || (i + k) % NR_WAYS == way)
					try_request(way, &requests[k], k < 3);
		}
		trying("%s", way_names[way]);
		expect(rw(way, 0, readonly, PAGE, 0), -EFAULT, "read into read-only memory");
		expect(rw(way, 1, readonly, PAGE, 0), PAGE, "write of read-only memory");
		expect(rw(way, 0, (void *)PAGE, PAGE, 0), -EFAULT, "read into nothing");
		expect(rw(way, 1, readonly, block / 2, 0), -EINVAL, "write of half a block");
		expect(rw(way, 1, readonly, PAGE, disk_size), -ENOSPC, "write at the end");
	}
}

static long rw_flags(int write, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(write ? pwritev2(raw_fd, &iov, 1, 0, flags) :
				  preadv2(raw_fd, &iov, 1, 0, flags));
}

/* What may not wait is refused: the driver cannot tell what would. */
static void case_flags(void)
{
	int buffered = open_node(blk_name, O_RDWR);
	char *buf = load_memory(MAX_IO, 0);

	fill_stamps(buf, PAGE, 2, 0);
	expect_call(pwrite(buffered, buf, PAGE, 0), PAGE, "buffered write");
	expect(rw_flags(0, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT read");
	expect(rw_flags(1, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT write");
	expect(rw_flags(0, buf, PAGE, RWF_HIPRI), PAGE, "RWF_HIPRI read");
	check(buf, PAGE, 0, 2, "what was read, of a dirty page");
	fill_stamps(buf, MAX_IO, 3, 0);
	expect(rw_flags(1, buf, MAX_IO, RWF_HIPRI | RWF_SYNC), MAX_IO, "RWF_SYNC write");
	disk_check(0, MAX_IO, 3, "what was written");
	/* Half a block can be read by way of the page cache alone. */
	expect_call(fcntl(raw_fd, F_SETFL, 0), 0, "F_SETFL without O_DIRECT");
	expect(rw(SYNC, 0, buf, block / 2, 0), -EINVAL, "read of half a block");
}

/* Each step gives what it gives on the disk. read() and write() go on from the position. */
static void case_position(void)
{
	enum { READ = 100, WRITE };
	const struct { int how; off_t to; } steps[] = {
		{ SEEK_END, 0 }, { SEEK_END, -(off_t)block }, { READ, 4 * block },
		{ READ, 4 * block }, { WRITE, block }, { SEEK_SET, 5 * block },
		{ SEEK_CUR, block }, { READ, MAX_IO }, { WRITE, MAX_IO }, { SEEK_CUR, 0 },
		{ READ, block }, { SEEK_SET, -1 }, { SEEK_SET, disk_size + 1 }, { SEEK_END, 1 },
		{ SEEK_CUR, 0 },
	};
	const int fds[2] = { blk_fd, raw_fd };
	char *bufs[2] = { load_memory(MAX_IO, 0), load_memory(MAX_IO, 0) };
	unsigned int i, k;
	long gave[2];
	off_t at;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		trying("step %u", i);
		for (k = 0; k < 2; k++) {
			at = lseek(fds[k], 0, SEEK_CUR);
			if (steps[i].how == READ) {
				gave[k] = sys_result(read(fds[k], bufs[k], steps[i].to));
			} else if (steps[i].how == WRITE) {
				fill_stamps(bufs[k], steps[i].to, 2 * i + k, at);
				gave[k] = sys_result(write(fds[k], bufs[k], steps[i].to));
				if (gave[k] > 0)
					disk_check(at, gave[k], 2 * i + k, "what was written");
			} else {
				gave[k] = sys_result(lseek(fds[k], steps[i].to, steps[i].how));
			}
		}
		expect(gave[1], gave[0], "it");
		if (steps[i].how == READ && gave[0] > 0 && memcmp(bufs[0], bufs[1], gave[0]))
			fail("what was read is not as on %s", blk_name);
	}
}

/* BLOCKDEV holds reads back. Requests are sent, not carried out, by the calls that send them. */
static void case_async(void)
{
	enum { NR = 8 };
	char *mem = load_memory(NR * MAX_IO, 0);
	struct iocb cbs[NR], *list[NR];
	struct io_event events[NR];
	struct timespec none = { 0 };
	struct ring ring;
	aio_context_t ctx = aio_setup(NR);
	unsigned int i, k;

	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < NR_SIZES; i++) {
		trying("aio, %zu bytes", sizes[i]);
		for (k = 0; k < NR; k++) {
			list[k] = &cbs[k];
			aio_prepare(&cbs[k], raw_fd, 0, mem + k * MAX_IO, sizes[i], 0);
		}
		aio_submit(ctx, list, NR);
		if (aio_reap(ctx, events, 0, NR, &none) == NR)
			fail("io_submit returned when all was read");
		while (k)
			k -= aio_reap(ctx, events, 1, k, NULL);
		for (k = 0; k < NR; k++)
			check(mem + k * MAX_IO, sizes[i], 0, 1, "what was read");
	}

	ring_setup(&ring, NR, 0);
	trying("io_uring");
	memset(mem, 0, NR * MAX_IO);
	for (k = 0; k < NR; k++)
		ring_queue(&ring, raw_fd, IORING_OP_READ, mem + k * MAX_IO, 1 * MIB, 0, k);
	ring_enter(&ring, 0);
	if (!ring_empty(&ring))
		fail("io_uring_enter returned when a request was done");
	for (k = 0; k < NR; k++)
		expect(ring_reap(&ring, NULL), 1 * MIB, "a request");
	for (k = 0; k < NR; k++)
		check(mem + k * MAX_IO, 1 * MIB, 0, 1, "what was read");
}

/* BLOCKDEV holds writes back. A buffered read in mid-write leaves no stale cache behind. */
static void case_late(void)
{
	int buffered = open_node(blk_name, O_RDWR), status;
	char *buf = load_memory(MAX_IO, 0);
	unsigned int i;
	pid_t child;

	for (i = 0; i < NR_SIZES; i++) {
		trying("%zu bytes", sizes[i]);
		disk_fill(0, sizes[i], 1);
		expect_call(ioctl(buffered, BLKFLSBUF), 0, "BLKFLSBUF");
		child = fork_child();
		if (!child) {
			fill_stamps(buf, sizes[i], 2, 0);
			expect(rw(SYNC, 1, buf, sizes[i], 0), sizes[i], "write");
			exit(0);
		}
		/* Reads until the writer is done, so some of them fall between. */
		do {
			expect_call(pread(buffered, buf, sizes[i], 0), sizes[i], "buffered read");
		} while (!waitpid(child, &status, WNOHANG));
		if (status)
			exit(EXIT_FAILURE);
		expect_call(pread(buffered, buf, sizes[i], 0), sizes[i], "buffered read");
		check(buf, sizes[i], 0, 2, "buffered read after the write");
	}
}

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

const struct raw_case data_cases[] = {
	{ "same", case_same, NULL },
	{ "flags", case_flags, NULL },
	{ "position", case_position, NULL },
	{ "async", case_async, NULL },
	{ "late", case_late, NULL },
	{ "badblock", case_badblock, "POSITION" },
	{ "gone", case_gone, "FILE-THAT-PULLS-THE-DISK" },
	{ "grow", case_grow, "COMMAND-THAT-GROWS-THE-DISK" },
	{ }
};
