// SPDX-License-Identifier: GPL-2.0
/*
 * raw_io: what requests give, who may open it, and disks that are slow or go
 */
#include "raw_io.h"

/*
 * What a request gives on the disk with O_DIRECT it gives on the raw device: in the disk, across
 * its end and behind, and where memory, place or length do not fit. dio_ops looks at the data.
 */
static void case_same(void)
{
	char *mem = load_memory(MAX_IO + PAGE, 0), *readonly = load_memory(PAGE, 0);
	unsigned int i, k;
	enum way way;
	long on_disk;
	int write;

	if (mprotect(readonly, PAGE, PROT_READ))
		fail("mprotect: %s", strerror(errno));
	for (way = SYNC; way < NR_WAYS; way++) {
		for (i = 0; i < NR_SIZES; i++) {
			size_t len = sizes[i];
			const struct { size_t offset, len; __u64 pos; } requests[] = {
				{ 0, len, 5 * block }, { mem_align, len, 5 * block },
				{ PAGE - mem_align, len, 5 * block }, { 0, 0, 5 * block },
				{ 0, len, disk_size - len }, { 0, len, disk_size - block },
				{ 0, 0, disk_size }, { 0, len, disk_size },
				{ 0, len, disk_size + 8 * block }, { 0, len, 1ULL << 62 },
				{ mem_align / 2, len, block }, { 1, len, block },
				{ 0, len, block + 1 }, { 0, len, 3 * block / 2 },
				{ 0, len - block / 2, block }, { 0, len - 1, block },
			};

			for (k = 0; k < 2 * ARRAY_SIZE(requests); k++) {
				const typeof(*requests) *r = &requests[k / 2];

				write = k % 2;
				trying("%s, %s of %zu bytes at %llu, memory offset %zu",
				       way_names[way], rw_name(write), r->len,
				       (unsigned long long)r->pos, r->offset);
				on_disk = rw_file(blk_fd, way, write, mem + r->offset, r->len,
						  r->pos);
				expect(rw(way, write, mem + r->offset, r->len, r->pos),
				       k < 6 ? (long)r->len : on_disk, "it");
			}
		}
		trying("%s", way_names[way]);
		expect(rw(way, 0, readonly, PAGE, 0), -EFAULT, "read into read-only memory");
		expect(rw(way, 1, readonly, PAGE, 0), PAGE, "write of read-only memory");
		expect(rw(way, 0, (void *)PAGE, PAGE, 0), -EFAULT, "read into nothing");
	}
}

static long rw_flags(int write, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };

	return sys_result(write ? pwritev2(raw_fd, &iov, 1, 0, flags) :
				  preadv2(raw_fd, &iov, 1, 0, flags));
}

/* What may not wait is refused: the driver cannot tell what would. Mode 3 is for ioctls alone. */
static void case_flags(void)
{
	int buffered = open_node(blk_name, O_RDWR), fd = open_raw(O_ACCMODE);
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
	expect_call(lseek(raw_fd, 0, SEEK_END), disk_size, "SEEK_END");
	expect_call(fd < 0 ? fd : 0, 0, "open for ioctls");
	expect_call(pread(fd, buf, block, 0), -EBADF, "a read there");
}

/* BLOCKDEV holds reads back. Requests are sent, not carried out, by the calls that send them. */
static void case_async(void)
{
	enum { NR = 8 };
	char *mem = load_memory(NR * MAX_IO, 0);
	struct iocb cbs[NR], *list[NR];
	struct io_event events[NR];
	struct timespec none = { 0 };
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

const struct raw_case io_cases[] = {
	{ "same", case_same, NULL },
	{ "flags", case_flags, NULL },
	{ "async", case_async, NULL },
	{ "gone", case_gone, "FILE-THAT-PULLS-THE-DISK" },
	{ "cgroup", case_cgroup, "CGROUP" },
	{ "sick", case_sick, "RAWDEV2" },
	{ }
};
