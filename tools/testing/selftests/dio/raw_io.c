// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what a raw device must do, a case at a time; run by test_raw.sh
 *
 *	raw_io CASE RAWDEV BLOCKDEV [ARG...]
 *
 * RAWDEV is bound to BLOCKDEV, whose content is lost. All data is stamped: each word of the disk
 * depends on its position and on a generation, so that data from another place or time is seen.
 * What goes through RAWDEV one way is checked through BLOCKDEV, opened with O_DIRECT, and the other
 * way round. Most cases are tried with every way to send a request (enum engine) and with sizes
 * that fit one bio on the stack, one allocated bio, and many bios. RAWDEV may be a block device
 * itself: it is then opened with O_DIRECT, for comparison.
 *
 * Exit status: 0 passed, 1 failed, 2 wrong usage, 4 skipped; one line on stderr says why.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/types.h>
#include <scsi/sg.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "raw_ioctl.h"

#define KIB		1024UL
#define MIB		(1024 * KIB)
#define PAGE		(4 * KIB)
#define MAX_IO		(3 * MIB + 4 * KIB)
#define TIME_LIMIT	300	/* seconds a case may take: far more than any needs */
#define __printf(f, a)	__attribute__((__format__(printf, f, a)))
#define __noreturn	__attribute__((__noreturn__))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum { EXIT_USAGE = 2, EXIT_SKIP = 4 };

/* The ways to send a request. */
enum engine { SYNC, VECTOR, AIO, URING, NR_ENGINES };
static const char * const engine_names[] = { "pread/pwrite", "readv/writev", "aio", "io_uring" };

static const char *raw_name, *blk_name;
static int raw_fd = -1, blk_fd = -1;	/* blk_fd with O_DIRECT */
static __u64 disk_size;
static unsigned int block;		/* logical block size */
static unsigned int mem_align;		/* what the disk demands of memory addresses */

/* What is being tried, for the line that says what went wrong. */
static char context[160];

static void __printf(1, 2) trying(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(context, sizeof(context), fmt, ap);
	va_end(ap);
}

static void __printf(1, 2) __noreturn die(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s%s", context, *context ? ": " : "");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

static void __printf(1, 2) __noreturn skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_SKIP);
}

#define async_die	die
#define async_skip	skip
#include "async.h"

/* @result is a count, or a negative error number. */
static void expect(long result, long wanted, const char *what)
{
	if (result != wanted)
		die("%s gave %s, not %s", what, result_name(result), result_name(wanted));
}

/*
 * Stamped data
 */

static __u64 stamp(__u64 pos, unsigned int gen)
{
	return (pos / 8 + 1) * 0x9e3779b97f4a7c15ULL ^ (gen + 1) * 0xff51afd7ed558ccdULL;
}

static void fill(void *buf, size_t len, __u64 pos, unsigned int gen)
{
	__u64 word;
	size_t i;

	for (i = 0; i < len; i += 8) {
		word = stamp(pos + i, gen);
		memcpy((char *)buf + i, &word, 8);
	}
}

static void check(const void *buf, size_t len, __u64 pos, unsigned int gen, const char *what)
{
	__u64 word, found;
	size_t i;

	for (i = 0; i < len; i += 8) {
		word = stamp(pos + i, gen);
		memcpy(&found, (const char *)buf + i, 8);
		if (found != word)
			die("%s: wrong data at byte %zu of %zu (disk position %llu)", what, i, len,
			    (unsigned long long)(pos + i));
	}
}

static void check_bytes(const unsigned char *buf, size_t len, int byte, const char *what)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (buf[i] != byte)
			die("%s: byte %zu of %zu was overwritten", what, i, len);
}

/* Memory in small pages, not in physical order as far as that can be had from user space. */
static void *get_memory(size_t len)
{
	size_t pages = (len + PAGE - 1) / PAGE, i;
	char *mem = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	if (mem == MAP_FAILED)
		die("no memory");
	madvise(mem, pages * PAGE, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i += 2)
		mem[(pages - 1 - i) * PAGE] = 1;
	memset(mem, 0, pages * PAGE);
	return mem;
}

/* The disk itself, not through the raw device. */
static void disk_io(int write, void *buf, size_t len, __u64 pos)
{
	ssize_t ret = write ? pwrite(blk_fd, buf, len, pos) : pread(blk_fd, buf, len, pos);

	if (ret != (ssize_t)len)
		die("%s of %zu bytes at %llu on %s gave %s", write ? "write" : "read", len,
		    (unsigned long long)pos, blk_name, result_name(sys_result(ret)));
}

static void *disk_buffer(size_t len)
{
	static void *buf;
	static size_t size;

	if (size < len) {
		if (buf)
			munmap(buf, size);
		buf = get_memory(len);
		size = len;
	}
	return buf;
}

static void disk_fill(__u64 pos, size_t len, unsigned int gen)
{
	void *buf = disk_buffer(len);

	if (!len)
		return;
	fill(buf, len, pos, gen);
	disk_io(1, buf, len, pos);
}

static void disk_check(__u64 pos, size_t len, unsigned int gen, const char *what)
{
	void *buf = disk_buffer(len);

	if (!len)
		return;
	disk_io(0, buf, len, pos);
	check(buf, len, pos, gen, what);
}

static long aio_one(struct iocb *cb)
{
	static aio_context_t ctx;
	struct io_event event;

	if (!ctx)
		ctx = aio_setup(1);
	aio_submit(ctx, &cb, 1);
	aio_reap(ctx, &event, 1, 1, NULL);
	return event.res;
}

static long ring_one(int op, void *addr, unsigned int len, __u64 pos)
{
	static struct ring ring = { .fd = -1 };

	if (ring.fd < 0)
		ring_setup(&ring, 1, 0);
	ring_queue(&ring, raw_fd, op, addr, len, pos, 0);
	ring_enter(&ring, 1);
	return ring_reap(&ring, NULL);
}

/*
 * One request through the raw device: bytes moved, or a negative error number
 */

