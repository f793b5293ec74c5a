// SPDX-License-Identifier: GPL-2.0
/*
 * Random operations on a file, checked against a model of it in memory.
 *
 *	dio_ops unit=512 n=2000 seed=1 [without=OPERATION] [polled] [piece=64] FILE [COPY]
 *	dio_ops unit=512 n=2000 seed=1 [most=8m io=3m align=4 pieces=1000] raw=/dev/raw/raw1 DISK
 *	dio_ops unit=512 bad FILE
 *	dio_ops unit=512 nowait FILE
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
 * that lie apart, each but the last of N bytes, or of 1, 2, 4 or 8 times as many. Who is hurt by a
 * broken kernel: a program that gathers a block from headers and data, on a disk that takes memory
 * at such addresses. A path for small requests that has room for few pieces says -EFAULT, or writes
 * a part.
 *
 * With raw=, direct I/O goes through the raw device that is bound to DISK, and all else to DISK,
 * which loses its start. most= is the length of what is tried, io= that of a request, align= what
 * the disk demands of memory, pieces= how many of those preadv and pwritev have at most. Who is
 * hurt by a broken kernel: whoever mixes a raw device with the block device, as backups do.
 *
 * The same seed does the same. Exit status: 0 right, 1 wrong (a line says where), 2 usage.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include "claim.h"
#include "raw_ioctl.h"
#include "words.h"
#define ASYNC_NONE	1	/* a kernel without AIO or rings is no reason to skip */
#include "async.h"
#include "load.h"

#define PIECES		9		/* those of piece= */
#define PIECES_MOST	1000

static const char usage[] =
	"usage: dio_ops unit=512 n=2000 seed=1 [without=OPERATION] [polled] [piece=64] FILE\n"
	"               [COPY]\n"
	"       dio_ops unit=512 n=2000 seed=1 [most=8m] [io=3m] [align=4] [pieces=1000]\n"
	"               raw=/dev/raw/raw1 DISK\n"
	"       dio_ops unit=512 bad|nowait FILE";

enum way { SYNC, VECTOR, AIO, URING, FIXED, NR_WAYS };

static unsigned long long unit, piece, nr_ops, seed, op_nr, align;
static unsigned long long most = 3 << 20, io_most = 512 << 10, pieces = 3;
static const char *name, *copy_name, *without, *raw_name;
static int direct_fd, cached_fd, only_bad, only_nowait, polled;
static unsigned char *model, *before, *buf, *back;
static size_t size;			/* of the file */
static char doing[128];

