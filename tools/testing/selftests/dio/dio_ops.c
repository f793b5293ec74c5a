// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on a file, checked against a model of it in memory.
 *
 * Direct reads and writes (pread, preadv in pieces, AIO, io_uring, io_uring with memory that is
 * registered) at multiples of unit, with memory in small pages, in a huge one, or shared, as the
 * seed has it; buffered and mapped reads and writes at any byte, truncation both ways, dropped
 * caches, and direct I/O whose memory ends early. Each read must give what the model holds. Where
 * direct I/O meets bad memory, what it did not move must be as before or zeros: never what was on
 * the disk (fill it with something else before mkfs). In the end the whole file is read both ways,
 * and the model is written to COPY, to be compared once the file system has been mounted anew.
 *
 * The hurt party is whoever mixes direct and buffered I/O on a file system with get_block: stale
 * blocks in new files (other users' data), lost heads and tails, wrong counts at the end of a file.
 *
 * The word bad is about writes alone whose memory ends early, over data that is there, direct and
 * buffered. Who is hurt: a program that overwrites a file and fails in the middle. A broken kernel
 * fills the rest with zeros, as if it were new, and tells a short write. Or what the page cache
 * has not read becomes the file's data, with whatever its page held before (ocfs2 of Linux 7.3,
 * where a direct write that falls short goes on in the page cache).
 *
 * The word nowait is about RWF_NOWAIT, which io_uring asks with: a direct read must give what is
 * there, or -EAGAIN where it would wait, and must not wait once the blocks are known. Who is
 * hurt: a program that uses io_uring on a file system that cannot say so (vfat, jfs), as each of
 * its reads goes through a worker thread. A broken kernel says -EOPNOTSUPP, reads past dirty data,
 * or says -EAGAIN for ever.
 *
 * With the word polled, io_uring asks the disk whether it is done, and preadv says RWF_HIPRI. Who
 * is hurt by a broken kernel: a program that polls. A request that does not tell which bio to ask
 * for is not found again: it times out, or the program waits for ever.
 *
 * With piece=N, preadv and pwritev move no more than a page, and have up to nine pieces of memory
 * that lie apart, of multiples of N bytes. Who is hurt by a broken kernel: a program that gathers a
 * block from headers and data, on a disk that takes memory at such addresses. A path for small
 * requests that has room for few pieces says -EFAULT, or writes a part.
 *
 * With raw=, direct I/O goes through the raw device that is bound to DISK, in requests of up to 3
 * MiB and 1000 pieces, and all else to DISK, which loses its first 8 MiB; align= is what the disk
 * demands of memory. Who is hurt by a broken kernel: whoever mixes a raw device with the block
 * device, as backups do.
 *
 * The word promised is about what statx() says: reads and writes at multiples of that, of up to
 * four pieces that lie apart, must be done whole. Where address, place, length or pieces are half a
 * step off, -EINVAL is right, or a part. Who is hurt by a broken promise: programs that ask, as
 * data bases do, and then fail, or go on in the page cache.
 *
 * The word atomic is about writes that the disk does whole or not at all (RWF_ATOMIC, Linux 6.11
 * on): of all lengths from the least to the most that are promised, doubled each time, from memory
 * in small pages of which no two adjoin, and from a huge one. It prints how many there were: on a
 * disk the kernel must have made one request of each, as the disk promises nothing of two. What is
 * no power of two, is too long, or does not lie at a multiple of itself is refused with -EINVAL,
 * and leaves the data alone; so does a write through the page cache, with -EOPNOTSUPP. Who is hurt
 * by a broken kernel: a data base that left its double writes out. A write that was split may be
 * torn when the power fails, and nobody is told.
 *
 * The same seed does the same. Exit status: 0 right, 1 wrong (a line says where), 2 usage, 4
 * statx() tells nothing of this.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "claim.h"
#include "raw_ioctl.h"
#include "words.h"
#define ASYNC_NONE	1	/* a kernel without AIO or rings is no reason to skip */
#include "async.h"
#include "load.h"

#define PIECES_MOST	1000
#define ALIGN_MOST	(64UL << 10)	/* that may be promised */
#define ATOMIC_MOST	(4UL << 20)	/* the longest atomic write that is tried */