/* Four pieces of whole blocks, one of them empty, so that pages are shared between pieces. */
static int split(struct iovec *iov, char *buf, size_t len)
{
	size_t unit = block > len ? len : block, first = len / 3 / unit * unit;
	size_t second = (len - first) / 2 / unit * unit;

	iov[0] = (struct iovec) { buf, first };
	iov[1] = (struct iovec) { buf + first, 0 };
	iov[2] = (struct iovec) { buf + first, second };
	iov[3] = (struct iovec) { buf + first + second, len - first - second };
	return 4;
}

static long rw(enum engine engine, int write, void *buf, size_t len, __u64 pos)
{
	struct iovec iov[4];
	struct iocb cb;

	switch (engine) {
	case VECTOR:
		split(iov, buf, len);
		return sys_result(write ? pwritev(raw_fd, iov, 4, pos) :
					  preadv(raw_fd, iov, 4, pos));
	case AIO:
		aio_prepare(&cb, raw_fd, write, buf, len, pos);
		return aio_one(&cb);
	case URING:
		return ring_one(write ? IORING_OP_WRITE : IORING_OP_READ, buf, len, pos);
	default:
		return sys_result(write ? pwrite(raw_fd, buf, len, pos) :
					  pread(raw_fd, buf, len, pos));
	}
}

static const char *rw_name(int write)
{
	return write ? "write" : "read";
}

/* An engine that this kernel lacks is left out; the cases "aio" and "uring" say so. */
static int engine_there(enum engine engine)
{
	static int there[NR_ENGINES] = { [SYNC] = 1, [VECTOR] = 1 };
	struct io_uring_params p = { 0 };
	aio_context_t ctx = 0;
	int fd;

	if (there[engine])
		return there[engine] > 0;

	if (engine == AIO) {
		there[AIO] = syscall(SYS_io_setup, 1, &ctx) ? -1 : 1;
		if (ctx)
			syscall(SYS_io_destroy, ctx);
	} else {
		fd = syscall(SYS_io_uring_setup, 1, &p);
		there[URING] = fd < 0 ? -1 : 1;
		if (fd >= 0)
			close(fd);
	}
	return there[engine] > 0;
}

static enum engine next_engine(enum engine e)
{
	do {
		e++;
	} while (e < NR_ENGINES && !engine_there(e));
	return e;
}

/* Sizes served from one bio on the stack, from one allocated bio, and from several. */
static const size_t sizes[] = { 4 * KIB, 16 * PAGE, 17 * PAGE, 1 * MIB, MAX_IO };

static int open_node(const char *name, int flags)
{
	int fd = open(name, flags);

	if (fd < 0)
		die("cannot open %s: %s", name, strerror(errno));
	return fd;
}

static int open_raw(int flags)
{
	struct stat st;

	if (!stat(raw_name, &st) && S_ISBLK(st.st_mode))
		flags |= O_DIRECT;
	return open(raw_name, flags);
}

/* A number from the queue's directory in /sys, or @missing. */
static unsigned long queue_attr(const char *name, unsigned long missing)
{
	unsigned long value = missing;
	char path[128];
	struct stat st;
	FILE *file;

	if (fstat(blk_fd, &st))
		die("%s: %s", blk_name, strerror(errno));
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s", major(st.st_rdev),
		 minor(st.st_rdev), name);
	file = fopen(path, "r");
	if (!file)
		return missing;
	if (fscanf(file, "%lu", &value) != 1)
		value = missing;
	fclose(file);
	return value;
}

/*
 * Data
 */

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

