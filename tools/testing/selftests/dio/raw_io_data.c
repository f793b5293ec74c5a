// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what requests give, move, and leave alone
 */
#include "raw_io.h"

/* One write and one read, and what they give: bytes or a negative error number */
struct request {
	size_t offset;		/* of the memory in its page */
	size_t len;
	__u64 pos;
	long read, write;
};

/* What lies around it, in memory or on the disk, is as before. */
static void try_request(enum way way, const struct request *r, char *mem)
{
	__u64 at = (r->pos < disk_size ? r->pos : disk_size) / block * block;
	__u64 start = at > PAGE ? at - PAGE : 0, end = (at + r->len) / block * block + PAGE;
	size_t good = r->read > 0 ? r->read : 0;
	char *buf = mem + PAGE + r->offset;

	trying("%s, %zu bytes at %llu, memory offset %zu", way_names[way], r->len,
	       (unsigned long long)r->pos, r->offset);
	if (end > disk_size)
		end = disk_size;
	disk_fill(start, end - start, 1);
	memset(mem, 0xa5, r->len + 3 * PAGE);
	expect(rw(way, 0, buf, r->len, r->pos), r->read, "read");
	check(buf, good, r->pos, 1, "what was read");
	check_bytes(mem, PAGE + r->offset, 0xa5, "memory before it");
	check_bytes(buf + good, r->len - good + 2 * PAGE - r->offset, 0xa5, "memory behind it");

	fill(buf, r->len, r->pos, 2);
	expect(rw(way, 1, buf, r->len, r->pos), r->write, "write");
	if (r->write <= 0) {
		disk_check(start, end - start, 1, "the disk");
		return;
	}
	disk_check(start, r->pos - start, 1, "what is before it");
	disk_check(r->pos, r->write, 2, "what was written");
	disk_check(r->pos + r->write, end - r->pos - r->write, 1, "what is behind it");
}

static char *request_memory(void)
{
	static char *mem;

	if (!mem)
		mem = load_memory(MAX_IO + 3 * PAGE, 0);
	return mem;
}

static void try_requests(const struct request *r, unsigned int nr)
{
	enum way way;
	unsigned int i;

	for (way = SYNC; way < NR_WAYS; way++)
		for (i = 0; i < nr; i++)
			try_request(way, &r[i], request_memory());
}

static void case_data(void)
{
	const size_t offsets[] = { 0, mem_align, 512, 3 * KIB }, whole = 16 * PAGE;
	const size_t mib = MIB + block;
	const struct request others[] = {
		{ 0, block, 3 * block, block, block },
		{ 0, block, disk_size - block, block, block },
		/* 16 pages' worth of data in 17 pages, and the last block of 1 MiB in a page */
		{ PAGE - mem_align, whole, 7 * block, whole, whole },
		{ 512, mib, 0, mib, mib },
	};
	unsigned int n = 0, i, k;
	enum way way;

	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < NR_SIZES; i++) {
			for (k = 0; k < ARRAY_SIZE(offsets); k++) {
				__u64 places[] = { 0, 5 * block, disk_size - sizes[i] };
				struct request r = { offsets[k], sizes[i], places[n++ % 3],
						     sizes[i], sizes[i] };

				try_request(way, &r, request_memory());
			}
		}
	}
	try_requests(others, ARRAY_SIZE(others));
}