/* Later than glibc's headers */
#define DIOALIGN	0x2000U
#define WRITE_ATOMIC	0x10000U
#define DIO_READ_ALIGN	0x20000U

static const char usage[] =
	"usage: dio_ops unit=512 n=2000 seed=1 [without=truncate] [polled] [piece=64] FILE [COPY]\n"
	"       dio_ops unit=512 n=2000 seed=1 [align=4] raw=/dev/raw/raw1 DISK\n"
	"       dio_ops unit=512 bad|nowait FILE\n"
	"       dio_ops promised n=200 seed=1 DISK|FILE\n"
	"       dio_ops atomic DISK|FILE";

enum way { SYNC, VECTOR, AIO, URING, FIXED, NR_WAYS };
enum { RANDOM, BAD, NO_WAIT, PROMISED, ATOMIC };
enum off { NOTHING, ADDRESS, PLACE, LENGTH, PIECE, NR_OFFS };	/* what is half a step off */

/* struct statx, of which headers of today lack the end */
static union {
	__u8 all[256];
	struct {
		__u32 mask;
		__u8 other[0x94];
		__u32 mem_align, offset_align, more[2], unit_min, unit_max, segments;
		__u32 read_offset_align;
	};
} told;

static unsigned long long unit, piece, nr_ops, seed, op_nr, align;
static size_t most = 3 << 20, io_most = 512 << 10, pieces = 3;
static const char *name, *copy_name, *raw_name;
static int direct_fd, cached_fd, mode, is_disk, polled, keep_size;
static unsigned char *model, *buf, *back;
static size_t size;			/* of the file */
static char doing[128];

/* The direct request that is tried */
static struct {
	size_t pos, len, step;
	enum way way;
	enum off off;
} rq;