static void case_data(char **args)
{
	size_t offsets[] = { 0, mem_align, 512, 3 * KIB };
	char *mem = get_memory(MAX_IO + 3 * PAGE);
	unsigned int n = 0, i, k;
	enum engine e;

	(void)args;
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
static void case_model(char **args)
{
	size_t area = disk_size < 6 * MIB ? disk_size / PAGE * PAGE : 6 * MIB, len, at;
	unsigned char *model = get_memory(area), *mem = get_memory(area + PAGE), *buf;
	int buffered = open_node(blk_name, O_RDWR), write, i;
	unsigned int e;
	long ret;

	(void)args;
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
static void case_big(char **args)
{
	size_t room = disk_size > 9 * MIB ? 9 * MIB : disk_size / PAGE * PAGE, len;
	struct iovec iov[BIG_PIECES];
	char *mem = get_memory(room);
	unsigned int gen = 1;
	enum engine e;

	(void)args;
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
static void case_position(char **args)
{
	char *buf = get_memory(MAX_IO);
	__u64 pos;
	unsigned int i;

	(void)args;
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

static void case_seek(char **args)
{
	(void)args;
	expect(lseek(raw_fd, 0, SEEK_END), disk_size, "SEEK_END");
	expect(lseek(raw_fd, -(off_t)block, SEEK_END), disk_size - block, "SEEK_END - block");
	expect(lseek(raw_fd, block, SEEK_CUR), disk_size, "SEEK_CUR + block");
	expect(lseek(raw_fd, 5 * block, SEEK_SET), 5 * block, "SEEK_SET");
	expect(sys_result(lseek(raw_fd, -1, SEEK_SET)), -EINVAL, "SEEK_SET to -1");
	expect(sys_result(lseek(raw_fd, disk_size + 1, SEEK_SET)), -EINVAL, "seek behind the end");
	expect(sys_result(lseek(raw_fd, 1, SEEK_END)), -EINVAL, "SEEK_END + 1");
	expect(lseek(raw_fd, 0, SEEK_CUR), 5 * block, "position after refused seeks");
}

/*
 * Limits and errors
 */

/* A request that must be refused, and must change nothing. */
static void try_refused(enum engine e, char *buf, size_t len, __u64 pos, const char *what)
{
	int write;

	for (write = 0; write < 2; write++) {
		trying("%s, %s of %zu bytes at %llu, %s", engine_names[e], rw_name(write), len,
		       (unsigned long long)pos, what);
		memset(buf, 0xa5, len);
		expect(rw(e, write, buf, len, pos), -EINVAL, "request");
		check_bytes((unsigned char *)buf, len, 0xa5, "memory");
	}
	disk_check(0, 8 * PAGE, 1, "the disk");
}

static void case_align(char **args)
{
	char *buf = get_memory(MAX_IO + PAGE);
	struct iovec iov[2];
	enum engine e;
	unsigned int i;

	(void)args;
	disk_fill(0, 8 * PAGE, 1);
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		try_refused(e, buf, block, 1, "odd position");
		try_refused(e, buf, block, 3 * block / 2, "half a block's position");
		try_refused(e, buf, block / 2, block, "half a block");
		try_refused(e, buf, block + 1, 0, "odd length");
		try_refused(e, buf, 2 * MIB + block / 2, 0, "half a block too long");
		if (block > 512) {
			try_refused(e, buf, 512, block, "512 bytes");
			try_refused(e, buf, block, 512, "position 512");
		}
		for (i = 1; i < mem_align; i *= 2) {
			try_refused(e, buf + i, block, block, "memory not aligned");
			try_refused(e, buf + i, 1 * MIB, block, "memory not aligned");
		}
	}
	trying("two halves of a block");
	iov[0] = (struct iovec) { buf, block / 2 };
	iov[1] = (struct iovec) { buf + PAGE, block / 2 };
	expect(sys_result(preadv(raw_fd, iov, 2, 0)), -EINVAL, "readv");
	expect(sys_result(pwritev(raw_fd, iov, 2, 0)), -EINVAL, "writev");
	disk_check(0, 8 * PAGE, 1, "the disk");
	if (mem_align > 512)
		die("memory must be aligned to %u bytes, more than 512", mem_align);
}

static void try_end(enum engine e, unsigned char *buf, size_t len, size_t inside)
{
	trying("%s, %zu bytes of which %zu are before the end", engine_names[e], len, inside);
	disk_fill(disk_size - inside - block, inside + block, 1);

	memset(buf, 0xa5, len);
	expect(rw(e, 0, buf, len, disk_size), 0, "read at the end");
	expect(rw(e, 0, buf, len, disk_size + 8 * block), 0, "read behind the end");
	expect(rw(e, 0, buf, len, 1ULL << 62), 0, "read far behind the end");
	check_bytes(buf, len, 0xa5, "memory");
	expect(rw(e, 1, buf, len, disk_size), -ENOSPC, "write at the end");
	expect(rw(e, 1, buf, len, disk_size + 8 * block), -ENOSPC, "write behind the end");
	expect(rw(e, 1, buf, len, 1ULL << 62), -ENOSPC, "write far behind the end");

	expect(rw(e, 0, buf, len, disk_size - inside), inside, "read across the end");
	check(buf, inside, disk_size - inside, 1, "what was read");
	check_bytes(buf + inside, len - inside, 0xa5, "memory behind the end");
	fill(buf, len, disk_size - inside, 2);
	expect(rw(e, 1, buf, len, disk_size - inside), inside, "write across the end");
	disk_check(disk_size - inside, inside, 2, "what was written");
	disk_check(disk_size - inside - block, block, 1, "what is before it");
}

static void case_end(char **args)
{
	unsigned char *buf = get_memory(MAX_IO);
	enum engine e;
	unsigned int i;

	(void)args;
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			if (sizes[i] > block)
				try_end(e, buf, sizes[i], block);
			if (sizes[i] > 4 * PAGE)
				try_end(e, buf, sizes[i], sizes[i] - 3 * block);
		}
	}

	trying("read() up to the end");
	expect(lseek(raw_fd, -(off_t)block, SEEK_END), disk_size - block, "lseek");
	expect(sys_result(read(raw_fd, buf, 4 * block)), block, "read");
	expect(sys_result(read(raw_fd, buf, 4 * block)), 0, "next read");
	expect(sys_result(write(raw_fd, buf, 4 * block)), -ENOSPC, "write");
	expect(lseek(raw_fd, 0, SEEK_CUR), disk_size, "position");
}

static void case_zero(char **args)
{
	__u64 places[] = { 0, disk_size - block, disk_size };
	struct iovec iov = { 0 };
	unsigned int i;
	enum engine e;
	char byte;

	(void)args;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		trying("at %llu", (unsigned long long)places[i]);
		expect(sys_result(preadv(raw_fd, &iov, 0, places[i])), 0, "readv of no piece");
		expect(sys_result(preadv(raw_fd, &iov, 1, places[i])), 0, "readv of nothing");
		expect(sys_result(pwritev(raw_fd, &iov, 1, places[i])), 0, "writev of nothing");
		for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
			if (e == VECTOR)
				continue;
			trying("%s at %llu", engine_names[e], (unsigned long long)places[i]);
			expect(rw(e, 0, &byte, 0, places[i]), 0, "read of nothing");
			expect(rw(e, 1, &byte, 0, places[i]), 0, "write of nothing");
		}
	}
}

/* Not unmapped: somebody else's memory would soon be there. */
static void make_hole(void *page)
{
	if (mprotect(page, PAGE, PROT_NONE))
		die("mprotect: %s", strerror(errno));
}

/* Page number @hole of the request's @pages is not there. */
static void try_fault(enum engine e, size_t pages, size_t hole, size_t offset)
{
	size_t len = (pages - 1) * PAGE, good = (hole * PAGE - offset) / block * block;
	char *mem = get_memory(pages * PAGE), *buf = mem + offset;
	long wanted;

	if (!hole)
		good = 0;
	wanted = good ? (long)good : -EFAULT;
	make_hole(mem + hole * PAGE);
	trying("%s, page %zu of %zu missing, memory offset %zu", engine_names[e], hole, pages,
	       offset);
	disk_fill(0, len, 1);
	expect(rw(e, 0, buf, len, 0), wanted, "read");
	check(buf, good, 0, 1, "what was read");
	fill(buf, good, 0, 2);
	expect(rw(e, 1, buf, len, 0), wanted, "write");
	disk_check(0, good, 2, "what was written");
	disk_check(good, len - good, 1, "what is behind it");
	munmap(mem, pages * PAGE);
}

