// SPDX-License-Identifier: GPL-2.0
/*
 * Is what statx() promises of direct I/O kept?
 *
 *	dio_align [atomic] DISK|FILE
 *
 * Reads and writes of one to four segments, at odd multiples of the promised alignments, must be
 * done whole. Where one of these is half a step off, -EINVAL is right, or a part. Data is never
 * wrong: what was read, what is around it, and all of the file after each write, direct and through
 * the page cache. Prints what was promised.
 *
 * The word atomic is about writes that the disk does whole or not at all (RWF_ATOMIC, Linux 6.11
 * on): of all lengths from the least to the most that are promised, doubled each time, from memory
 * in small pages of which no two adjoin, and from a huge one. On a disk the kernel must have made
 * one request of each: the disk promises nothing of two. What is no power of two, is too long, or
 * does not lie at a multiple of itself is refused with -EINVAL, and leaves the data alone; so does
 * a write through the page cache, with -EOPNOTSUPP. Who is hurt by a broken kernel: a data base
 * that left its double writes out. A write that was split may be torn when the power fails, and
 * nobody is told.
 *
 * DISK is written in its first 32 steps, of 64 KiB at most, or its first 8 MiB; FILE is made. Exit
 * status: 0 right, 1 wrong (a line says what), 2 usage, 4 nothing is told.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "claim.h"
#include "words.h"
#include "load.h"

/* Later than glibc's headers */
#define DIOALIGN	0x2000U
#define WRITE_ATOMIC	0x10000U
#define DIO_READ_ALIGN	0x20000U

#define STEPS		32			/* longest write from the last place */
#define ALIGN_MOST	(64UL << 10)
#define SEGMENTS	4
#define PART		(8 * ALIGN_MOST)	/* of the memory, for a segment */
#define ROOM		(SEGMENTS * PART)
#define ATOMIC_MOST	(4UL << 20)

enum off { NOTHING, ADDRESS, OFFSET, LENGTH, SEGMENT };
static const char * const offs[] = { "nothing", "address", "offset", "length", "segments" };

static const char usage[] = "usage: dio_align [atomic] DISK|FILE";

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

static const char *name;
static int fd, cached_fd, atomic;
static char *model, *memory, *want, *pool;
static size_t size;

static int is_power(unsigned long n)
{
	return n && !(n & (n - 1));
}

static void ask_kernel(void)
{
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, DIOALIGN | DIO_READ_ALIGN | WRITE_ATOMIC,
		    &told))
		die(4, "no statx: %s", strerror(errno));
	if (atomic && (!(told.mask & WRITE_ATOMIC) || !told.unit_max))
		die(4, "%s takes no atomic writes", name);
	if (told.unit_max > ATOMIC_MOST)
		told.unit_max = ATOMIC_MOST;
	if (atomic)
		return;
	if (!(told.mask & DIOALIGN) || (!told.mem_align && !told.offset_align))
		die(4, "statx tells nothing of direct I/O on %s", name);
	if (!(told.mask & DIO_READ_ALIGN) || !told.read_offset_align)
		told.read_offset_align = told.offset_align;
	printf("memory %u, write %u, read %u\n", told.mem_align, told.offset_align,
	       told.read_offset_align);
	if (!is_power(told.mem_align) || !is_power(told.offset_align) ||
	    !is_power(told.read_offset_align) || told.mem_align > ALIGN_MOST ||
	    told.offset_align > ALIGN_MOST || told.read_offset_align > told.offset_align)
		die(1, "%s: that is no alignment", name);
}

static void check_all(const char *what)
{
	int cached;

	for (cached = 0; cached < 2; cached++)
		if (pread(cached ? cached_fd : fd, memory, size, 0) != (ssize_t)size ||
		    memcmp(memory, model, size))
			die(1, "%s: %s: wrong data, %s", name, what, cached ? "cached" : "direct");
}

/* Copy @len bytes from @flat to where @base has the segments of memory, or from there. */
static void copy(const struct iovec *iov, char *base, char *flat, size_t len, int from)
{
	for (; len; iov++) {
		size_t n = len < iov->iov_len ? len : iov->iov_len;
		char *at = base + ((char *)iov->iov_base - memory);

		memcpy(from ? flat : at, from ? at : flat, n);
		flat += n;
		len -= n;
	}
}

static void go(int write, unsigned int nr, size_t pos, size_t len, enum off off)
{
	size_t half = (write ? told.offset_align : told.read_offset_align) / 2;
	size_t all = nr * len - (off == LENGTH ? half : 0);
	static unsigned int turn;
	struct iovec iov[SEGMENTS];
	char what[200];
	unsigned int i;
	long ret;

	snprintf(what, sizeof(what), "a %s of %u segments of %zu at %zu, %s off",
		 write ? "write" : "read", nr, len, pos, offs[off]);
	for (i = 0; i < nr; i++) {
		iov[i].iov_base = memory + i * PART + (i % 2 * 2 + 1) * told.mem_align +
				  (off == ADDRESS ? told.mem_align / 2 : 0);
		iov[i].iov_len = len;
	}
	iov[nr - 1].iov_len += all - nr * len + (off == SEGMENT ? half : 0);
	iov[0].iov_len -= off == SEGMENT ? half : 0;
	pos += off == OFFSET ? half : 0;

	memset(memory, 0xee, ROOM);
	if (write)
		copy(iov, memory, pool + turn++ % 64 * 4099, all, 0);
	ret = write ? pwritev(fd, iov, nr, pos) : preadv(fd, iov, nr, pos);
	ret = ret < 0 ? -errno : ret;
	if (ret != (long)all &&
	    (off == NOTHING || (ret != -EINVAL && (ret <= 0 || ret > (long)all))))
		die(1, "%s: %s gave %ld", name, what, ret);
	if (write) {
		if (ret > 0)
			copy(iov, memory, model + pos, ret, 1);
		check_all(what);
	} else if (ret > 0) {
		/* Behind a part that was read the rest may have come, too. */
		memcpy(want, memory, ROOM);
		if (ret == (long)all)
			memset(want, 0xee, ROOM);
		copy(iov, want, model + pos, ret, 0);
		if (memcmp(memory, want, ROOM))
			die(1, "%s: %s: wrong data in memory", name, what);
	}
}

