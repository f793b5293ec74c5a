// SPDX-License-Identifier: GPL-2.0
/*
 * Each allocation that a call makes fails once: the first one, then the second, and so on until
 * none is left to fail (/proc/thread-self/fail-nth).
 *
 *	dio_nomem FILE		direct reads, overwrites and AIO of FILE, and buffered reads
 *	dio_nomem RAWDEV DISK	a binding of RAWDEV, which has none, to DISK
 *
 * A call may do all, a part, or nothing, and then says that there is no memory. Blocks that it was
 * to write are old or new, those that it read are right, no page stays pinned, and the same call
 * without a failure does all. FILE, of at least 1 MiB, is written.
 *
 * Exit status: 0 right, 1 wrong (lines say what), 2 usage, 4 this kernel fails nothing.
 */
#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <linux/types.h>

#include "words.h"
#include "load.h"
#include "raw_ioctl.h"
#include "async.h"

#define SIZE		(256 * PAGE)
#define PIECES		256		/* of memory; SIZE in all */
#define MOST		5000		/* allocations of a call; it ends well before */

enum { READ, WRITE, AIO_READ, AIO_WRITE, CACHED, CALLS };

static const char * const names[] = { "read", "write", "AIO read", "AIO write", "buffered read" };

#define is_wrong(...)	(wrong++, printf(__VA_ARGS__))

static int nth, fd, cached, wrong;
static char *memory, *expected;
static struct iovec iov[PIECES];
static aio_context_t ctx;

/* The call's allocation number @n, from 1 on, is to fail; 0: none any more. Was there one? */
static int arm(int n)
{
	char text[16] = "";
	int left = pread(nth, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;

	snprintf(text, sizeof(text), "%d", n);
	if (pwrite(nth, text, strlen(text), 0) < 0)
		die(1, "no failure: %s", strerror(errno));
	return !left;
}

static long make_call(int call)
{
	struct iocb cb, *cbs = &cb;
	struct io_event event;

	switch (call) {
	case READ:
		return sys_result(preadv(fd, iov, PIECES, 0));
	case WRITE:
		return sys_result(pwritev(fd, iov, PIECES, 0));
	case CACHED:
		return sys_result(preadv(cached, iov, PIECES, 0));
	}
	aio_prepare(&cb, fd, 0, iov, PIECES, 0);
	cb.aio_lio_opcode = call == AIO_WRITE ? IOCB_CMD_PWRITEV : IOCB_CMD_PREADV;
	if (syscall(SYS_io_submit, ctx, 1, &cbs) < 1)
		return -errno;
	aio_reap(ctx, &event, 1, 1, NULL);
	return event.res;
}

/* What the disk has now must be of @new up to @done, and behind it of either. */
static void look_at(const char *name, int n, long done, const char *old, const char *new)
{
	unsigned long at;
	const char *is;

	if (pread(fd, expected, SIZE, 0) != (long)SIZE)
		die(1, "%s, allocation %d: then a read failed: %s", name, n, strerror(errno));
	for (at = 0; at < SIZE; at += 512) {
		is = expected + at;
		if (!memcmp(is, new, 512) || (at >= (unsigned long)done && !memcmp(is, old, 512)))
			continue;
		is_wrong("%s, allocation %d failed, %ld bytes written: byte %lu is wrong\n",
			 name, n, done, at);
		return;
	}
}

/* Returns the number of allocations, which is at least one. */
static int fail_each(int call)
{
	char old[512], new[512];
	int n, failed, is_write = call == WRITE || call == AIO_WRITE;
	long ret, before;

	memset(old, 'o', sizeof(old));
	for (n = 1; n < MOST; n++) {
		memset(memory, 'o', SIZE);
		if (pwrite(fd, memory, SIZE, 0) != (long)SIZE)
			die(1, "%s: %s", names[call], strerror(errno));
		posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
		memset(new, is_write ? 'a' + n % 10 : 'o', sizeof(new));
		memset(memory, is_write ? *new : 0, SIZE);
		before = pinned_now();

		arm(n);
		ret = make_call(call);
		failed = arm(0);

		if (ret != (long)SIZE &&
		    (!failed || (ret < 0 && ret != -ENOMEM && ret != -EAGAIN)))
			is_wrong("%s, allocation %d %s: %s\n", names[call], n,
				 failed ? "failed" : "did not", result_name(ret));
		ret = ret < 0 ? 0 : ret;
		if (is_write)
			look_at(names[call], n, ret, old, new);
		if (!is_write && ret && (*memory != 'o' || memcmp(memory, memory + 1, ret - 1)))
			is_wrong("%s, allocation %d failed: wrong data\n", names[call], n);
		if (pins_left(before, 1))
			is_wrong("%s, allocation %d failed: pages stay pinned\n", names[call], n);
		if (make_call(call) != (long)SIZE)
			is_wrong("%s, allocation %d failed: so does the next\n", names[call], n);
		if (!failed)
			break;
	}
	if (n == 1 || n == MOST)
		die(1, "%s: %d allocations", names[call], n - 1);
	return n - 1;
}

/* What failed has bound nothing, and the next one does. Returns the number of allocations. */
static int bind_each(const char *raw, const char *disk)
{
	int ctl = open(RAW_CTL, O_RDONLY), n, ret, failed = 1;
	struct raw_config_request bind, none = { 0 };
	struct stat st;

	if (ctl < 0 || stat(disk, &st) || !S_ISBLK(st.st_mode))
		die(1, "%s, or %s: %s", RAW_CTL, disk, strerror(errno));
	none.raw_minor = atoi(raw + strcspn(raw, "0123456789"));
	bind = (struct raw_config_request){ none.raw_minor, major(st.st_rdev), minor(st.st_rdev) };
	for (n = 1; failed && n < MOST; n++) {
		arm(n);
		ret = sys_result(ioctl(ctl, RAW_SETBIND, &bind));
		failed = arm(0);
		if (ret ? !failed || ret != -ENOMEM || raw_bound_to(none.raw_minor) :
		    raw_bound_to(none.raw_minor) != st.st_rdev)
			is_wrong("a binding, allocation %d: %s, bound to %lx\n", n,
				 result_name(ret), (unsigned long)raw_bound_to(none.raw_minor));
		if (ioctl(ctl, RAW_SETBIND, &bind) || ioctl(ctl, RAW_SETBIND, &none))
			die(1, "allocation %d failed: no binding any more: %s", n, strerror(errno));
	}
	if (n == 2 || failed)
		die(1, "a binding: %d allocations", n - 2);
	return n - 2;
}

int main(int argc, char **argv)
{
	static const char usage[] = "usage: dio_nomem FILE | RAWDEV DISK";
	int i;

	help_if_asked(argc, argv, usage);
	if (argc < 2 || argc > 3 || !strchr(argv[1], '/'))
		die(EXIT_USAGE, "%s", usage);
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0)
		die(4, "no CONFIG_FAULT_INJECTION");
	if (argc == 3) {
		printf("a binding: %d allocations\n", bind_each(argv[1], argv[2]));
		return !!wrong;
	}
	fd = open_claimed(argv[1], O_DIRECT, 1, 1);
	cached = open(argv[1], O_RDONLY);
	memory = load_memory(2 * SIZE, 0);
	expected = load_memory(SIZE, 0);
	ctx = aio_setup(1);
	for (i = 0; i < (int)PIECES; i++)
		iov[i] = (struct iovec){ memory + i * PAGE, PAGE };
	for (i = 0; i < (cached < 0 ? CACHED : CALLS); i++)
		printf("%s: %d allocations\n", names[i], fail_each(i));
	return !!wrong;
}