static void case_fault(char **args)
{
	static const size_t holes[][2] = {	/* pages, the one that is missing */
		{ 3, 0 }, { 3, 1 }, { 8, 5 }, { 40, 0 }, { 40, 33 }, { 256, 255 },
		{ 700, 300 }, { 700, 600 },
	};
	char *readonly = get_memory(1 * MIB);
	unsigned int i, n;
	enum engine e;

	(void)args;
	fill(readonly, 1 * MIB, 0, 3);
	if (mprotect(readonly, 1 * MIB, PROT_READ))
		die("mprotect: %s", strerror(errno));
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (i = 0; i < ARRAY_SIZE(holes); i++) {
			try_fault(e, holes[i][0], holes[i][1], 0);
			try_fault(e, holes[i][0], holes[i][1], 512);
			try_fault(e, holes[i][0], holes[i][1], PAGE - mem_align);
		}
		for (n = PAGE; n <= MIB; n *= 16) {
			trying("%s, %u bytes of read-only memory", engine_names[e], n);
			expect(rw(e, 0, readonly, n, 0), -EFAULT, "read");
			disk_fill(0, n, 1);
			expect(rw(e, 1, readonly, n, 0), n, "write");
			disk_check(0, n, 3, "what was written");
		}
		trying("%s, no memory at all", engine_names[e]);
		expect(rw(e, 0, (void *)PAGE, PAGE, 0), -EFAULT, "read");
		expect(rw(e, 1, (void *)PAGE, PAGE, 0), -EFAULT, "write");
	}
}

static long preadv_flags(void *buf, size_t len, __u64 pos, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(preadv2(raw_fd, &iov, 1, pos, flags));
}

static long pwritev_flags(void *buf, size_t len, __u64 pos, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(pwritev2(raw_fd, &iov, 1, pos, flags));
}

/* A non-blocking request may say "not now", but on an idle disk not for ever. */
static void try_nowait(char *buf, size_t len)
{
	long ret = -EAGAIN;
	int tries;

	trying("RWF_NOWAIT, %zu bytes", len);
	for (tries = 0; ret == -EAGAIN && tries < 1000; tries++)
		ret = preadv_flags(buf, len, 0, RWF_NOWAIT);
	/* What does not fit one request of the disk is never sent without waiting. */
	if (ret == -EAGAIN && len > queue_attr("max_sectors_kb", 128) * KIB / 2)
		return;
	expect(ret, len, "read");
	check(buf, len, 0, 1, "what was read");
}

static void case_flags(char **args)
{
	int buffered = open_node(blk_name, O_RDWR), dsync = open_raw(O_RDWR | O_DSYNC), fd;
	char *buf = get_memory(MAX_IO);
	static const int write_flags[] = { RWF_HIPRI, RWF_DSYNC, RWF_SYNC };
	unsigned int i, k;

	(void)args;
	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("%zu bytes", sizes[i]);
		expect(preadv_flags(buf, sizes[i], 0, RWF_HIPRI), sizes[i], "RWF_HIPRI read");
		check(buf, sizes[i], 0, 1, "what RWF_HIPRI read");
		try_nowait(buf, sizes[i]);
	}

	trying("dirty page cache");
	fill(buf, PAGE, 0, 2);
	expect(sys_result(pwrite(buffered, buf, PAGE, 0)), PAGE, "buffered write");
	expect(preadv_flags(buf, PAGE, 0, RWF_NOWAIT), -EAGAIN, "RWF_NOWAIT read");
	expect(pwritev_flags(buf, PAGE, 0, RWF_NOWAIT), -EAGAIN, "RWF_NOWAIT write");
	expect(preadv_flags(buf, PAGE, 0, 0), PAGE, "waiting read");
	check(buf, PAGE, 0, 2, "what was read");

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < ARRAY_SIZE(write_flags); k++) {
			trying("write flags %#x, %zu bytes", write_flags[k], sizes[i]);
			fill(buf, sizes[i], 0, 3 + k);
			expect(pwritev_flags(buf, sizes[i], 0, write_flags[k]), sizes[i], "write");
			disk_check(0, sizes[i], 3 + k, "what was written");
		}
		trying("O_DSYNC, %zu bytes", sizes[i]);
		fill(buf, sizes[i], 0, 6);
		expect(sys_result(pwrite(dsync, buf, sizes[i], 0)), sizes[i], "write");
		disk_check(0, sizes[i], 6, "what was written");
	}
	trying("fsync");
	expect(sys_result(fsync(raw_fd)), 0, "fsync");
	expect(sys_result(fdatasync(raw_fd)), 0, "fdatasync");

	trying("access mode");
	fd = open_raw(O_RDONLY);
	expect(sys_result(pread(fd, buf, PAGE, 0)), PAGE, "read of a read-only file");
	expect(sys_result(pwrite(fd, buf, PAGE, 0)), -EBADF, "write of a read-only file");
	fd = open_raw(O_WRONLY);
	expect(sys_result(pread(fd, buf, PAGE, 0)), -EBADF, "read of a write-only file");
	expect(sys_result(pwrite(fd, buf, PAGE, 0)), PAGE, "write of a write-only file");
}

/* O_DIRECT is allowed, at open and later, and changes nothing. */
static void case_direct(char **args)
{
	char *buf = get_memory(PAGE);
	int fd = open(raw_name, O_RDWR | O_DIRECT);

	(void)args;
	if (fd < 0)
		die("open with O_DIRECT: %s", strerror(errno));
	disk_fill(0, PAGE, 1);
	expect(sys_result(pread(fd, buf, PAGE, 0)), PAGE, "read");
	check(buf, PAGE, 0, 1, "what was read");
	expect(sys_result(pread(fd, buf, block / 2, 0)), -EINVAL, "read of half a block");
	expect(sys_result(fcntl(fd, F_SETFL, 0)), 0, "O_DIRECT off");
	expect(sys_result(pread(fd, buf, block / 2, 0)), -EINVAL, "read of half a block");
	expect(sys_result(fcntl(fd, F_SETFL, O_DIRECT)), 0, "O_DIRECT on");
	expect(sys_result(pread(fd, buf, PAGE, 0)), PAGE, "read");
}