#define wrong(fmt, ...) \
	die(1, "%s: operation %llu of seed %llu, %s: " fmt, name, op_nr, seed, doing, ##__VA_ARGS__)

static unsigned long long pick(unsigned long long below)
{
	static unsigned long long state;

	if (!state)
		state = seed * 0xd6e8feb86659fd93ULL + 1;
	return next_random(&state) % below;
}

/* Lengths of all magnitudes: short ones are as likely as long ones. */
static size_t pick_length(size_t max)
{
	return 1 + pick(1 + (max - 1) / (1UL << pick(12)));
}

/* Memory of data nobody else has; never zero, which is what holes read as */
static void fill(unsigned char *mem, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem[i] = 1 + (op_nr * 31 + i / unit * 7 + i) % 250;
}

static void compare(const unsigned char *got, size_t pos, size_t len)
{
	size_t i;

	if (!memcmp(got, model + pos, len))
		return;
	for (i = 0; got[i] == model[pos + i]; i++)
		;
	wrong("byte %zu is %02x, not %02x", pos + i, got[i], model[pos + i]);
}

/* The model's side of a write: what lies between its old end and the data is zero. */
static void model_write(size_t pos, const void *mem, size_t len)
{
	memcpy(model + pos, mem, len);
	if (len && size < pos + len)
		size = pos + len;
}

/* A disk has no size of its own, and does not grow. */
static size_t file_size(void)
{
	struct stat st;

	if (fstat(cached_fd, &st))
		wrong("fstat: %s", strerror(errno));
	return is_disk ? most : (size_t)st.st_size;
}

static void check_size(void)
{
	if (file_size() != size)
		wrong("the file has %zu bytes, not %zu", file_size(), size);
}

static void set_size(size_t to)
{
	if (ftruncate(cached_fd, to))
		wrong("truncate to %zu: %s", to, strerror(errno));
	if (to < size)
		memset(model + to, 0, size - to);
	size = to;
}

/* Is it of the memory that can be registered, and copied? Bad memory cannot. */
static int is_of_buf(const unsigned char *mem)
{
	return mem >= buf && mem < buf + PAGE;
}

static long ring_io(int write, unsigned char *mem)
{
	int fixed = rq.way == FIXED && is_of_buf(mem);
	int op = write ? IORING_OP_WRITE : IORING_OP_READ;
	struct iovec all = { buf, io_most + PAGE };
	static struct ring ring;

	if (fixed)
		op = write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
	if (!ring.sqes) {
		ring_setup(&ring, 1, polled ? IORING_SETUP_IOPOLL : 0);
		ring_register(&ring, &all, 1);
	}
	return ring_once(&ring, direct_fd, op, mem, rq.len, rq.pos);
}

/* What direct I/O must leave alone holds this. */
static int is_clean(const unsigned char *from, const unsigned char *to)
{
	return from == to || (*from == 0xee && !memcmp(from, from + 1, to - from - 1));
}

/*
 * In pieces, of which the second of three or more is nothing. Where they lie apart, @mem is copied
 * to them, or from them, and what is around them stays as it is.
 */
static long io_in_pieces(int write, unsigned char *mem, int flags)
{
	size_t gap = piece ? 8 * piece : mode == PROMISED ? PAGE + align : 0, step = rq.step;
	size_t room = io_most + PAGE + unit + pieces * gap, nr = pieces, at = 0, half = 0, i;
	struct iovec iov[PIECES_MOST];
	static unsigned char *apart;
	unsigned char *from = mem;
	long ret;

	if (!is_of_buf(mem))
		gap = 0;
	if (gap) {
		if (!apart)
			apart = get_memory(room);
		memset(apart, 0xee, room);
		from = apart + (mem - buf) + (rq.off == ADDRESS ? align / 2 : 0);
		step = piece ?: step;
		nr = 1 + pick(pieces);
	}
	for (i = 0; i < nr; at += iov[i++].iov_len) {
		size_t left = rq.len - at, len = pick(2 * left / step / (nr - i) + 2) * step;

		if (!i && nr > 1 && rq.off == PIECE)
			half = step / 2;
		if (!i && half)
			len = half;
		else if (i == 1 && nr > 2)
			len = 0;
		else if (i == nr - 1 || len > left)
			len = left;
		iov[i] = (struct iovec){ from + at + (i ? half : 0) + i * gap, len };
		if (write && gap)
			memcpy(iov[i].iov_base, mem + at, len);
	}
	if (rq.off == PIECE && !half)
		rq.off = NOTHING;
	ret = sys_result((write ? pwritev2 : preadv2)(direct_fd, iov, nr, rq.pos, flags));
	for (i = 0, at = 0; gap && i < nr; at += iov[i++].iov_len) {
		memcpy(mem + at, iov[i].iov_base, iov[i].iov_len);
		memset(iov[i].iov_base, 0xee, iov[i].iov_len);
	}
	if (gap && !is_clean(apart, apart + room))
		wrong("what is around its memory is another");
	return ret;
}

static long direct_io(int write, unsigned char *mem)
{
	int flags = polled ? RWF_HIPRI : 0;

	switch (rq.way) {
	case VECTOR:
		return io_in_pieces(write, mem, flags);
	case AIO:
		return aio_once(direct_fd, write, mem, rq.len, rq.pos);
	case URING:
	case FIXED:
		return ring_io(write, mem);
	default:
		return sys_result(write ? pwrite(direct_fd, mem, rq.len, rq.pos) :
					  pread(direct_fd, mem, rq.len, rq.pos));
	}
}

/* Where, how much and which way; memory at any multiple of what the disk demands */
static unsigned char *pick_direct(int write, const char *what)
{
	unsigned char *mem = buf + pick(PAGE / align) * align;
	size_t end = most;

	rq.step = mode == PROMISED && !write ? told.read_offset_align : unit;
	rq.len = (pick_length(io_most) + rq.step - 1) / rq.step * rq.step;
	rq.way = pick(NR_WAYS);
	rq.off = NOTHING;
	if (mode == PROMISED) {
		rq.way = VECTOR;
		rq.off = pick(2) ? pick(NR_OFFS) : NOTHING;
		end -= rq.step;
	}
	if (piece && rq.way == VECTOR)
		rq.len = (1 + pick(PAGE / unit)) * unit;
	rq.pos = pick((pick(2) ? size : end - rq.len) / rq.step + 1) * rq.step;
	if (rq.pos > end - rq.len)
		rq.pos = end - rq.len;
	rq.pos += rq.off == PLACE ? rq.step / 2 : 0;
	rq.len -= rq.off == LENGTH ? rq.step / 2 : 0;
	snprintf(doing, sizeof(doing), "direct %s%s of %zu at %zu, way %d, memory at %zu, off %d",
		 write ? "write" : "read", what, rq.len, rq.pos, rq.way, (size_t)(mem - buf),
		 rq.off);
	return mem;
}

/* A result that is not the whole: what is half a step off may be refused, or done in part. */
static int is_refused(long ret)
{
	return rq.off && (ret == -EINVAL || (ret > 0 && ret < (long)rq.len));
}

static size_t readable(size_t pos, size_t len)
{
	if (pos >= size)
		return 0;
	return len < size - pos ? len : size - pos;
}

static void direct_write(void)
{
	unsigned char *mem = pick_direct(1, "");
	long ret;

	fill(mem, rq.len);
	ret = direct_io(1, mem);
	if (ret != (long)rq.len && !is_refused(ret))
		wrong("%s", result_name(ret));
	if (ret > 0)
		model_write(rq.pos, mem, ret);
}

static void direct_read(void)
{
	unsigned char *mem = pick_direct(0, "");
	size_t there = readable(rq.pos, rq.len);
	long ret;

	memset(buf, 0xee, io_most + PAGE);
	ret = direct_io(0, mem);
	if (ret != (long)there && !is_refused(ret))
		wrong("%s, not %zu", result_name(ret), there);
	if (!is_clean(buf, mem) || !is_clean(mem + rq.len, buf + io_most + PAGE))
		wrong("what is around its memory is another");
	if (ret > 0)
		compare(mem, rq.pos, ret);
}

/* Memory that ends @good bytes on: the page behind is there, but may not be touched. */
static unsigned char *bad_memory(size_t good)
{
	static unsigned char *mem;
	size_t pages = io_most / PAGE;

	if (!mem) {
		mem = get_memory((pages + 1) * PAGE);
		if (mprotect(mem + pages * PAGE, PAGE, PROT_NONE))
			wrong("memory cannot be protected: %s", strerror(errno));
	}
	return mem + pages * PAGE - good;
}

/* What a request gives whose memory ends early. A disk says EIO of one that takes several bios. */
static void check_bad(long ret, size_t good)
{
	if (ret != -EFAULT && (ret < 0 || ret > (long)good) && !(raw_name && ret == -EIO))
		wrong("%s with %zu good bytes", result_name(ret), good);
}

static void direct_read_bad(void)
{
	size_t good, there;
	unsigned char *mem;
	long ret;

	pick_direct(0, " into bad memory");
	good = pick(rq.len / unit) * unit;
	mem = bad_memory(good);
	there = readable(rq.pos, rq.len);
	ret = direct_io(0, mem);
	if (there > good || ret != (long)there)
		check_bad(ret, good);
	if (ret > 0)
		compare(mem, rq.pos, ret);
}

static void read_back(int fd)
{
	size_t asked = (size + unit - 1) / unit * unit;

	memset(back, 0xee, most);
	if (pread(fd, back, asked, 0) != (ssize_t)size)
		wrong("a %s read of all falls short", fd == direct_fd ? "direct" : "buffered");
}

/*
 * What a write left whose memory ends early is new, up to the count returned; behind it each byte
 * is as before, or new, or zero if that may be, and the file is no longer than the attempt would
 * have made it. What there is becomes the model.
 */
static void check_left(long ret, const unsigned char *mem, size_t good, int zero)
{
	size_t done = ret > 0 ? ret : 0, end = rq.pos + rq.len, i, at;

	check_bad(ret, good);
	model_write(rq.pos, mem, done);
	i = file_size();
	if (i < size || i > (size > end ? size : end))
		wrong("the file has %zu bytes after %s", i, result_name(ret));
	size = i;
	read_back(direct_fd);
	for (i = 0; i < size; i++) {
		at = i - rq.pos;
		if (back[i] == model[i])
			continue;
		if (at < done || at >= rq.len ||
		    ((back[i] || !zero) && (at >= good || back[i] != mem[at])))
			wrong("%s: byte %zu is %02x, not %02x", result_name(ret), i, back[i],
			      model[i]);
		model[i] = back[i];
	}
}

/*
 * The file's last block may now hold data behind the file's end, which is the writer's own and
 * shows when the file grows (on stock, too): that block is cut off.
 */
static void direct_write_bad(void)
{
	unsigned char *mem;
	size_t good;

	pick_direct(1, " from bad memory");
	good = pick(rq.len / unit) * unit;
	mem = bad_memory(good);
	fill(mem, good);
	check_left(direct_io(1, mem), mem, good, 1);
	if (rq.pos + good > size && rq.pos < size - size % PAGE + PAGE)
		set_size(size - size % PAGE);
}

/* What a write did not reach is as it was. */
static void overwrite_bad(int fd, const char *what)
{
	size_t good = io_most / 2 + unit;
	unsigned char *mem = bad_memory(good);
	long ret;

	snprintf(doing, sizeof(doing), "%s overwrite from bad memory", what);
	rq.len = io_most;
	size = io_most;
	fill(model, size);
	fill(mem, good);
	ret = sys_result(pwrite(direct_fd, model, size, 0));
	if (ret != (long)size)
		wrong("the file was not made: %s", result_name(ret));
	/* Pages that the page cache takes next held this. */
	munmap(memset(get_memory(io_most), 0xee, io_most), io_most);
	check_left(sys_result(pwrite(fd, mem, size, 0)), mem, good, 0);
}

static void cached_write(void)
{
	size_t len = pick_length(io_most), pos = pick(most - len + 1);

	snprintf(doing, sizeof(doing), "buffered write of %zu at %zu", len, pos);
	fill(buf, len);
	if (pwrite(cached_fd, buf, len, pos) != (ssize_t)len)
		wrong("%s", strerror(errno));
	model_write(pos, buf, len);
}

static void cached_read(void)
{
	size_t len = pick_length(io_most), pos = pick(most - len + 1);
	ssize_t ret;

	snprintf(doing, sizeof(doing), "buffered read of %zu at %zu", len, pos);
	ret = pread(cached_fd, buf, len, pos);
	if (ret != (ssize_t)readable(pos, len))
		wrong("%zd", ret);
	compare(buf, pos, ret);
}

static void mapped_write(void)
{
	size_t len = pick_length(io_most), pos = pick(most - len + 1);
	unsigned char *map;

	len = readable(pos, len);
	if (!len)
		return;
	snprintf(doing, sizeof(doing), "mapped write of %zu at %zu", len, pos);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, cached_fd, 0);
	if (map == MAP_FAILED)
		wrong("%s", strerror(errno));
	compare(map + pos, pos, len);
	fill(buf, len);
	memcpy(map + pos, buf, len);
	munmap(map, size);
	model_write(pos, buf, len);
}