static void case_align(void)
{
	const struct request refused[] = {
		{ 0, block, 1, -EINVAL, -EINVAL },
		{ 0, block, 3 * block / 2, -EINVAL, -EINVAL },
		{ 0, block, block / 8, -EINVAL, -EINVAL },
		{ 0, block / 2, block, -EINVAL, -EINVAL },
		{ 0, block / 8, block, -EINVAL, -EINVAL },
		{ 0, block + 1, 0, -EINVAL, -EINVAL },
		{ 0, 2 * MIB + block / 2, 0, -EINVAL, -EINVAL },
	};
	char *buf = request_memory();
	struct iovec halves[2] = { { buf, block / 2 }, { buf + PAGE, block / 2 } };
	unsigned int i;

	try_requests(refused, ARRAY_SIZE(refused));
	for (i = 1; i < mem_align; i *= 2) {
		const struct request unaligned[] = {
			{ i, block, block, -EINVAL, -EINVAL }, { i, MIB, block, -EINVAL, -EINVAL },
		};

		try_requests(unaligned, ARRAY_SIZE(unaligned));
	}
	/* Refused up to 6.17, and later where the disk's memory segments are limited. */
	trying("two halves of a block");
	disk_fill(0, 8 * PAGE, 1);
	expect_call(preadv(raw_fd, halves, 2, 0), sys_result(preadv(blk_fd, halves, 2, 0)),
		    "readv");
	fill(buf, block / 2, 0, 1);
	fill(buf + PAGE, block / 2, block / 2, 1);
	expect_call(pwritev(raw_fd, halves, 2, 0), sys_result(pwritev(blk_fd, halves, 2, 0)),
		    "writev");
	disk_check(0, 8 * PAGE, 1, "the disk");
	if (mem_align > 512)
		fail("memory must be aligned to %u bytes, more than 512", mem_align);
}

static void try_end(size_t len, size_t inside)
{
	const struct request r[] = {
		{ 0, len, disk_size, 0, -ENOSPC },
		{ 0, len, disk_size + 8 * block, 0, -ENOSPC },
		{ 0, len, 1ULL << 62, 0, -ENOSPC },
		{ 0, len, disk_size - inside, inside, inside },
	};

	try_requests(r, ARRAY_SIZE(r));
}

static void case_end(void)
{
	char *buf = request_memory();
	unsigned int i;

	for (i = 0; i < NR_SIZES; i++) {
		if (sizes[i] > block)
			try_end(sizes[i], block);
		if (sizes[i] > 4 * PAGE)
			try_end(sizes[i], sizes[i] - 3 * block);
	}

	trying("read() up to the end");
	expect(lseek(raw_fd, -(off_t)block, SEEK_END), disk_size - block, "lseek");
	expect_call(read(raw_fd, buf, 4 * block), block, "read");
	expect_call(read(raw_fd, buf, 4 * block), 0, "next read");
	expect_call(write(raw_fd, buf, 4 * block), -ENOSPC, "write");
	expect(lseek(raw_fd, 0, SEEK_CUR), disk_size, "position");
}

static void case_zero(void)
{
	const struct request r[] = {
		{ 0, 0, 0, 0, 0 }, { 0, 0, disk_size - block, 0, 0 }, { 0, 0, disk_size, 0, 0 },
	};
	struct iovec none = { 0 };

	try_requests(r, ARRAY_SIZE(r));
	trying("no pieces");
	expect_call(preadv(raw_fd, &none, 0, 0), 0, "readv");
	expect_call(pwritev(raw_fd, &none, 0, 0), 0, "writev");
}

