// SPDX-License-Identifier: GPL-2.0
/*
 * Do requests have the flags, the priority, the hint and the cgroup that who asks for them gave?
 *
 *	dio_flags disk|iomap|engine DISK FILE IO.STAT [ERROR]
 *
 * Direct reads and overwrites of FILE, which is DISK or lies there in one piece, in all
 * combinations of ways, RWF_ flags, shapes, and what is given. IO.STAT is that of this program's
 * cgroup, or none. ERROR is where scsi_debug takes errors for DISK, which is busy until all
 * requests of a call were seen in the debugfs of their queue; without it DISK is a null_blk
 * without a cache, in whose polled queue they stay. want() says what is right, must_fail() which
 * calls are refused.
 *
 * Exit status: 0 right, 1 wrong (lines say what), 2 usage, 4 a thing is missing.
 */
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <linux/fs.h>

#include "words.h"
#include "load.h"
#include "claim.h"
#include "async.h"

#define TRACE		"/sys/kernel/tracing/instances/dio_flags/trace"
#define QUEUE		"/sys/kernel/debug/block"
#define BLOCK		4096UL
#define POS		(256 * BLOCK)
#define SEGMENTS	320U		/* a bio has room for 256 */
#define PRIO		(2 << 13 | 6)	/* of the task: best effort; that of a request is 4 less */

enum { DISK, IOMAP, ENGINE };
enum way { SYNC, AIO, URING, POLLED };
enum shape { ONE, ODD, MANY };		/* a block, one at an odd address, several bios */

static const int rwfs[] = { 0, RWF_NOWAIT, RWF_HIPRI, RWF_DSYNC, RWF_SYNC, RWF_ATOMIC };

/* The call that is under way. given: a hint, and a priority of its own where the way has one */
static enum way way;
static enum shape shape;
static int rwf, is_write, given;
static long result;
static int sent;			/* 1: all is sent, -1: and it is over */

static unsigned int rules;
static const char *disk, *io_stat;
static char *memory;
static int fd, error_fd = -1;
static aio_context_t ctx;
static struct ring rings[2];
static pthread_barrier_t step;
static unsigned long long first;	/* sector of the file at POS */
static unsigned long long bytes, cgroup_bytes;
static unsigned int calls, refused, wrong, busy, nr_queued, nr_done, nr_commands;

/* Requests as they were seen in their queue */
static struct {
	char id[32], flags[100];
} queued[SEGMENTS];

/*
 * The rules of stock 7.3, flags in the order of their bits. Who has several bios may wait: a ring
 * is told so, and sends them again. fs/iomap has a simple way for reads of a block, the only
 * ones that have no hint and must not wait, and leaves RWF_SYNC to a flush. fs/direct-io.c has
 * none that must not wait, and leaves RWF_DSYNC, too; on stock it loses a priority of their own.
 */
static unsigned int want(char *flags, size_t size)
{
	int simple = rules == IOMAP && !is_write && shape != MANY;
	int one = simple || (rules == DISK && shape != MANY);
	int nowait = rwf == RWF_NOWAIT || way >= URING;
	int fua = rwf == RWF_DSYNC ? rules != ENGINE : rwf == RWF_SYNC && rules == DISK;
	int idle = is_write || (rules == IOMAP && !simple);

	snprintf(flags, size, "%s%s%s%s%s%s",
		 idle || (one && way == SYNC) ? "|SYNC" : "", idle ? "|IDLE" : "",
		 is_write && fua && error_fd >= 0 ? "|FUA" : "",
		 nowait && one ? "|NOWAIT" : "",
		 error_fd < 0 ? "|POLLED" : "",
		 is_write && rwf == RWF_ATOMIC ? "|ATOMIC" : "");
	return given && !simple ? 5 : 0;
}

/* The error that is right for the call, 0 if it must be done */
static int must_fail(void)
{
	if (rwf == RWF_HIPRI)		/* a ring that nobody polls */
		return way == URING ? -EINVAL : 0;
	if (rwf == RWF_ATOMIC && (!is_write || rules == ENGINE))
		return -EOPNOTSUPP;
	return rwf == RWF_ATOMIC && shape == MANY ? -EINVAL : 0;
}

