// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that the disk does whole or not at all (RWF_ATOMIC, Linux 6.11 on), to a disk or a file.
 *
 *	dio_atomic DISK|FILE
 *
 * All lengths from the least to the most that statx() tells, doubled each time, from memory in
 * small pages of which no two adjoin, and from a huge one. On a disk the kernel must have made one
 * request of each: the disk promises nothing of two. What is no power of two, is too long, or does
 * not lie at a multiple of itself is refused with -EINVAL, and leaves the data alone; so does a
 * write through the page cache, with -EOPNOTSUPP.
 *
 * Who is hurt by a broken kernel: a data base that left its double writes out. A write that was
 * split may be torn when the power fails, and nobody is told.
 *
 * DISK is written in its first 64 MiB; FILE is made. Exit status: 0 right, 1 wrong (a line says
 * what), 2 usage, 4 kernel, file system or disk has no such writes.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "claim.h"

#define PROGRAM		"dio_atomic"
#include "words.h"
#include "load.h"

#ifndef RWF_ATOMIC
#define RWF_ATOMIC	0x40
#endif
#define WRITE_ATOMIC	0x10000U	/* STATX_WRITE_ATOMIC, later than glibc's headers */
#define LENGTH_MOST	(4UL << 20)
#define ROOM		(2 * LENGTH_MOST)

static const char usage[] = "usage: dio_atomic DISK|FILE";

/* struct statx, of which headers of today lack the end */
static union {
	__u8 all[256];
	struct {
		__u32 mask;
		__u8 other[0xa4];
		__u32 unit_min, unit_max;
	};
} told;

static const char *name;
static int fd, cached_fd, is_disk;
static dev_t disk;
static char *model, *back;

static void ask_kernel(void)
{
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, WRITE_ATOMIC, &told))
		die(4, "no statx: %s", strerror(errno));
	if (!(told.mask & WRITE_ATOMIC) || !told.unit_max)
		die(4, "%s takes no atomic writes", name);
	if (told.unit_max > LENGTH_MOST)
		told.unit_max = LENGTH_MOST;
}

/* By the disk, whose only user is this program */
static unsigned long long writes_done(void)
{
	unsigned long long field[5];
	char path[64];
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(disk), minor(disk));
	file = fopen(path, "r");
	if (!file)
		die(1, "%s: %s", path, strerror(errno));
	n = fscanf(file, "%llu %llu %llu %llu %llu", &field[0], &field[1], &field[2], &field[3],
		   &field[4]);
	fclose(file);
	if (n != 5)
		die(1, "%s has %d numbers", path, n);
	return field[4];
}

static void check_data(const char *what, size_t len)
{
	if (pread(fd, back, ROOM, 0) != (ssize_t)ROOM)
		die(1, "%s: %s of %zu: it cannot be read back", name, what, len);
	if (memcmp(back, model, ROOM))
		die(1, "%s: %s of %zu: wrong data", name, what, len);
}

static long write_atomic(int to, char *memory, size_t len, size_t pos)
{
	struct iovec iov = { memory, len };
	long ret = pwritev2(to, &iov, 1, pos, RWF_ATOMIC);

	return ret < 0 ? -errno : ret;
}

static void write_one(char *memory, size_t len)
{
	static char turn;
	long ret;

	memset(memory, ++turn, len);
	ret = write_atomic(fd, memory, len, len);
	if (ret != (long)len)
		die(1, "%s: a write of %zu gave %ld", name, len, ret);
	memcpy(model + len, memory, len);
	check_data("a write", len);
}

static void refuse(int to, char *memory, size_t len, size_t pos, int error)
{
	long ret;

	memset(memory, 0xee, len);
	ret = write_atomic(to, memory, len, pos);
	if (ret != -error)
		die(1, "%s: a write of %zu at %zu gave %ld, not %d", name, len, pos, ret, -error);
	check_data("a refused write", len);
}

/* A request is counted a moment after who waits for it is woken. */
static void check_requests(unsigned long long before, unsigned int writes)
{
	unsigned long long limit = now_ns() + 10 * 1000000000ULL;

	while (writes_done() < before + writes && now_ns() < limit)
		;
	if (writes_done() != before + writes)
		die(1, "%s: %u writes were %llu requests", name, writes, writes_done() - before);
}

/* The last one, the shortest, can be no two requests: those before it have all been counted. */
static void write_all(int huge)
{
	unsigned long long before = is_disk ? writes_done() : 0;
	char *memory = load_memory(ROOM, huge);
	unsigned int writes = 0;
	size_t len;

	for (len = told.unit_max; len >= told.unit_min; len /= 2, writes++)
		write_one(memory, len);
	if (is_disk)
		check_requests(before, writes);
	refuse(fd, memory, 3UL * told.unit_min, 0, EINVAL);
	refuse(fd, memory, 2UL * told.unit_max, 0, EINVAL);
	if (told.unit_min < told.unit_max)
		refuse(fd, memory, told.unit_max, told.unit_min, EINVAL);
	refuse(cached_fd, memory, told.unit_min, 0, EOPNOTSUPP);
}

int main(int argc, char **argv)
{
	char why[256];
	struct stat st;

	help_if_asked(argc, argv, usage);
	if (argc != 2 || !strchr(argv[1], '/'))
		die(EXIT_USAGE, "%s", usage);
	name = argv[1];
	is_disk = !stat(name, &st) && S_ISBLK(st.st_mode);
	disk = st.st_rdev;
	if (is_disk) {
		fd = claim(name, O_RDWR | O_DIRECT, why, sizeof(why));
		if (fd < 0)
			die(1, "%s", why);
	} else {
		want_file(name);
		fd = open(name, O_RDWR | O_DIRECT | O_CREAT | O_TRUNC, 0600);
	}
	cached_fd = open(name, O_RDWR);
	if (fd < 0 || cached_fd < 0)
		die(1, "%s: %s", name, strerror(errno));
	ask_kernel();
	model = load_memory(ROOM, 0);
	back = load_memory(ROOM, 0);
	memset(model, 1, ROOM);
	if (pwrite(fd, model, ROOM, 0) != (ssize_t)ROOM)
		die(1, "%s is not filled: %s", name, strerror(errno));
	check_data("the first write", ROOM);
	write_all(0);
	write_all(1);
	return 0;
}