/* Mapped anew: user-mode Linux goes on to read a page that once was there through PROT_NONE. */
static void map_page(void *page, int how)
{
	if (mmap(page, PAGE, how, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		fail("mmap: %s", strerror(errno));
}

/*
 * Page number @hole of the request's @pages is not there: as on the disk, which may move part of
 * the block before it.
 */
static void try_fault(enum way way, size_t pages, size_t hole, size_t offset)
{
	size_t len = (pages - 1) * PAGE, good = hole ? hole * PAGE - offset : 0, done;
	char *mem = request_memory(), *buf = mem + offset;
	static char *disk;
	long wanted;

	if (!disk)
		disk = load_memory(MAX_IO, 0);
	map_page(mem + hole * PAGE, PROT_NONE);
	trying("%s, page %zu of %zu missing, memory offset %zu", way_names[way], hole, pages,
	       offset);
	disk_fill(0, len, 1);
	wanted = rw_file(blk_fd, way, 0, buf, len, 0);
	memset(buf, 0, good);
	expect(rw(way, 0, buf, len, 0), wanted, "read");
	if (wanted > (long)good)
		fail("read into memory that is not there");
	if (wanted > 0)
		check(buf, wanted / 8 * 8, 0, 1, "what was read");

	fill(buf, good / 8 * 8, 0, 2);
	wanted = rw_file(blk_fd, way, 1, buf, len, 0);
	disk_fill(0, len, 1);
	expect(rw(way, 1, buf, len, 0), wanted, "write");
	if (wanted > (long)good)
		fail("wrote from memory that is not there");
	done = wanted > 0 ? wanted : 0;
	disk_io(0, disk, len, 0);
	check(disk, done / 8 * 8, 0, 2, "what was written");
	/* Of a request that failed, some may have been. */
	done = ((done ? done : good) + 7) / 8 * 8;
	check(disk + done, len - done, done, 1, "what is behind it");
	map_page(mem + hole * PAGE, PROT_READ | PROT_WRITE);
}

static void case_fault(void)
{
	static const size_t holes[][2] = {	/* pages, the one that is missing */
		{ 3, 0 }, { 3, 1 }, { 8, 5 }, { 40, 0 }, { 40, 33 }, { 256, 255 },
		{ 700, 300 }, { 700, 600 },
	};
	char *readonly = load_memory(1 * MIB, 0);
	unsigned int i, n;
	enum way way;

	fill(readonly, 1 * MIB, 0, 3);
	if (mprotect(readonly, 1 * MIB, PROT_READ))
		fail("mprotect: %s", strerror(errno));
	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < ARRAY_SIZE(holes); i++) {
			try_fault(way, holes[i][0], holes[i][1], 0);
			try_fault(way, holes[i][0], holes[i][1], 512);
			try_fault(way, holes[i][0], holes[i][1], PAGE - mem_align);
		}
		for (n = PAGE; n <= MIB; n *= 16) {
			trying("%s, %u bytes of read-only memory", way_names[way], n);
			expect(rw(way, 0, readonly, n, 0), -EFAULT, "read");
			disk_fill(0, n, 1);
			expect(rw(way, 1, readonly, n, 0), n, "write");
			disk_check(0, n, 3, "what was written");
		}
		trying("%s, no memory at all", way_names[way]);
		expect(rw(way, 0, (void *)PAGE, PAGE, 0), -EFAULT, "read");
		expect(rw(way, 1, (void *)PAGE, PAGE, 0), -EFAULT, "write");
	}
}

static long rw_flags(int write, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(write ? pwritev2(raw_fd, &iov, 1, 0, flags) :
				  preadv2(raw_fd, &iov, 1, 0, flags));
}