/* A write may wait for its time stamp, several bios for each other; stock has files that say no. */
static int may_fail(void)
{
	return rwf == RWF_NOWAIT &&
		((result == -EAGAIN && (is_write || shape == MANY)) ||
		 (result == -EOPNOTSUPP && rules == ENGINE));
}

static void is_right(const char *is, const char *should)
{
	if (strcmp(is, should) && wrong++ < 9)
		printf("%s, way %d, flag %#x, shape %d, given %d: %s, not %s\n",
		       is_write ? "write" : "read", way, rwf, shape, given, *is ? is : "none",
		       *should ? should : "none");
}

/* A thread, which ends when the requests were seen, and then all is done */
static void *make_call(void *unused)
{
	struct ring *ring = &rings[way == POLLED];
	int i, nr = shape == MANY ? SEGMENTS : 1;
	struct iocb cb, *cbs = &cb;
	struct iovec iov[SEGMENTS];
	struct io_uring_sqe *sqe;
	struct io_event event;
	long ret = 1;

	if (syscall(SYS_ioprio_set, 1, 0, PRIO))
		die(4, "no priorities: %s", strerror(errno));
	for (i = 0; i < nr; i++) {
		iov[i].iov_base = memory + i * 2 * BLOCK + (shape == ODD ? 512 : 0);
		iov[i].iov_len = BLOCK;
	}
	if (way == SYNC) {
		ret = sys_result((is_write ? pwritev2 : preadv2)(fd, iov, nr, POS, rwf));
	} else if (way == AIO) {
		aio_prepare(&cb, fd, is_write ? IOCB_CMD_PWRITEV : IOCB_CMD_PREADV, iov, nr, POS);
		cb.aio_rw_flags = rwf;
		cb.aio_flags = given ? IOCB_FLAG_IOPRIO : 0;
		cb.aio_reqprio = PRIO - 4;
		ret = sys_result(syscall(SYS_io_submit, ctx, 1, &cbs));
		if (ret == 1 && aio_reap(ctx, &event, 0, 1, NULL))
			ret = event.res;		/* refused */
	} else {
		sqe = ring_queue(ring, fd, is_write ? IORING_OP_WRITEV : IORING_OP_READV, iov, nr,
				 POS, 0);
		sqe->rw_flags = rwf;
		sqe->ioprio = given ? PRIO - 4 : 0;
		ring_enter(ring, 0);
	}
	sent = way == SYNC || ret < 0 ? -1 : 1;
	pthread_barrier_wait(&step);
	result = ret;
	if (sent > 0 && way == AIO && aio_reap(ctx, &event, 1, 1, NULL))
		result = event.res;
	else if (sent > 0)
		result = ring_reap(ring, NULL);
	return unused;
}

