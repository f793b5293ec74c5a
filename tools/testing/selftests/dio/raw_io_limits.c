// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: requests that are refused, cut off or empty, and flags
 */
#define _GNU_SOURCE
#include "raw_io.h"

static void case_seek(void)
{
	expect(lseek(raw_fd, 0, SEEK_END), disk_size, "SEEK_END");
	expect(lseek(raw_fd, -(off_t)block, SEEK_END), disk_size - block, "SEEK_END - block");
	expect(lseek(raw_fd, block, SEEK_CUR), disk_size, "SEEK_CUR + block");
	expect(lseek(raw_fd, 5 * block, SEEK_SET), 5 * block, "SEEK_SET");
	expect(sys_result(lseek(raw_fd, -1, SEEK_SET)), -EINVAL, "SEEK_SET to -1");
	expect(sys_result(lseek(raw_fd, disk_size + 1, SEEK_SET)), -EINVAL, "seek behind the end");
	expect(sys_result(lseek(raw_fd, 1, SEEK_END)), -EINVAL, "SEEK_END + 1");
	expect(lseek(raw_fd, 0, SEEK_CUR), 5 * block, "position after refused seeks");
}

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

static void case_align(void)
{
	char *buf = get_memory(MAX_IO + PAGE);
	struct iovec iov[2];
	enum engine e;
	unsigned int i;

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
	/* Refused up to 6.17, and later where the disk's memory segments are limited. */
	trying("two halves of a block");
	iov[0] = (struct iovec) { buf, block / 2 };
	iov[1] = (struct iovec) { buf + PAGE, block / 2 };
	expect(sys_result(preadv(raw_fd, iov, 2, 0)), sys_result(preadv(blk_fd, iov, 2, 0)),
	       "readv");
	fill(buf, block / 2, 0, 1);
	fill(buf + PAGE, block / 2, block / 2, 1);
	expect(sys_result(pwritev(raw_fd, iov, 2, 0)), sys_result(pwritev(blk_fd, iov, 2, 0)),
	       "writev");
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

static void case_end(void)
{
	unsigned char *buf = get_memory(MAX_IO);
	enum engine e;
	unsigned int i;

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

static void case_zero(void)
{
	__u64 places[] = { 0, disk_size - block, disk_size };
	struct iovec iov = { 0 };
	unsigned int i;
	enum engine e;
	char byte;

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

/*
 * Page number @hole of the request's @pages is not there: as on the disk, which may move part of
 * the block before it.
 */
static void try_fault(enum engine e, size_t pages, size_t hole, size_t offset)
{
	size_t len = (pages - 1) * PAGE, good = hole ? hole * PAGE - offset : 0, done;
	char *mem = get_memory(pages * PAGE), *buf = mem + offset, *disk = get_memory(len);
	long wanted;

	make_hole(mem + hole * PAGE);
	trying("%s, page %zu of %zu missing, memory offset %zu", engine_names[e], hole, pages,
	       offset);
	disk_fill(0, len, 1);
	wanted = disk_rw(e, 0, buf, len, 0);
	memset(buf, 0, good);
	expect(rw(e, 0, buf, len, 0), wanted, "read");
	if (wanted > (long)good)
		die("read into memory that is not there");
	if (wanted > 0)
		check(buf, wanted / 8 * 8, 0, 1, "what was read");

	fill(buf, good / 8 * 8, 0, 2);
	wanted = disk_rw(e, 1, buf, len, 0);
	disk_fill(0, len, 1);
	expect(rw(e, 1, buf, len, 0), wanted, "write");
	if (wanted > (long)good)
		die("wrote from memory that is not there");
	done = wanted > 0 ? wanted : 0;
	disk_io(0, disk, len, 0);
	check(disk, done / 8 * 8, 0, 2, "what was written");
	/* Of a request that failed, some may have been. */
	if (!done)
		done = good;
	done = (done + 7) / 8 * 8;
	check(disk + done, len - done, done, 1, "what is behind it");
	munmap(disk, len);
	munmap(mem, pages * PAGE);
}

static void case_fault(void)
{
	static const size_t holes[][2] = {	/* pages, the one that is missing */
		{ 3, 0 }, { 3, 1 }, { 8, 5 }, { 40, 0 }, { 40, 33 }, { 256, 255 },
		{ 700, 300 }, { 700, 600 },
	};
	char *readonly = get_memory(1 * MIB);
	unsigned int i, n;
	enum engine e;

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

static void case_flags(void)
{
	int buffered = open_node(blk_name, O_RDWR), dsync = open_raw(O_RDWR | O_DSYNC), fd;
	char *buf = get_memory(MAX_IO);
	static const int write_flags[] = { RWF_HIPRI, RWF_DSYNC, RWF_SYNC };
	unsigned int i, k;

	disk_fill(0, MAX_IO, 1);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		trying("%zu bytes", sizes[i]);
		expect(preadv_flags(buf, sizes[i], 0, RWF_HIPRI), sizes[i], "RWF_HIPRI read");
		check(buf, sizes[i], 0, 1, "what RWF_HIPRI read");
	}

	trying("dirty page cache");
	fill(buf, PAGE, 0, 2);
	expect(sys_result(pwrite(buffered, buf, PAGE, 0)), PAGE, "buffered write");
	/* It cannot tell what would wait, and does not say so. */
	expect(preadv_flags(buf, PAGE, 0, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT read");
	expect(pwritev_flags(buf, PAGE, 0, RWF_NOWAIT), -EOPNOTSUPP, "RWF_NOWAIT write");
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
static void case_direct(void)
{
	char *buf = get_memory(PAGE);
	int fd = open(raw_name, O_RDWR | O_DIRECT);

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

const struct raw_case limits_cases[] = {
	{ "seek", case_seek, NULL },
	{ "align", case_align, NULL },
	{ "end", case_end, NULL },
	{ "zero", case_zero, NULL },
	{ "fault", case_fault, NULL },
	{ "flags", case_flags, NULL },
	{ "direct", case_direct, NULL },
	{ }
};