/* Part of a big request fails: all of it does, wherever that part is, and the next one works. */
static void case_badblock(char **args)
{
	__u64 bad = strtoull(args[0], NULL, 0), at;
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

/*
 * Many requests at once
 */

#define DEPTH 512

static size_t slot_limit = 128 * KIB;

/* Cut the disk into DEPTH slots, each with a request of its own size. */
static size_t slot_size(void)
{
	size_t size = disk_size / DEPTH / block * block;

	return size > slot_limit ? slot_limit : size;
}

static size_t slot_len(unsigned int i)
{
	return (1 + i * 7 % (slot_size() / block)) * block;
}

static void try_aio(aio_context_t ctx, char *mem, int write, unsigned int gen, int notify)
{
	size_t slot = slot_size();
	struct io_event events[DEPTH];
	struct iocb cbs[DEPTH], *list[DEPTH];
	__u64 count, total = 0;
	unsigned int i;

	for (i = 0; i < DEPTH; i++) {
		char *buf = mem + i * slot;

		list[i] = &cbs[i];
		fill(buf, slot, i * slot, write ? gen : 0);
		aio_prepare(&cbs[i], raw_fd, write, buf, slot_len(i), i * slot);
		cbs[i].aio_flags = IOCB_FLAG_RESFD;
		cbs[i].aio_resfd = notify;
	}
	trying("%d requests, %s", DEPTH, rw_name(write));
	aio_submit(ctx, list, DEPTH);
	aio_reap(ctx, events, DEPTH, DEPTH, NULL);
	for (i = 0; i < DEPTH; i++) {
		struct iocb *cb = (struct iocb *)(uintptr_t)events[i].data;

		expect(events[i].res, cb->aio_nbytes, "one of them");
		cb->aio_data = 0;
	}
	for (i = 0; i < DEPTH; i++) {
		if (cbs[i].aio_data)
			die("request %u was not completed", i);
		if (!write)
			check(mem + i * slot, slot_len(i), i * slot, gen, "what was read");
	}
	while (total < DEPTH) {
		if (read(notify, &count, sizeof(count)) != sizeof(count))
			die("eventfd: %s", strerror(errno));
		total += count;
	}
	if (total != DEPTH)
		die("eventfd counted %llu", (unsigned long long)total);
}

static void case_aio(char **args)
{
	size_t slot = slot_size();
	char *mem = get_memory(slot * DEPTH);
	aio_context_t ctx = aio_setup(DEPTH);
	int notify = eventfd(0, 0);
	struct iocb cb;
	unsigned int i;

	(void)args;
	disk_fill(0, slot * DEPTH, 1);
	try_aio(ctx, mem, 0, 1, notify);
	try_aio(ctx, mem, 1, 2, notify);
	for (i = 0; i < DEPTH; i++) {
		disk_check(i * slot, slot_len(i), 2, "what was written");
		disk_check(i * slot + slot_len(i), slot - slot_len(i), 1, "what is behind it");
	}
	trying("fsync");
	aio_prepare(&cb, raw_fd, 0, NULL, 0, 0);
	cb.aio_lio_opcode = IOCB_CMD_FSYNC;
	expect(aio_one(&cb), 0, "IOCB_CMD_FSYNC");

	/* Freed while in flight: the kernel must wait for the disk, not for us. */
	trying("io_destroy with requests in flight");
	for (i = 0; i < 16; i++) {
		struct iocb *list = &cb;

		aio_prepare(&cb, raw_fd, 0, mem + i * slot, slot, i * slot);
		aio_submit(ctx, &list, 1);
	}
	if (syscall(SYS_io_destroy, ctx))
		die("io_destroy: %s", strerror(errno));
}

/* As many io_uring requests as the ring takes, of either kind of buffer. */
static void try_uring(struct ring *r, char *mem, int write, int fixed, unsigned int gen)
{
	int op = write ? IORING_OP_WRITE : IORING_OP_READ;
	char seen[DEPTH] = { 0 };
	size_t slot = slot_size();
	unsigned int i;
	__u64 index;
	long ret;

	trying("%d requests, %s%s", DEPTH, rw_name(write), fixed ? ", registered memory" : "");
	if (fixed)
		op = write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
	for (i = 0; i < DEPTH; i++) {
		fill(mem + i * slot, slot, i * slot, write ? gen : 0);
		ring_queue(r, raw_fd, op, mem + i * slot, slot_len(i), i * slot, i);
	}
	ring_enter(r, 1);
	for (i = 0; i < DEPTH; i++) {
		ret = ring_reap(r, &index);
		if (index >= DEPTH || seen[index]++)
			die("completion of request %llu came twice", (unsigned long long)index);
		expect(ret, slot_len(index), "one of them");
	}
	for (i = 0; i < DEPTH; i++) {
		if (write)
			disk_check(i * slot, slot_len(i), gen, "what was written");
		else
			check(mem + i * slot, slot_len(i), i * slot, gen, "what was read");
	}
}

/* Registered memory of 3 MiB in one request, from anywhere in it. */
static void try_fixed_big(struct ring *r, char *mem, size_t room)
{
	size_t len = 3 * MIB < room / 2 ? 3 * MIB : room / 2 / block * block;
	size_t offsets[] = { 0, PAGE, 3 * PAGE };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		trying("registered memory, %zu bytes at offset %zu", len, offsets[i]);
		disk_fill(0, len, i + 1);
		memset(mem, 0xa5, offsets[i] + len + PAGE);
		ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem + offsets[i], len, 0, 0);
		ring_enter(r, 1);
		expect(ring_reap(r, NULL), len, "read");
		check(mem + offsets[i], len, 0, i + 1, "what was read");
		check_bytes((unsigned char *)mem, offsets[i], 0xa5, "memory before it");
		check_bytes((unsigned char *)mem + offsets[i] + len, PAGE, 0xa5,
			    "memory behind it");
		fill(mem + offsets[i], len, 0, i + 11);
		ring_queue(r, raw_fd, IORING_OP_WRITE_FIXED, mem + offsets[i], len, 0, 0);
		ring_enter(r, 1);
		expect(ring_reap(r, NULL), len, "write");
		disk_check(0, len, i + 11, "what was written");
	}
	trying("registered memory at the end of the disk");
	disk_fill(disk_size - block, block, 5);
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, 4 * block, disk_size - block, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), block, "read across the end");
	check(mem, block, disk_size - block, 5, "what was read");
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, 4 * block, disk_size, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), 0, "read at the end");
	ring_queue(r, raw_fd, IORING_OP_READ_FIXED, mem, block / 2, 0, 0);
	ring_enter(r, 1);
	expect(ring_reap(r, NULL), -EINVAL, "read of half a block");
}