static void go_all(int write)
{
	size_t step = write ? told.offset_align : told.read_offset_align;
	unsigned int nr, k;
	enum off off;

	for (nr = 1; nr <= SEGMENTS; nr++) {
		for (k = 1; k <= 3; k++)
			go(write, nr, (nr + 2 * k) * step, k * step, NOTHING);
		for (off = ADDRESS; off <= SEGMENT; off++)
			if (off != SEGMENT || nr > 1)
				go(write, nr, nr * step, 2 * step, off);
	}
}

/*
 * Writes that are whole or not at all
 */

/* By the disk, whose only user is this program; 0 for a file */
static unsigned long long writes_done(void)
{
	unsigned long long writes;
	char path[64];
	struct stat st;
	FILE *file;

	if (fstat(fd, &st) || !S_ISBLK(st.st_mode))
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_rdev),
		 minor(st.st_rdev));
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*u %*u %*u %*u %llu", &writes) != 1)
		die(1, "%s does not tell of writes", path);
	fclose(file);
	return writes;
}

/* A write at @pos, which must give its length, or -@error and leave the data alone */
static void write_atomic(int to, char *from, size_t len, size_t pos, int error)
{
	struct iovec iov = { from, len };
	static char turn;
	char what[80];
	long ret;

	memset(from, ++turn, len);
	ret = pwritev2(to, &iov, 1, pos, RWF_ATOMIC);
	ret = ret < 0 ? -errno : ret;
	snprintf(what, sizeof(what), "an atomic write of %zu at %zu", len, pos);
	if (ret != (error ? -error : (long)len))
		die(1, "%s: %s gave %ld, wanted error %d", name, what, ret, error);
	if (!error)
		memcpy(model + pos, from, len);
	check_all(what);
}

/*
 * A request is counted a moment after who waits for it is woken. The last one, the shortest, can be
 * no two requests: those before it have all been counted.
 */
static void write_atomics(int huge)
{
	unsigned long long before = writes_done(), limit, made;
	char *from = load_memory(size, huge);
	unsigned int writes = 0;
	size_t len;

	for (len = told.unit_max; len >= told.unit_min; len /= 2, writes++)
		write_atomic(fd, from, len, len, 0);
	for (limit = now_ns() + 10000000000ULL; before && now_ns() < limit; )
		if (writes_done() >= before + writes)
			break;
	made = writes_done() - before;
	if (before && made != writes)
		die(1, "%s: %u writes were %llu requests", name, writes, made);
	write_atomic(fd, from, 3UL * told.unit_min, 0, EINVAL);
	write_atomic(fd, from, 2UL * told.unit_max, 0, EINVAL);
	if (told.unit_min < told.unit_max)
		write_atomic(fd, from, told.unit_max, told.unit_min, EINVAL);
	write_atomic(cached_fd, from, told.unit_min, 0, EOPNOTSUPP);
}

static const struct word words[] = {
	FLAG("atomic", atomic),
	{ .name = NULL }
};

int main(int argc, char **argv)
{
	unsigned long long seed = 0;
	struct stat st;
	size_t i;

	parse_words(argc, argv, usage, words, &name, 1);
	if (!name)
		die(EXIT_USAGE, "%s", usage);
	if (stat(name, &st) || !S_ISBLK(st.st_mode)) {
		want_file(name);
		close(must_open(name, O_WRONLY | O_CREAT | O_TRUNC, 1));
	}
	fd = open_claimed(name, O_DIRECT, 1, 1);
	cached_fd = must_open(name, O_RDWR, 1);
	ask_kernel();
	size = atomic ? 2 * ATOMIC_MOST : STEPS * told.offset_align;
	model = load_memory(size, 0);
	want = load_memory(ROOM, 0);
	memory = load_memory(ROOM + size, 0);
	pool = load_memory(ROOM + size, 0);
	for (i = 0; i < ROOM + size; i += 8)
		*(unsigned long long *)(pool + i) = next_random(&seed);
	memcpy(model, pool + ROOM, size);
	if (pwrite(cached_fd, model, size, 0) != (ssize_t)size || fsync(cached_fd))
		die(1, "%s is not filled: %s", name, strerror(errno));
	check_all("the first write");
	for (i = 0; i < 2; i++) {
		if (atomic)
			write_atomics(i);
		else
			go_all(i);
	}
	return 0;
}