/* The direct request that is tried */
static struct {
	size_t pos, len;
	enum way way;
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
	return raw_name ? most : (size_t)st.st_size;
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

/* Pieces with nothing between, the first of @first bytes and the second of none */
static long joined_pieces(int write, unsigned char *mem, size_t first, int flags)
{
	struct iovec iov[PIECES_MOST] = { { mem, first }, { mem, 0 } };
	size_t at = first, i;

	for (i = 2; i < pieces; at += iov[i++].iov_len) {
		iov[i].iov_base = mem + at;
		iov[i].iov_len = rq.len - at;
		if (i < pieces - 1)
			iov[i].iov_len = pick(2 * (rq.len - at) / unit / (pieces - i) + 1) * unit;
	}
	return sys_result((write ? pwritev2 : preadv2)(direct_fd, iov, pieces, rq.pos, flags));
}

/* Pieces with as much as the longest of the short ones between, copied from @mem, or to it */
static long many_pieces(int write, unsigned char *mem, int flags)
{
	size_t gap = 8 * piece, at = 0, n = 1 + pick(PIECES), magnitudes = pick(2) ? 1 : 4, i;
	struct iovec iov[PIECES];
	static unsigned char *apart;
	long ret;

	if (!apart)
		apart = get_memory(PAGE + PIECES * gap);
	for (i = 0; i < n && at < rq.len; at += iov[i++].iov_len) {
		iov[i].iov_base = apart + at + i * gap;
		iov[i].iov_len = piece << pick(magnitudes);
		if (i == n - 1 || iov[i].iov_len > rq.len - at)
			iov[i].iov_len = rq.len - at;
		if (write)
			memcpy(iov[i].iov_base, mem + at, iov[i].iov_len);
	}
	n = i;
	ret = sys_result((write ? pwritev2 : preadv2)(direct_fd, iov, n, rq.pos, flags));
	for (i = 0, at = 0; !write && i < n; at += iov[i++].iov_len)
		memcpy(mem + at, iov[i].iov_base, iov[i].iov_len);
	return ret;
}

static long direct_io(int write, unsigned char *mem)
{
	size_t first = pick(rq.len / unit + 1) * unit;
	int flags = polled ? RWF_HIPRI : 0;

	switch (rq.way) {
	case VECTOR:
		if (piece && is_of_buf(mem))
			return many_pieces(write, mem, flags);
		return joined_pieces(write, mem, first, flags);
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

/* Where, how much and which way; memory at any multiple of the unit */
static unsigned char *pick_direct(const char *what)
{
	unsigned char *mem = buf + pick(PAGE / align) * align;

	rq.len = (pick_length(io_most) + unit - 1) / unit * unit;
	rq.pos = pick((most - rq.len) / unit + 1) * unit;
	if (pick(2))
		rq.pos = pick(size / unit + 1) * unit;
	rq.way = pick(NR_WAYS);
	if (piece && rq.way == VECTOR)
		rq.len = (1 + pick(PAGE / unit)) * unit;
	if (rq.pos > most - rq.len)
		rq.pos = most - rq.len;
	snprintf(doing, sizeof(doing), "direct %s of %zu at %zu, way %d, memory at %zu", what,
		 rq.len, rq.pos, rq.way, (size_t)(mem - buf));
	return mem;
}

static size_t readable(size_t pos, size_t len)
{
	if (pos >= size)
		return 0;
	return len < size - pos ? len : size - pos;
}

static void direct_write(void)
{
	unsigned char *mem = pick_direct("write");
	long ret;

	fill(mem, rq.len);
	ret = direct_io(1, mem);
	if (ret != (long)rq.len)
		wrong("%s", result_name(ret));
	model_write(rq.pos, mem, rq.len);
}

static void direct_read(void)
{
	unsigned char *mem = pick_direct("read");
	size_t there = readable(rq.pos, rq.len);
	long ret;

	memset(mem, 0xee, rq.len);
	ret = direct_io(0, mem);
	if (ret != (long)there)
		wrong("%s, not %zu", result_name(ret), there);
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

	pick_direct("read into bad memory");
	good = pick(rq.len / unit) * unit;
	mem = bad_memory(good);
	there = readable(rq.pos, rq.len);
	ret = direct_io(0, mem);
	if (there > good || ret != (long)there)
		check_bad(ret, good);
	if (ret > 0)
		compare(mem, rq.pos, ret);
}

/*
 * What was written is new, up to the count returned; behind it each byte is as before, or new, or
 * zero, and the file is no longer than the attempt would have made it. What there is becomes the
 * model. The file's last block may now hold data behind the file's end, which is the writer's own
 * and shows when the file grows (on stock, too): that block is cut off.
 */
static void direct_write_bad(void)
{
	size_t good, end, i;
	unsigned char *mem;
	long ret;

	pick_direct("write from bad memory");
	good = pick(rq.len / unit) * unit;
	end = rq.pos + rq.len;
	mem = bad_memory(good);
	fill(mem, good);
	memcpy(before, model, most);
	ret = direct_io(1, mem);
	check_bad(ret, good);
	if (ret > 0)
		model_write(rq.pos, mem, ret);

	i = file_size();
	if (i < size || i > (size > end ? size : end))
		wrong("the file has %zu bytes after %s", i, result_name(ret));
	size = i;
	if (pread(cached_fd, back, size, 0) != (ssize_t)size)
		wrong("it cannot be read back");
	for (i = 0; i < size; i++) {
		size_t at = i - rq.pos;		/* in what was tried */

		if (back[i] == model[i])
			continue;
		if (at >= rq.len || (back[i] && back[i] != before[i] &&
				     (at >= good || back[i] != mem[at])))
			wrong("%s: byte %zu is %02x, was %02x", result_name(ret), i, back[i],
			      before[i]);
		model[i] = back[i];
	}
	if (rq.pos + good > size && rq.pos < size - size % PAGE + PAGE)
		set_size(size - size % PAGE);
}

/* Pages that the page cache takes next held this. */
static void soil_memory(void)
{
	void *mem = memset(get_memory(io_most), 0xee, io_most);

	munmap(mem, io_most);
}

/* What a write did not reach is as it was. */
static void overwrite_bad(int fd, const char *what)
{
	size_t good = io_most / 2 + unit, i;
	unsigned char *mem = bad_memory(good);
	long ret;

	snprintf(doing, sizeof(doing), "%s overwrite from bad memory", what);
	size = io_most;
	fill(model, size);
	fill(mem, good);
	ret = sys_result(pwrite(direct_fd, model, size, 0));
	if (ret != (long)size)
		wrong("the file was not made: %s", result_name(ret));
	soil_memory();
	ret = sys_result(pwrite(fd, mem, size, 0));
	check_bad(ret, good);
	if (pread(direct_fd, back, size, 0) != (ssize_t)size)
		wrong("it cannot be read back");
	for (i = 0; i < size; i++)
		if ((i >= good || back[i] != mem[i]) && ((long)i < ret || back[i] != model[i]))
			wrong("%s: byte %zu is %02x, was %02x", result_name(ret), i, back[i],
			      model[i]);
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

static struct operation {
	const char *name;
	void (*run)(void);
	unsigned int weight;
} operations[] = {
	{ "direct-write", direct_write, 3 }, { "direct-read", direct_read, 3 },
	{ "direct-read-bad", direct_read_bad, 1 }, { "direct-write-bad", direct_write_bad, 1 },
	{ "cached-write", cached_write, 1 }, { "cached-read", cached_read, 1 },
	{ "mapped-write", mapped_write, 1 }, { "truncate", truncate_it, 1 },
	{ "drop-cache", drop_cache, 1 },
};

#define NR_OPERATIONS	ARRAY_SIZE(operations)

static struct operation *pick_operation(void)
{
	unsigned int i, all = 0, at;

	for (i = 0; i < NR_OPERATIONS; i++)
		all += operations[i].weight;
	at = pick(all);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return &operations[i];
}

/* Each kind of memory has its own way through the kernel to a bio. */
static void *pick_memory(size_t len)
{
	return seed % 3 ? load_memory(len, seed % 3 == 1) : map_memory(len, MAP_SHARED);
}

static void leave_out(const char *what)
{
	unsigned int i;

	for (i = 0; i < NR_OPERATIONS; i++) {
		if (!strcmp(what, operations[i].name)) {
			operations[i].weight = 0;
			return;
		}
	}
	die(EXIT_USAGE, "without=%s: no such operation", what);
}

static const struct word words[] = {
	NUMBER("unit=", unit), NUMBER("n=", nr_ops), NUMBER("seed=", seed),
	NUMBER("piece=", piece), NUMBER("most=", most), NUMBER("io=", io_most),
	NUMBER("align=", align), NUMBER("pieces=", pieces), TEXT("raw=", raw_name),
	FLAG("bad", only_bad), FLAG("nowait", only_nowait), FLAG("polled", polled),
	TEXT("without=", without),
	{ .name = NULL }
};

static void read_all(void)
{
	size_t asked = (size + unit - 1) / unit * unit;

	snprintf(doing, sizeof(doing), "the last look");
	memset(back, 0xee, most);
	if (pread(direct_fd, back, asked, 0) != (ssize_t)size)
		wrong("a direct read of all falls short");
	compare(back, 0, size);
	if (pread(cached_fd, back, most, 0) != (ssize_t)size)
		wrong("a buffered read of all falls short");
	compare(back, 0, size);
}

static long read_nowait(size_t pos, size_t len)
{
	struct iovec to = { back, len };

	memset(back, 0xee, len);
	return sys_result(preadv2(direct_fd, &to, 1, pos, RWF_NOWAIT));
}

/* Nothing stands in the way of a read. */
static void expect_data(const char *when, size_t pos, size_t len)
{
	long ret;

	snprintf(doing, sizeof(doing), "RWF_NOWAIT read %s", when);
	ret = read_nowait(pos, len);
	if (ret != (long)len)
		wrong("%s", result_name(ret));
	compare(back, pos, len);
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
	long ret;

	snprintf(doing, sizeof(doing), "RWF_NOWAIT read of a file not known yet");
	size = most;
	fill(model, size);
	if (pwrite(direct_fd, model, size, 0) != (ssize_t)size || fsync(direct_fd))
		wrong("the file was not made");
	forget_file();
	ret = read_nowait(far, io_most);
	if (ret != -EAGAIN && (ret <= 0 || ret > (long)io_most))
		wrong("%s", result_name(ret));
	if (ret > 0)
		compare(back, far, ret);

	read_all();
	expect_data("of known blocks", 0, PAGE);
	expect_data("of known blocks far away", far, io_most);
	ret = read_nowait(most, PAGE);
	if (ret)
		wrong("%s at the end of the file", result_name(ret));

	op_nr++;
	fill(model + far, PAGE);
	if (pwrite(cached_fd, model + far, PAGE, far) != PAGE)
		wrong("not written: %s", strerror(errno));
	snprintf(doing, sizeof(doing), "RWF_NOWAIT read of data not written back");
	ret = read_nowait(far, PAGE);
	if (ret != -EAGAIN)
		wrong("%s", result_name(ret));
	expect_data("beside data not written back", far - PAGE, PAGE);
	if (fsync(cached_fd))
		wrong("fsync: %s", strerror(errno));
	expect_data("of data written back", far, PAGE);

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

/* What is there is the model's. */
static void open_raw(void)
{
	cached_fd = must_open(name, O_RDWR, 1);
	direct_fd = must_open(raw_name, O_RDWR, 1);
	raw_claim(direct_fd, raw_name, name);
	leave_out("truncate");
	size = most;
	fill(model, size);
	if (pwrite(cached_fd, model, size, 0) != (ssize_t)size)
		wrong("%s", strerror(errno));
}

static void open_file(void)
{
	want_file(name);
	cached_fd = must_open(name, O_RDWR | O_CREAT | O_TRUNC, 1);
	direct_fd = must_open(name, O_RDWR | O_DIRECT, 1);
}

int main(int argc, char **argv)
{
	const char *names[2] = { NULL };

	parse_words(argc, argv, usage, words, names, 2);
	name = names[0];
	copy_name = names[1];
	if (without)
		leave_out(without);
	if (!name || (!nr_ops && !only_bad && !only_nowait) || !unit || PAGE % unit || piece > unit)
		die(EXIT_USAGE, "%s", usage);
	if (!align)
		align = unit;
	if (align > PAGE || pieces < 3 || pieces > PIECES_MOST || io_most > most ||
	    (raw_name && (only_bad || only_nowait)))
		die(EXIT_USAGE, "%s", usage);
	model = get_memory(most);
	before = get_memory(most);
	back = get_memory(most);
	buf = pick_memory(io_most + PAGE);
	if (raw_name)
		open_raw();
	else
		open_file();

	if (only_bad) {
		overwrite_bad(direct_fd, "direct");
		overwrite_bad(cached_fd, "buffered");
		return 0;
	}
	if (only_nowait) {
		check_nowait();
		return 0;
	}
	for (op_nr = 1; op_nr <= nr_ops; op_nr++) {
		pick_operation()->run();
		check_size();
	}
	read_all();
	if (fsync(cached_fd))
		wrong("fsync: %s", strerror(errno));
	if (copy_name)
		write_copy();
	return 0;
}