static void case_flags(void)
{
	int buffered = open_node(blk_name, O_RDWR), dsync = open_raw(O_RDWR | O_DSYNC);
	static const int write_flags[] = { 0, RWF_HIPRI, RWF_DSYNC, RWF_SYNC };
	char *buf = request_memory();
	unsigned int i, k;

	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < NR_SIZES; i++) {
		trying("%zu bytes", sizes[i]);
		expect(rw_flags(0, buf, sizes[i], RWF_HIPRI), sizes[i], "RWF_HIPRI read");
		check(buf, sizes[i], 0, 1, "what RWF_HIPRI read");
	}

	trying("dirty page cache");
	fill(buf, PAGE, 0, 2);
	expect_call(pwrite(buffered, buf, PAGE, 0), PAGE, "buffered write");
	/* It cannot tell what would wait, and does not say so. */
	expect(rw_flags(0, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT read");
	expect(rw_flags(1, buf, PAGE, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT write");
	expect(rw_flags(0, buf, PAGE, 0), PAGE, "waiting read");
	check(buf, PAGE, 0, 2, "what was read");

	for (i = 0; i < NR_SIZES; i++) {
		for (k = 0; k < ARRAY_SIZE(write_flags); k++) {
			trying("%s %#x, %zu bytes", k ? "write flags" : "O_DSYNC", write_flags[k],
			       sizes[i]);
			fill(buf, sizes[i], 0, 3 + k);
			expect(k ? rw_flags(1, buf, sizes[i], write_flags[k]) :
			       sys_result(pwrite(dsync, buf, sizes[i], 0)), sizes[i], "write");
			disk_check(0, sizes[i], 3 + k, "what was written");
		}
	}
	trying("fsync");
	expect_call(fsync(raw_fd), 0, "fsync");
	expect_call(fdatasync(raw_fd), 0, "fdatasync");
}

/* O_DIRECT is allowed, at open and later, and changes nothing. */
static void case_direct(void)
{
	static const int later[] = { O_DIRECT, 0, O_DIRECT };
	int fd = open_node(raw_name, O_RDWR | O_DIRECT);
	char *buf = request_memory();
	unsigned int i;

	disk_fill(0, PAGE, 1);
	for (i = 0; i < ARRAY_SIZE(later); i++) {
		trying("O_DIRECT %s", later[i] ? "on" : "off");
		if (i)
			expect_call(fcntl(fd, F_SETFL, later[i]), 0, "F_SETFL");
		expect_call(pread(fd, buf, block / 2, 0), -EINVAL, "read of half a block");
		expect_call(pread(fd, buf, PAGE, 0), PAGE, "read");
		check(buf, PAGE, 0, 1, "what was read");
	}
}

static void case_seek(void)
{
	const struct { off_t to; int from; long gives; } seeks[] = {
		{ 0, SEEK_END, disk_size }, { -(off_t)block, SEEK_END, disk_size - block },
		{ block, SEEK_CUR, disk_size }, { 5 * block, SEEK_SET, 5 * block },
		{ -1, SEEK_SET, -EINVAL }, { disk_size + 1, SEEK_SET, -EINVAL },
		{ 1, SEEK_END, -EINVAL }, { 0, SEEK_CUR, 5 * block },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seeks); i++) {
		trying("seek to %jd from %d", (intmax_t)seeks[i].to, seeks[i].from);
		expect_call(lseek(raw_fd, seeks[i].to, seeks[i].from), seeks[i].gives, "lseek");
	}
}

/* read() and write() move the position by what they did. */
static void case_position(void)
{
	char *buf = request_memory();
	__u64 pos = 2 * block;
	unsigned int i;

	for (i = 0; i < NR_SIZES; i++) {
		trying("%zu bytes", sizes[i]);
		expect(lseek(raw_fd, pos, SEEK_SET), pos, "lseek");
		fill(buf, sizes[i], pos, i);
		expect_call(write(raw_fd, buf, sizes[i]), sizes[i], "write");
		expect(lseek(raw_fd, 0, SEEK_CUR), pos + sizes[i], "position after write");
		fill(buf, block, pos + sizes[i], i);
		expect_call(write(raw_fd, buf, block), block, "second write");
		disk_check(pos, sizes[i] + block, i, "what was written");

		expect(lseek(raw_fd, pos, SEEK_SET), pos, "lseek");
		expect_call(read(raw_fd, buf, block), block, "read");
		check(buf, block, pos, i, "what was read");
		expect_call(read(raw_fd, buf, sizes[i]), sizes[i], "second read");
		check(buf, sizes[i], pos + block, i, "what was read next");
		expect_call(pread(raw_fd, buf, block, 0), block, "pread");
		expect(lseek(raw_fd, 0, SEEK_CUR), pos + block + sizes[i], "position after all");
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

static void expect_cached(int fd, size_t len, size_t wanted)
{
	unsigned char *seen = malloc(len / PAGE);
	void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	size_t i, count = 0;

	if (!seen || map == MAP_FAILED || mincore(map, len, seen))
		fail("cannot see what of %s is cached: %s", blk_name, strerror(errno));
	for (i = 0; i < len / PAGE; i++)
		count += seen[i] & 1;
	expect(count, wanted, "the count of cached pages");
	munmap(map, len);
	free(seen);
}

/* Nothing comes into the cache of the block device. */
static void case_nocache(void)
{
	const size_t area = 3 * MIB;
	int buffered = open_node(blk_name, O_RDWR), write;
	char *buf = request_memory();
	enum way way;
	size_t at;

	disk_fill(0, area, 1);
	trying("a buffered read, which this case must see");
	expect_call(pread(buffered, buf, area, 0), area, "read");
	expect_cached(buffered, area, area / PAGE);
	expect_call(ioctl(buffered, BLKFLSBUF), 0, "BLKFLSBUF");
	for (way = SYNC; way < NR_WAYS; way++) {
		for (write = 0; write < 2; write++) {
			trying("%s, %s", way_names[way], rw_name(write));
			for (at = 0; at < area / 2; at += area / 64)
				expect(rw(way, write, buf, PAGE, at), PAGE, "small request");
			expect(rw(way, write, buf, area / 2, at), area / 2, "big request");
			expect_cached(buffered, area, 0);
		}
	}
}

/* Write generation 2 from the start of the disk, by a process of its own. */
static pid_t start_write(enum way way, char *buf, size_t len)
{
	pid_t child = fork_child();

	if (child)
		return child;
	fill(buf, len, 0, 2);
	expect(rw(way, 1, buf, len, 0), len, "write");
	exit(0);
}

/* BLOCKDEV holds writes back. A buffered read in mid-write leaves no stale cache behind. */
static void case_late(void)
{
	int buffered = open_node(blk_name, O_RDWR), status;
	char *buf = request_memory();
	unsigned int i;
	pid_t child;

	for (i = 0; i < NR_SIZES; i++) {
		trying("%zu bytes", sizes[i]);
		disk_fill(0, sizes[i], 1);
		expect_call(ioctl(buffered, BLKFLSBUF), 0, "BLKFLSBUF");
		child = start_write(SYNC, buf, sizes[i]);
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

/*
 * BLOCKDEV holds writes back. The write waits for the dirty page to be written, to drop it then. A
 * store to the mapped page meanwhile makes that fail. Both must be in the page and on the disk.
 */
static void case_kept(void)
{
	const size_t len = PAGE, last = PAGE - block;
	int buffered = open_node(blk_name, O_RDWR);
	char *buf = request_memory(), *map;
	enum way way;
	pid_t child;

	if (block > PAGE / 2)
		die(EXIT_SKIP, "a page holds one block of this disk");
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, buffered, 0);
	if (map == MAP_FAILED)
		fail("%s cannot be mapped: %s", blk_name, strerror(errno));
	for (way = SYNC; way < NR_WAYS; way++) {
		trying("%s", way_names[way]);
		fill(buf, len, 0, 1);
		expect_call(pwrite(buffered, buf, len, 0), len, "buffered write");
		child = start_write(way, buf, block);
		sleep_ms(100);
		fill(map + last, block, last, 3);
		child_done(child);
		check(map, block, 0, 2, "mapped disk after a write");
		expect_call(pread(buffered, buf, len, 0), len, "buffered read");
		check(buf, block, 0, 2, "buffered read after a write");
		expect_call(fsync(buffered), 0, "fsync");
		disk_check(0, block, 2, "the disk, where it was written");
		disk_check(block, last - block, 1, "the disk, where nobody wrote");
		disk_check(last, block, 3, "the disk, where it was stored to");
	}
}

const struct raw_case data_cases[] = {
	{ "data", case_data, NULL },
	{ "align", case_align, NULL },
	{ "end", case_end, NULL },
	{ "zero", case_zero, NULL },
	{ "fault", case_fault, NULL },
	{ "flags", case_flags, NULL },
	{ "direct", case_direct, NULL },
	{ "seek", case_seek, NULL },
	{ "position", case_position, NULL },
	{ "async", case_async, NULL },
	{ "nocache", case_nocache, NULL },
	{ "late", case_late, NULL },
	{ "kept", case_kept, NULL },
	{ }
};