/* @see each line of each file, until one is what was looked for. */
static int each_line(const char *pattern, int (*see)(const char *line))
{
	char line[1000];
	glob_t found;
	FILE *file;
	int ret = 0;
	size_t i;

	if (glob(pattern, GLOB_BRACE, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc && !ret; i++) {
		file = fopen(found.gl_pathv[i], "r");
		while (file && !ret && fgets(line, sizeof(line), file))
			ret = see(line);
		if (file)
			fclose(file);
	}
	globfree(&found);
	return ret;
}

static int see_runner(const char *line)
{
	return strrchr(line, ')')[2] == 'R' && atoi(line) != getpid();
}

static int see_tags(const char *line)
{
	return sscanf(line, "busy=%u", &busy) == 1;
}

static int see_cgroup(const char *line)
{
	const char *at = strstr(line, is_write ? "wbytes=" : "rbytes=");

	cgroup_bytes += at ? strtoull(at + strlen("wbytes="), NULL, 10) : 0;
	return 0;
}

static int see_request(const char *line)
{
	const char *flags = strstr(line, ".cmd_flags=");
	int len = strcspn(line, " ");
	unsigned int i;
	char *cache;

	for (i = 0; i < nr_queued; i++)		/* it may go from list to list */
		if (!strncmp(queued[i].id, line, len))
			return 0;
	if (!flags || i == SEGMENTS)
		return 0;
	snprintf(queued[i].id, sizeof(queued[i].id), "%.*s", len, line);
	flags += strlen(".cmd_flags=");
	len = strcspn(flags, ",");
	snprintf(queued[i].flags, sizeof(queued[i].flags), "%s%.*s", len ? "|" : "", len, flags);
	cache = strstr(queued[i].flags, "|ALLOC_CACHE");	/* where its memory is from */
	if (cache)
		memmove(cache, cache + 12, strlen(cache + 12) + 1);
	nr_queued++;
	return 0;
}

/* All threads but this one sleep, and each request that has a tag is in a list, or it is over. */
static int all_seen(void)
{
	int hctx = error_fd < 0;		/* the polled one is the second */
	/* First of all: what is sent from here on may be in none of the lists. */
	int was_sent = __atomic_load_n(&sent, __ATOMIC_ACQUIRE);
	char path[200];

	if (each_line("/proc/self/task/*/stat", see_runner))
		return 0;
	nr_queued = 0;
	snprintf(path, sizeof(path), QUEUE "/%s/hctx%d/tags", disk, hctx);
	each_line(path, see_tags);
	snprintf(path, sizeof(path), QUEUE "/%s/{requeue_list,hctx%d/{dispatch,busy,cpu*/*_list}}",
		 disk, hctx);
	each_line(path, see_request);
	if (nr_queued)
		return nr_queued == busy && (was_sent || way == SYNC);
	/* What cannot be polled for ends, but who does not ask is not told. */
	return was_sent < 0 || (was_sent && (way == POLLED || !ring_empty(&rings[0])));
}

static int is_mine(unsigned long long sector)
{
	return sector >= first && sector < first + SEGMENTS * BLOCK / 512;
}

/* A command, "raw=...", another if it is atomic, or the end of a request, "... ) sector + ..." */
static int see_event(const char *line)
{
	const char *raw = strstr(line, "raw="), *done = strstr(line, ") ");
	unsigned int a, b, c, d, hint, len;
	unsigned long long sector;
	char flags[100], prio[32];

	if (raw && rwf != RWF_ATOMIC &&
	    sscanf(raw, "raw=%*x %*x %x %x %x %x %x", &a, &b, &c, &d, &hint) == 5 &&
	    is_mine(a << 24 | b << 16 | c << 8 | d)) {
		is_right(hint == want(flags, sizeof(flags)) ? "its hint" : "another", "its hint");
		nr_commands++;
	}
	if (!raw && done && sscanf(done, ") %llu + %u %31s", &sector, &len, prio) == 3 &&
	    is_mine(sector)) {
		is_right(prio, given && way != SYNC ? "be,0,2" : "be,0,6");
		bytes += len * 512;
		nr_done++;
	}
	return 0;
}

/* SCSI_MLQUEUE_DEVICE_BUSY for all commands, or no more */
static int hold(int count)
{
	const char *how = count ? "1 1 ff 1056" : "1 0 ff 1056";

	return error_fd >= 0 && write(error_fd, how, strlen(how)) < 0;
}

/* Else the end of this program waits for AIO that is held. */
static void let_go(void)
{
	hold(0);
}

static void go(void)
{
	unsigned long long hint = given ? 5 : 0, before, limit;	/* RWH_WRITE_LIFE_EXTREME */
	const char *other = "not seen";
	unsigned int i, nr_right = 0;
	pthread_t thread;
	char flags[100];

	bytes = 0;
	nr_done = 0;
	nr_commands = 0;
	sent = 0;
	cgroup_bytes = 0;
	each_line(io_stat, see_cgroup);
	before = cgroup_bytes;
	if (fcntl(fd, F_SET_RW_HINT, &hint) || syncfs(fd) ||
	    close(open(TRACE, O_WRONLY | O_TRUNC)))	/* empties it */
		die(1, "no hint, or no trace: %s", strerror(errno));
	if (hold(1))
		die(1, "scsi_debug does not take errors: %s", strerror(errno));
	if (pthread_create(&thread, NULL, make_call, NULL))
		die(1, "no thread");
	for (limit = now_ns() + 60000000000ULL; !all_seen(); )
		if (now_ns() > limit)
			die(1, "%u requests of %u were seen in a minute", nr_queued, busy);
	hold(0);
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
	each_line(TRACE, see_event);
	want(flags, sizeof(flags));
	for (i = 0; i < nr_queued; i++)		/* file systems have others there at times */
		if (!strcmp(queued[i].flags, flags))
			nr_right++;
		else
			other = queued[i].flags;
	is_right(nr_right < nr_done ? other : flags, flags);
	cgroup_bytes = 0;
	each_line(io_stat, see_cgroup);
	calls++;
	if (must_fail())
		is_right(!bytes && result == must_fail() ? "refused" : "not", "refused");
	else if (!bytes && may_fail())
		refused++;
	else if (error_fd >= 0 && rwf != RWF_ATOMIC && nr_commands < nr_done)
		is_right("no command", "one");
	else
		is_right(bytes == (shape == MANY ? SEGMENTS : 1) * BLOCK && result == (long)bytes ?
			 "all" : "not all", "all");
	is_right(*io_stat && cgroup_bytes - before < bytes ? "another cgroup" : "its", "its");
}

int main(int argc, char **argv)
{
	static const char usage[] = "usage: dio_flags disk|iomap|engine DISK FILE IO.STAT [ERROR]";
	static const char * const names[] = { "disk", "iomap", "engine" };
	unsigned int i, size, at;

	help_if_asked(argc, argv, usage);
	if (argc < 5 || argc > 6)
		die(EXIT_USAGE, "%s", usage);
	while (rules < 3 && strcmp(argv[1], names[rules]))
		rules++;
	disk = strrchr(argv[2], '/');
	if (rules == 3 || !disk++)
		die(EXIT_USAGE, "%s", usage);
	io_stat = argv[4];
	memory = load_memory(2 * SEGMENTS * BLOCK, 0);
	if (rules == DISK)
		fd = open_claimed(argv[3], O_DIRECT, 1, 1);
	else
		fd = must_open(argv[3], O_RDWR | O_DIRECT | O_CREAT, 1);
	for (i = 0; i < 4; i++)
		if (pwrite(fd, memory, POS, i * POS) != (ssize_t)POS)
			die(1, "%s: %s", argv[3], strerror(errno));
	if (fsync(fd) || ioctl(fd, FIGETBSZ, &size))
		die(1, "%s: %s", argv[2], strerror(errno));
	at = POS / size;
	if (rules != DISK && ioctl(fd, FIBMAP, &at))
		die(1, "%s: no map: %s", argv[3], strerror(errno));
	first = (unsigned long long)at * (size / 512);
	error_fd = argc == 6 ? open(argv[5], O_WRONLY) : -1;
	atexit(let_go);
	pthread_barrier_init(&step, NULL, 2);
	if (argc == 6 && error_fd < 0)
		die(1, "%s: %s", argv[5], strerror(errno));
	ctx = aio_setup(1);
	ring_setup(&rings[0], 1, 0);
	ring_setup(&rings[1], 1, IORING_SETUP_IOPOLL);

	for (i = 0; i < 2 * 2 * 4 * 3 * ARRAY_SIZE(rwfs); i++) {
		is_write = i & 1;
		given = i >> 1 & 1;
		way = i >> 2 & 3;
		shape = i / 16 % 3;
		rwf = rwfs[i / 48];
		/* Several bios are not polled for; what is atomic xfs writes elsewhere there. */
		if (error_fd >= 0 ? way != POLLED :
		    way == POLLED && shape != MANY && rwf != RWF_ATOMIC)
			go();
	}
	printf("%u calls, of which %u might have been done\n", calls, refused);
	return !!wrong;
}