static void run_rings(unsigned int flags)
{
	size_t room = slot_size() * DEPTH;
	char *mem = get_memory(room + 4 * PAGE);
	struct iovec iov = { mem, room + 4 * PAGE };
	struct ring ring;

	ring_setup(&ring, DEPTH, flags);
	if (syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &iov, 1))
		die("memory cannot be registered: %s", strerror(errno));
	disk_fill(0, room, 1);
	try_uring(&ring, mem, 0, 0, 1);
	try_uring(&ring, mem, 1, 0, 2);
	disk_fill(0, room, 3);
	try_uring(&ring, mem, 0, 1, 3);
	try_uring(&ring, mem, 1, 1, 4);
	if (!flags)
		try_fixed_big(&ring, mem, room);
	close(ring.fd);
}

static void case_uring(char **args)
{
	(void)args;
	run_rings(0);
	trying("fsync");
	expect(ring_one(IORING_OP_FSYNC, NULL, 0, 0), 0, "IORING_OP_FSYNC");
}

/*
 * Polled completions, of more requests than the disk takes at a time. Each fits one request of the
 * disk: io_uring of 6.1 tries for ever what would have to be split.
 */
static void case_poll(char **args)
{
	(void)args;
	if (!queue_attr("io_poll", 0))
		skip("%s cannot be polled", blk_name);
	slot_limit = 32 * KIB;
	raw_fd = open_node(raw_name, O_RDWR | O_DIRECT);
	run_rings(IORING_SETUP_IOPOLL);
}

/* One process of case_procs: keeps many requests in flight on its own slots of the disk. */
static void hammer(unsigned int self, unsigned int procs)
{
	enum { NR = 16, ROUNDS = 20 };
	size_t slot = slot_size();
	char *mem = get_memory(NR * slot);
	aio_context_t ctx = aio_setup(NR);
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	unsigned int i, round, write;
	__u64 pos;

	for (round = 0; round < ROUNDS; round++) {
		for (write = 2; write-- > 0; ) {
			for (i = 0; i < NR; i++) {
				pos = (i * procs + self) * slot;
				list[i] = &cbs[i];
				fill(mem + i * slot, slot, pos, write ? 100 * self + round : 0);
				aio_prepare(&cbs[i], raw_fd, write, mem + i * slot, slot, pos);
			}
			trying("process %u, round %u, %s", self, round, rw_name(write));
			aio_submit(ctx, list, NR);
			aio_reap(ctx, events, NR, NR, NULL);
			for (i = 0; i < NR; i++)
				expect(events[i].res, slot, "a request");
		}
		for (i = 0; i < NR; i++)
			check(mem + i * slot, slot, (i * procs + self) * slot, 100 * self + round,
			      "what was read");
	}
}

static void wait_all(unsigned int procs)
{
	int status, bad = 0;

	while (procs--) {
		if (wait(&status) < 0)
			die("wait: %s", strerror(errno));
		bad |= status;
	}
	if (bad)
		exit(EXIT_FAILURE);	/* the child has said why */
}

static void case_procs(char **args)
{
	enum { PROCS = 8 };
	unsigned int i;

	(void)args;
	for (i = 0; i < PROCS; i++) {
		if (fork())
			continue;
		/* Half of them share the file, half have their own. */
		if (i % 2) {
			raw_fd = open_raw(O_RDWR);
			if (raw_fd < 0)
				die("open: %s", strerror(errno));
		}
		alarm(TIME_LIMIT);
		hammer(i, PROCS);
		exit(0);
	}
	wait_all(PROCS);
}

/*
 * The page cache of the block device
 */

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

static void case_coherent(char **args)
{
	char *buf = get_memory(MAX_IO + 2 * PAGE), *map;
	int buffered = open_node(blk_name, O_RDWR);
	unsigned int i, gen = 1;
	enum engine e;

	(void)args;
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

static void case_nocache(char **args)
{
	size_t area = 4 * MIB, left, at;
	int buffered = open_node(blk_name, O_RDWR);
	char *buf = get_memory(area);
	enum engine e;
	int write;

	(void)args;
	disk_fill(0, area, 1);
	expect(sys_result(pread(buffered, buf, area, 0)), area, "buffered read");
	left = cached_pages(buffered, area);
	if (left != area / PAGE)
		die("a buffered read left %zu pages in the cache: this case sees nothing", left);
	expect(sys_result(ioctl(buffered, BLKFLSBUF)), 0, "BLKFLSBUF");
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (write = 0; write < 2; write++) {
			trying("%s, %s", engine_names[e], rw_name(write));
			for (at = 0; at < area / 2; at += PAGE)
				expect(rw(e, write, buf, PAGE, at), PAGE, "small request");
			expect(rw(e, write, buf, area / 2, at), area / 2, "big request");
			left = cached_pages(buffered, area);
			if (left)
				die("%zu pages came into the cache", left);
		}
	}
}