static void truncate_it(void)
{
	size_t to = pick(3) ? pick(most + 1) : pick(size + 1);

	if (keep_size)
		return;
	snprintf(doing, sizeof(doing), "truncate from %zu to %zu", size, to);
	set_size(to);
}

static void drop_cache(void)
{
	snprintf(doing, sizeof(doing), "fsync and drop the cache");
	if (fsync(cached_fd))
		wrong("%s", strerror(errno));
	posix_fadvise(cached_fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* The direct ones, which are all that there are with promised, come first. */
static void (* const operations[])(void) = {
	direct_write, direct_write, direct_write, direct_read, direct_read, direct_read,
	direct_read_bad, direct_write_bad, cached_write, cached_read, mapped_write, truncate_it,
	drop_cache,
};

/* Each kind of memory has its own way through the kernel to a bio. */
static void *pick_memory(size_t len)
{
	return seed % 3 ? load_memory(len, seed % 3 == 1) : map_memory(len, MAP_SHARED);
}

static const struct word words[] = {
	NUMBER("unit=", unit), NUMBER("n=", nr_ops), NUMBER("seed=", seed), NUMBER("piece=", piece),
	NUMBER("align=", align), TEXT("raw=", raw_name), FLAG("polled", polled),
	FLAG("without=truncate", keep_size), CHOICE("bad", mode, BAD),
	CHOICE("nowait", mode, NO_WAIT), CHOICE("promised", mode, PROMISED),
	CHOICE("atomic", mode, ATOMIC),
	{ .name = NULL }
};

static void read_all(void)
{
	snprintf(doing, sizeof(doing), "then a look at all");
	read_back(direct_fd);
	compare(back, 0, size);
	read_back(cached_fd);
	compare(back, 0, size);
}

/* A read that gives what is @wanted; 1: what is there, at least in part, or -EAGAIN */
static void read_nowait(const char *when, size_t pos, size_t len, long wanted)
{
	struct iovec to = { back, len };
	long ret;

	snprintf(doing, sizeof(doing), "RWF_NOWAIT read %s", when);
	memset(back, 0xee, len);
	ret = sys_result(preadv2(direct_fd, &to, 1, pos, RWF_NOWAIT));
	if (ret != wanted && (wanted != 1 || (ret != -EAGAIN && ret <= 0)))
		wrong("%s", result_name(ret));
	if (ret > 0)
		compare(back, pos, ret);
}

/* The file system forgets what it knew of the file: no one has it open, and memory is short. */
static void forget_file(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	if (close(cached_fd) || close(direct_fd) || fd < 0 || write(fd, "3", 1) != 1 || close(fd))
		wrong("caches are not dropped: %s", strerror(errno));
	cached_fd = must_open(name, O_RDWR, 1);
	direct_fd = must_open(name, O_RDWR | O_DIRECT, 1);
}

/* It happens or it does not, but never by half. */
static void write_nowait(size_t pos)
{
	struct iovec from = { buf, PAGE };
	long ret;

	op_nr++;
	snprintf(doing, sizeof(doing), "RWF_NOWAIT write at %zu", pos);
	fill(buf, PAGE);
	ret = sys_result(pwritev2(direct_fd, &from, 1, pos, RWF_NOWAIT));
	if (ret != PAGE && ret != -EAGAIN)
		wrong("%s", result_name(ret));
	if (ret == PAGE)
		model_write(pos, buf, PAGE);
	check_size();
}

static void check_nowait(void)
{
	size_t far = most - io_most;

	forget_file();
	read_nowait("of a file not known yet", far, io_most, 1);
	read_all();
	read_nowait("of known blocks", 0, PAGE, PAGE);
	read_nowait("of known blocks far away", far, io_most, io_most);
	read_nowait("at the end of the file", most, PAGE, 0);

	op_nr++;
	fill(model + far, PAGE);
	if (pwrite(cached_fd, model + far, PAGE, far) != PAGE)
		wrong("not written: %s", strerror(errno));
	read_nowait("of data not written back", far, PAGE, -EAGAIN);
	read_nowait("beside data not written back", far - PAGE, PAGE, PAGE);
	if (fsync(cached_fd))
		wrong("fsync: %s", strerror(errno));
	read_nowait("of data written back", far, PAGE, PAGE);

	write_nowait(far);
	write_nowait(far + unit);
	write_nowait(most - PAGE);
	read_all();
}

static void write_copy(void)
{
	int fd = must_open(copy_name, O_WRONLY | O_CREAT | O_TRUNC, 1);

	if (write(fd, model, size) != (ssize_t)size || close(fd))
		die(1, "%s: %s", copy_name, strerror(errno));
}

/* A write at @pos, which must give its length, or -@error and leave the data alone */
static void write_atomic(int to, unsigned char *from, size_t len, size_t pos, int error)
{
	struct iovec iov = { from, len };
	long ret;

	op_nr++;
	fill(from, len);
	ret = sys_result(pwritev2(to, &iov, 1, pos, RWF_ATOMIC));
	snprintf(doing, sizeof(doing), "atomic write of %zu at %zu", len, pos);
	if (ret != (error ? -error : (long)len))
		wrong("%s, wanted error %d", result_name(ret), error);
	if (!error)
		model_write(pos, from, len);
	read_all();
}

/* Returns how many were to be done. */
static unsigned int write_atomics(int huge)
{
	unsigned char *from = (unsigned char *)load_memory(size, huge);
	unsigned int writes = 0;
	size_t len;

	for (len = told.unit_max; len >= told.unit_min; len /= 2, writes++)
		write_atomic(direct_fd, from, len, len, 0);
	write_atomic(direct_fd, from, 3UL * told.unit_min, 0, EINVAL);
	write_atomic(direct_fd, from, 2UL * told.unit_max, 0, EINVAL);
	if (told.unit_min < told.unit_max)
		write_atomic(direct_fd, from, told.unit_max, told.unit_min, EINVAL);
	write_atomic(cached_fd, from, told.unit_min, 0, EOPNOTSUPP);
	return writes;
}

static int is_power(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* What is promised is what is tried. */
static void ask_kernel(void)
{
	if (syscall(SYS_statx, direct_fd, "", AT_EMPTY_PATH,
		    DIOALIGN | DIO_READ_ALIGN | WRITE_ATOMIC, &told))
		die(4, "no statx: %s", strerror(errno));
	if (mode == ATOMIC) {
		if (!(told.mask & WRITE_ATOMIC) || !told.unit_max)
			die(4, "%s takes no atomic writes", name);
		if (told.unit_max > ATOMIC_MOST)
			told.unit_max = ATOMIC_MOST;
		unit = PAGE;
		align = PAGE;
		most = 2 * ATOMIC_MOST;
		return;
	}
	if (!(told.mask & DIOALIGN) || (!told.mem_align && !told.offset_align))
		die(4, "statx tells nothing of direct I/O on %s", name);
	if (!(told.mask & DIO_READ_ALIGN) || !told.read_offset_align)
		told.read_offset_align = told.offset_align;
	printf("memory %u, write %u, read %u\n", told.mem_align, told.offset_align,
	       told.read_offset_align);
	unit = told.offset_align;
	align = told.mem_align;
	if (!is_power(align) || !is_power(unit) || !is_power(told.read_offset_align) ||
	    align > PAGE || unit > ALIGN_MOST || told.read_offset_align > unit)
		die(1, "%s: that is no alignment", name);
	most = 32 * unit;
	io_most = 16 * unit;
	pieces = 4;
}

static void open_all(void)
{
	int may_be_disk = raw_name || mode >= PROMISED;
	struct stat st;

	is_disk = may_be_disk && !stat(name, &st) && S_ISBLK(st.st_mode);
	if (raw_name) {
		cached_fd = must_open(name, O_RDWR, 1);
		direct_fd = must_open(raw_name, O_RDWR, 1);
		raw_claim(direct_fd, raw_name, name);
		most = 8 << 20;
		io_most = 3 << 20;
		pieces = PIECES_MOST;
	} else if (is_disk) {
		direct_fd = open_claimed(name, O_DIRECT, 1, 1);
		cached_fd = must_open(name, O_RDWR, 1);
	} else {
		want_file(name);
		cached_fd = must_open(name, O_RDWR | O_CREAT | O_TRUNC, 1);
		direct_fd = must_open(name, O_RDWR | O_DIRECT, 1);
	}
	keep_size |= is_disk;
	if (mode >= PROMISED)
		ask_kernel();
	model = get_memory(most);
	back = get_memory(most);
	buf = pick_memory(io_most + PAGE);
	if (!may_be_disk && mode != NO_WAIT)
		return;
	size = most;
	fill(model, size);
	if (pwrite(cached_fd, model, size, 0) != (ssize_t)size || fsync(cached_fd))
		wrong("it is not filled: %s", strerror(errno));
}

static void run_random(void)
{
	for (op_nr = 1; op_nr <= nr_ops; op_nr++) {
		operations[pick(mode == PROMISED ? 6 : ARRAY_SIZE(operations))]();
		check_size();
		if (mode == PROMISED)
			read_all();
	}
	read_all();
	if (fsync(cached_fd))
		wrong("fsync: %s", strerror(errno));
	if (copy_name)
		write_copy();
}

int main(int argc, char **argv)
{
	const char *names[2] = { NULL };
	int is_random;

	parse_words(argc, argv, usage, words, names, 2);
	name = names[0];
	copy_name = names[1];
	is_random = mode == RANDOM || mode == PROMISED;
	if (!name || (is_random && !nr_ops) || (mode >= PROMISED ? unit : !unit) ||
	    piece > unit || (unit && PAGE % unit) || align > PAGE || (raw_name && mode != RANDOM))
		die(EXIT_USAGE, "%s", usage);
	if (!align)
		align = unit;
	if (piece)
		pieces = 9;
	open_all();

	switch (mode) {
	case BAD:
		overwrite_bad(direct_fd, "direct");
		overwrite_bad(cached_fd, "buffered");
		break;
	case NO_WAIT:
		check_nowait();
		break;
	case ATOMIC:
		printf("%u\n", write_atomics(0) + write_atomics(1));
		break;
	default:
		run_random();
	}
	return 0;
}