/* BLOCKDEV holds writes back. A buffered read in mid-write leaves no stale cache behind. */
static void case_late(char **args)
{
	int buffered = open_node(blk_name, O_RDWR), status;
	char *buf = get_memory(MAX_IO);
	unsigned int i;
	pid_t child;

	(void)args;
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

/*
 * Memory that is in use by the disk
 */

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* BLOCKDEV holds reads back. Requests are sent, not carried out, by the calls that send them. */
static void case_async(char **args)
{
	enum { NR = 8 };
	char *mem = get_memory(NR * MAX_IO);
	aio_context_t ctx = aio_setup(NR);
	struct timespec none = { 0 };
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	struct ring ring;
	unsigned int i, k;

	(void)args;
	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("aio, %zu bytes", sizes[i]);
		for (k = 0; k < NR; k++) {
			list[k] = &cbs[k];
			aio_prepare(&cbs[k], raw_fd, 0, mem + k * MAX_IO, sizes[i], 0);
		}
		aio_submit(ctx, list, NR);
		if (aio_reap(ctx, events, 0, NR, &none) == NR)
			die("io_submit returned when all was read");
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
		die("io_uring_enter returned when a request was done");
	for (k = 0; k < NR; k++)
		expect(ring_reap(&ring, NULL), 1 * MIB, "a request");
	for (k = 0; k < NR; k++)
		check(mem + k * MAX_IO, 1 * MIB, 0, 1, "what was read");
}

/* A thread, in that it shares our memory; its end says what the read gave. */
struct reader {
	enum engine engine;
	char *buf;
	size_t len;
	long result;
	char stack[64 * KIB];	/* clone() aligns its top */
};

static int reader_main(void *arg)
{
	struct reader *r = arg;

	r->result = rw(r->engine, 0, r->buf, r->len, 0);
	return 0;
}

static pid_t reader_start(struct reader *r)
{
	pid_t pid = clone(reader_main, r->stack + sizeof(r->stack), CLONE_VM | CLONE_FILES, r);

	if (pid < 0)
		die("clone: %s", strerror(errno));
	return pid;
}

static void reader_finish(struct reader *r, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || status)
		die("the reader failed");
	expect(r->result, r->len, "read");
}

/*
 * BLOCKDEV holds reads back. A process that forks while the disk writes into its memory, and then
 * writes into the same page itself, sees the data in its own copy of the page.
 */
static void case_fork(char **args)
{
	static const size_t lens[] = { 2 * KIB, 128 * KIB, 2 * MIB };
	static struct reader r;
	unsigned int i;
	pid_t reader, child;

	(void)args;
	for (r.engine = SYNC; r.engine < NR_ENGINES; r.engine = next_engine(r.engine)) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			r.len = lens[i] < block ? block : lens[i];
			trying("%s, %zu bytes", engine_names[r.engine], r.len);
			disk_fill(0, r.len, 1);
			r.buf = (char *)get_memory(r.len + 2 * PAGE) + PAGE / 2;
			reader = reader_start(&r);
			sleep_ms(60);
			child = fork();
			if (!child) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				pause();
				_exit(0);
			}
			/* the bytes of the first and last page that the disk does not write */
			r.buf[-1] = 1;
			r.buf[r.len] = 1;
			reader_finish(&r, reader);
			check(r.buf, r.len, 0, 1, "what the parent sees");
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
	}
}

/*
 * BLOCKDEV holds reads back. A file's mapped memory that is written back while the disk writes
 * into it is written back again, or the file would lose the data.
 */
static void case_dirty(char **args)
{
	static const size_t lens[] = { PAGE, 32 * PAGE, 1 * MIB };
	static struct reader r;
	int fd = open(args[0], O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *buf = get_memory(1 * MIB);
	unsigned int i;
	pid_t reader;

	if (fd < 0)
		die("%s: %s", args[0], strerror(errno));
	for (r.engine = SYNC; r.engine < NR_ENGINES; r.engine = next_engine(r.engine)) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			trying("%s, %zu bytes", engine_names[r.engine], lens[i]);
			r.len = lens[i];
			disk_fill(0, r.len, 1);
			fill(buf, r.len, 0, 2);
			expect(sys_result(pwrite(fd, buf, r.len, 0)), r.len, "write of the file");
			r.buf = mmap(NULL, r.len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (r.buf == MAP_FAILED)
				die("%s cannot be mapped: %s", args[0], strerror(errno));
			reader = reader_start(&r);
			sleep_ms(60);
			expect(sys_result(fsync(fd)), 0, "fsync in mid-read");
			reader_finish(&r, reader);
			check(r.buf, r.len, 0, 1, "mapped file");
			munmap(r.buf, r.len);
			expect(sys_result(fsync(fd)), 0, "fsync");
			posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
			expect(sys_result(pread(fd, buf, r.len, 0)), r.len, "read of the file");
			check(buf, r.len, 0, 1, "the file, read from its disk");
		}
	}
}

/* Pages pinned less pages released, as the kernel counts them since it was booted. */
static long pinned_now(void)
{
	unsigned long value, acquired = 0, released = 0;
	FILE *file = fopen("/proc/vmstat", "r");
	char name[64];
	int found = 0;

	while (file && fscanf(file, "%63s %lu", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired") && ++found)
			acquired = value;
		else if (!strcmp(name, "nr_foll_pin_released") && ++found)
			released = value;
	}
	if (file)
		fclose(file);
	if (found != 2)
		skip("this kernel does not count pinned pages in /proc/vmstat");
	return acquired - released;
}

#define PIN_ROUNDS 1000

/* What is lost once a round shows, whatever else pins pages at the same time. */
static void check_pins(long before, const char *what)
{
	long lost = 0;
	int tries;

	for (tries = 0; tries < 50; tries++) {
		lost = pinned_now() - before;
		if (labs(lost) < PIN_ROUNDS / 2)
			return;
		sleep_ms(100);
	}
	die("%s: %ld pins %s after %d rounds", what, labs(lost), lost > 0 ? "left" : "too few",
	    PIN_ROUNDS);
}

static void case_pins(char **args)
{
	enum { GOOD, SHARED, FAULT, MISALIGNED, END, BIG, NR_KINDS };
	static const char * const kinds[] = {
		"good request", "pieces that share a page", "bad memory", "misaligned request",
		"request across the end", "bad memory in a request of several bios",
	};
	char *mem = get_memory(8 * PAGE), *big = get_memory(300 * PAGE);
	long before;
	int i, kind, write;
	enum engine e;

	(void)args;
	make_hole(mem + 3 * PAGE);
	make_hole(big + 290 * PAGE);
	for (e = SYNC; e < NR_ENGINES; e = next_engine(e)) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			trying("%s", engine_names[e]);
			before = pinned_now();
			for (i = 0; i < PIN_ROUNDS; i++) {
				write = i % 2;
				if (kind == GOOD)
					rw(e, write, mem, 2 * PAGE, 0);
				else if (kind == SHARED)
					rw(e, write, mem + 512, 2 * PAGE, 0);
				else if (kind == FAULT)
					rw(e, write, mem + PAGE / 2, 6 * PAGE, 0);
				else if (kind == MISALIGNED)
					rw(e, write, mem, PAGE + 1, 0);
				else if (kind == END)
					rw(e, write, mem, 2 * PAGE, disk_size - block);
				else if (i % 10 == 0)
					rw(e, write, big + 512, 298 * PAGE, 0);
			}
			check_pins(before, kinds[kind]);
		}
	}
}

/*
 * What a file of a raw device is
 */

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

/*
 * Bindings. RAWDEV is /dev/raw/rawctl here; its first argument is the minor number to play with.
 */

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

static void case_ctl(char **args)
{
	int minor = atoi(args[0]), max = atoi(args[1]), fd;
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

static void case_race(char **args)
{
	const char *disks[2] = { blk_name, args[1] };
	int minor = atoi(args[0]), users = 3, i, status, left = users, bound = 0;
	struct stat st[2];
	char node[64];
	long ret;

	snprintf(node, sizeof(node), "/dev/raw/raw%d", minor);
	for (i = 0; i < 2; i++) {
		close(blk_fd);
		blk_fd = open_node(disks[i], O_RDWR | O_DIRECT);
		disk_fill(0, PAGE, i);
		if (stat(disks[i], &st[i]))
			die("%s: %s", disks[i], strerror(errno));
	}
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

/*
 * A disk that goes
 */

static void expect_gone(long ret, const char *what)
{
	if (ret != -ENODEV && ret != -EIO && ret != -ENXIO)
		die("%s of a removed disk gave %s, not ENODEV, EIO or ENXIO", what,
		    result_name(ret));
}

/* Pulls the disk, by the file in /sys that does it, with requests in flight. */
static void case_gone(char **args)
{
	enum { NR = 64 };
	char *mem = get_memory(NR * PAGE), *big = get_memory(2 * MIB);
	aio_context_t ctx = aio_setup(NR);
	struct io_event events[NR];
	struct iocb cbs[NR], *list[NR];
	int fd, i;
	enum engine e;

	fd = open_node(args[0], O_WRONLY);
	close(blk_fd);
	for (i = 0; i < NR; i++) {
		list[i] = &cbs[i];
		aio_prepare(&cbs[i], raw_fd, 0, mem + i * PAGE, PAGE, i * PAGE);
	}
	aio_submit(ctx, list, NR);
	if (write(fd, "1", 1) != 1)
		die("%s: %s", args[0], strerror(errno));
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
static void case_grow(char **args)
{
	char command[512], *buf = get_memory(PAGE);
	__u64 larger = 0;

	snprintf(command, sizeof(command), "%s", args[0]);
	if (system(command))
		die("failed: %s", args[0]);
	expect(sys_result(ioctl(blk_fd, BLKGETSIZE64, &larger)), 0, "BLKGETSIZE64");
	if (larger <= disk_size)
		die("%s did not become larger", blk_name);
	expect(lseek(raw_fd, 0, SEEK_END), larger, "SEEK_END");
	disk_fill(larger - PAGE, PAGE, 1);
	expect(rw(SYNC, 0, buf, PAGE, larger - PAGE), PAGE, "read of the last page");
	check(buf, PAGE, larger - PAGE, 1, "what was read");
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

static const struct {
	const char *name;
	void (*run)(char **args);
	int nr_args;
} cases[] = {
	{ "data", case_data, 0 }, { "model", case_model, 0 }, { "big", case_big, 0 },
	{ "position", case_position, 0 }, { "seek", case_seek, 0 }, { "align", case_align, 0 },
	{ "end", case_end, 0 }, { "zero", case_zero, 0 }, { "fault", case_fault, 0 },
	{ "flags", case_flags, 0 }, { "direct", case_direct, 0 },
	{ "aio", case_aio, 0 }, { "uring", case_uring, 0 }, { "poll", case_poll, 0 },
	{ "procs", case_procs, 0 }, { "coherent", case_coherent, 0 },
	{ "nocache", case_nocache, 0 }, { "pins", case_pins, 0 }, { "ioctl", case_ioctl, 0 },
	{ "readonly", case_readonly, 0 },
	{ "excl", case_excl, 2 },	/* RAWDEV2 DIRECTORY */
	{ "badblock", case_badblock, 1 },	/* POSITION */
	{ "late", case_late, 0 }, { "async", case_async, 0 }, { "fork", case_fork, 0 },
	{ "dirty", case_dirty, 1 },	/* FILE */
	{ "ctl", case_ctl, 2 },		/* MINOR NUMBER-OF-MINORS */
	{ "race", case_race, 2 },	/* MINOR BLOCKDEV2 */
	{ "gone", case_gone, 1 },	/* FILE that removes the disk when written */
	{ "grow", case_grow, 1 },	/* COMMAND that makes the disk larger */
	{ "once", case_once, 2 },	/* read|write|dsync|fsync LENGTH */
};

static void open_devices(void)
{
	raw_fd = open_raw(O_RDWR);
	if (raw_fd < 0)
		die("cannot open %s: %s", raw_name, strerror(errno));
	blk_fd = open_node(blk_name, O_RDWR | O_DIRECT);
	if (ioctl(blk_fd, BLKGETSIZE64, &disk_size) || ioctl(blk_fd, BLKSSZGET, &block))
		die("%s is not a block device", blk_name);
	if (disk_size < 2 * MAX_IO)
		skip("%s is smaller than %lu bytes", blk_name, 2 * MAX_IO);
	mem_align = queue_attr("dma_alignment", 511) + 1;
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc >= 4 && i < ARRAY_SIZE(cases); i++) {
		if (strcmp(argv[1], cases[i].name) || argc != 4 + cases[i].nr_args)
			continue;
		raw_name = argv[2];
		blk_name = argv[3];
		open_devices();
		alarm(TIME_LIMIT);
		cases[i].run(argv + 4);
		return 0;
	}
	fprintf(stderr, "usage: raw_io CASE RAWDEV BLOCKDEV [ARG...]\n");
	return EXIT_USAGE;
}
