// SPDX-License-Identifier: GPL-2.0
/*
 * Direct I/O on a file that others truncate.
 *
 *	dio_race n=400 [steady | whole] [apart] FILE
 *	dio_race fallback|extend|beyond|aligned|behind|over FILE
 *	dio_race clean [into=FILE2] FILE
 *	dio_race locked other=FILE2 FILE
 *	dio_race check FILE
 *
 * With n= the processes in the table below read, write and truncate FILE:
 *
 *	reader: looks up where the blocks are, sends the read
 *	truncate: frees the blocks
 *	writer of anything: gets them, writes
 *	reader: has somebody else's data
 *
 * So a truncate must wait for direct I/O in flight (i_dio_count), new blocks must show only zeros
 * and what is written to them, and a write that extends the file tells the size last. A kernel that
 * breaks this shows old data; one that forgets to count down, or waits with a lock that completion
 * needs, hangs: each process must do something within so many seconds. steady: nobody truncates.
 * whole: the file is written before, and does not grow. apart: direct writers on one CPU, all
 * others on another, for kernels whose readers spin on a lock and keep its next owner from running.
 *
 * Each sector written holds its stamp (stamp.h). The writers do n operations each, the others go on
 * until they have. A read may fall short, each of its bytes is that of the stamp or zero. In the
 * end, and with check (once the file system is mounted anew), each sector is its stamp or zeros.
 *
 * The other words are one race each, on a disk that takes more than a second (aligned: five):
 *
 *	fallback	an AIO write of a part of a block; meanwhile a write that meets a hole goes
 *			on in the page cache, reads that block as it was, and writes all of it: the
 *			first write is undone, unless the second waits for it
 *	extend, beyond	the same at the end of a file of 2048 bytes, or a block behind it
 *	aligned		a write has no block in common with a read in flight, and does not wait for
 *			it
 *	clean		two reads into mapped memory of FILE2 (FILE.into), one by AIO. fsync of
 *			that file cleans the pages, then the disk writes into them. Pages that are
 *			not marked dirty again are dropped with what was read: check FILE2 once it
 *			is mounted anew
 *	locked		an AIO read into mapped memory of FILE2, whose disk, dio_other of dm, is
 *			suspended while write-back and a truncate hold the page. A synchronous
 *			reader of FILE must not wait for whoever marks that page dirty, nor must a
 *			truncate of FILE
 *	behind		more O_DSYNC AIO writes end at once than a CPU has workers, while a write in
 *			the page cache waits for them with the inode lock, which their fsync takes,
 *			too
 *	over		a block is read into the page cache while a direct write to it is in flight:
 *			it must be dropped again when the disk is done; and what is dirty in the
 *			cache is written before. Over data, an unwritten block, a hole
 *
 * Exit status: 0 right, 1 a wrong result, or a process that hangs (a line says which), 2 usage,
 * 5 wrong data.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "stamp.h"
#include "words.h"
#define ASYNC_NONE	1	/* a kernel without AIO or rings is no reason to skip */
#include "async.h"
#include "load.h"

#define DISK		1	/* the number in the stamps */
#define FILE_MAX	(1024UL << 10)
#define IO_MAX		(64UL << 10)
#define BLOCK_MAX	(64UL << 10)	/* no file system here has larger ones */
#define DEPTH		8
#define NR_SYNCS	600	/* a work queue runs at most 256 of its items on a CPU at once */
#define TIME_LIMIT	120	/* seconds; for one operation, far more than any disk needs */

enum { NR_PROCESSES = 7 };

static unsigned long long nr_ops, seed;
static const char *name;
static const char *other, *into, *awaited;
static int steady, whole, apart, fd, within = TIME_LIMIT;
static const struct race *only;	/* instead of the processes */
static unsigned char *right, *buf;	/* the file with all stamps; what was read */

struct race {
	void (*run)(void);
	size_t aio, aio_len, pos, len;	/* of write_beside_aio() */
};

/* What all processes see */
static struct {
	unsigned long stop;
	unsigned long done[NR_PROCESSES];	/* operations */
} *shared;

static unsigned long long pick(unsigned long long below)
{
	return next_random(&seed) % below;
}

/* Short ones are as likely as long ones. */
static void pick_range(size_t *pos, size_t *len)
{
	*len = (1 + pick(1 + ((IO_MAX / STAMP_SECTOR - 1) >> pick(6)))) * STAMP_SECTOR;
	*pos = pick((FILE_MAX - *len) / STAMP_SECTOR + 1) * STAMP_SECTOR;
}

static void check_result(const char *what, size_t pos, size_t len, long result, int write)
{
	if (result < 0 || result > (long)len || (write && result != (long)len))
		die(1, "%s: %s of %zu at %zu gave %s", name, what, len, pos, result_name(result));
}

static void write_right(size_t pos, size_t len)
{
	check_result("a write", pos, len, sys_result(pwrite(fd, right + pos, len, pos)), 1);
}

static void sync_file(int file)
{
	if (fsync(file))
		die(1, "%s: fsync: %s", name, strerror(errno));
}

static void cut_file(size_t len)
{
	if (ftruncate(fd, len))
		die(1, "%s: truncate: %s", name, strerror(errno));
}

/* What was read, while others wrote, from a sector on */
static void check_racing(const unsigned char *mem, size_t pos, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (mem[i] && mem[i] != right[pos + i]) {
			i -= i % STAMP_SECTOR;
			check_stamps(name, mem + i, STAMP_SECTOR, DISK, pos + i);
		}
	}
}

/* What is there when nobody writes */
static void check_file(void)
{
	static const unsigned char zeros[STAMP_SECTOR];
	ssize_t len = pread(fd, buf, FILE_MAX, 0), pos;

	if (len < 0 || len % STAMP_SECTOR)
		die(1, "%s: a read of all gave %s", name, result_name(sys_result(len)));
	for (pos = 0; pos < len; pos += STAMP_SECTOR)
		if (memcmp(buf + pos, zeros, STAMP_SECTOR))
			check_stamps(name, buf + pos, STAMP_SECTOR, DISK, pos);
}

/*
 * What the processes do, a step at a time
 */

static void sync_step(int write)
{
	size_t pos, len;
	long ret;

	if (!write && !pick(8))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	pick_range(&pos, &len);
	if (write) {
		write_right(pos, len);
		return;
	}
	ret = sys_result(pread(fd, buf, len, pos));
	check_result("a read", pos, len, ret, 0);
	check_racing(buf, pos, ret);
}

static void aio_step(int write)
{
	static aio_context_t ctx;
	struct iocb cbs[DEPTH], *list[DEPTH];
	struct io_event events[DEPTH];
	size_t pos, len;
	int i;

	if (!ctx)
		ctx = aio_setup(DEPTH);
	for (i = 0; i < DEPTH; i++) {
		pick_range(&pos, &len);
		list[i] = &cbs[i];
		aio_prepare(list[i], fd, write, write ? right + pos : buf + i * IO_MAX, len, pos);
	}
	aio_submit(ctx, list, DEPTH);
	aio_reap(ctx, events, DEPTH, DEPTH, NULL);
	for (i = 0; i < DEPTH; i++) {
		const struct iocb *cb = (void *)(uintptr_t)events[i].data;

		check_result(write ? "an AIO write" : "an AIO read", cb->aio_offset, cb->aio_nbytes,
			     events[i].res, write);
		if (!write)
			check_racing((void *)(uintptr_t)cb->aio_buf, cb->aio_offset, events[i].res);
	}
}

static void truncate_step(int write)
{
	(void)write;
	cut_file(pick(FILE_MAX / STAMP_SECTOR + 1) * STAMP_SECTOR);
}

static struct process {
	const char *name;
	void (*step)(int write);
	int open_flags;
	int writer;
	pid_t pid;
} processes[NR_PROCESSES] = {
	{ "the first direct writer", sync_step, O_DIRECT, 1, 0 },
	{ "the second direct writer", sync_step, O_DIRECT, 1, 0 },
	{ "the AIO writer", aio_step, O_DIRECT, 1, 0 },
	{ "the direct reader", sync_step, O_DIRECT, 0, 0 },
	{ "the AIO reader", aio_step, O_DIRECT, 0, 0 },
	{ "the buffered reader", sync_step, 0, 0, 0 },
	/* the last, to be left out if it is steady */
	{ "the truncating process", truncate_step, 0, 0, 0 },
};

static void open_file(int flags)
{
	fd = must_open(name, O_RDWR | flags, 1);
}

static void __noreturn run_process(struct process *process)
{
	unsigned long *done = &shared->done[process - processes];

	seed = process - processes;
	if (apart)
		stay_on(process->writer ? 0 : 1);
	open_file(process->open_flags);
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED) &&
	       (!process->writer || *done < nr_ops)) {
		process->step(process->writer);
		__atomic_store_n(done, *done + 1, __ATOMIC_RELAXED);
	}
	exit(0);
}

static void must_wait(pid_t pid)
{
	if (!wait_until_it_waits(pid))
		die(1, "%s: a process ended that should wait", name);
}

/* By way of the page cache, and past it */
static void check_as_it_is(void)
{
	open_file(0);
	check_file();
	open_file(O_DIRECT);
	check_file();
}

/* Sends one AIO, and does not wait for it. */
static aio_context_t send_one(struct iocb *cb, int write, void *mem, size_t len, size_t pos)
{
	aio_context_t ctx = aio_setup(1);

	open_file(O_DIRECT);
	aio_prepare(cb, fd, write, mem, len, pos);
	aio_submit(ctx, &cb, 1);
	return ctx;
}

static void reap_one(aio_context_t ctx, const char *what, size_t pos, size_t len)
{
	struct io_event event;

	aio_reap(ctx, &event, 1, 1, NULL);
	check_result(what, pos, len, event.res, 1);
}

static void read_right(int file, void *mem, size_t pos, size_t len)
{
	check_result("a read", pos, len, sys_result(pread(file, mem, len, pos)), 1);
	check_stamps(name, mem, len, DISK, pos);
}

/* A write while an AIO write is on its way; where in the file both are is in the table of races. */
static void write_beside_aio(void)
{
	struct iocb cb;
	aio_context_t ctx = send_one(&cb, 1, right + only->aio, only->aio_len, only->aio);

	write_right(only->pos, only->len);
	reap_one(ctx, "an AIO write", only->aio, only->aio_len);
	read_right(fd, buf, only->aio, only->aio_len);
	read_right(fd, buf, only->pos, only->len);
}

/* What takes too long: the child that is waited for, or who has done nothing since the last time */
static void on_alarm(int sig)
{
	static unsigned long then[NR_PROCESSES];
	int i, hang = !!awaited;

	(void)sig;
	if (awaited)
		fprintf(stderr, "dio_race: %s: %s hangs\n", name, awaited);
	for (i = 0; i < NR_PROCESSES; i++) {
		unsigned long now = __atomic_load_n(&shared->done[i], __ATOMIC_RELAXED);

		if (processes[i].pid && now == then[i]) {
			fprintf(stderr, "dio_race: %s: for %d s %s did nothing (%lu before)\n",
				name, within, processes[i].name, now);
			hang = 1;
		}
		then[i] = now;
	}
	for (i = 0; hang && i < NR_PROCESSES; i++)
		if (processes[i].pid)
			kill(processes[i].pid, SIGKILL);
	if (hang)
		_exit(1);
	alarm(within);
}

/* A process that is to end well, and in time */
static void end_of(pid_t pid, const char *what)
{
	int status;

	awaited = what;
	alarm(TIME_LIMIT / 2);
	if (waitpid(pid, &status, 0) != pid || status)
		die(1, "%s: %s failed", name, what);
	alarm(0);
}

/* A direct write of a block's length; then what is there, in the cache and on the disk */
static void write_block(int cached, size_t pos, size_t block)
{
	write_right(pos, block);
	sync_file(cached);
	read_right(cached, buf, pos, block);
	read_right(fd, buf, pos, block);
}

/* A block comes into the cache while a direct write over it is on its way. */
static void write_over_cached(int cached, size_t block)
{
	pid_t pid = must_fork(1);

	if (!pid) {
		write_right(0, block);
		_exit(0);
	}
	must_wait(pid);
	check_result("a read", 0, block, sys_result(pread(cached, buf, block, 0)), 1);
	check_racing(buf, 0, block);
	end_of(pid, "the writer");
	read_right(cached, buf, 0, block);
}

/* Over what is cached, dirty, there but not written, not there, and there in part */
static void write_over(void)
{
	struct stat st;
	size_t block;
	int cached;

	open_file(0);
	cached = fd;
	open_file(O_DIRECT);
	if (fstat(fd, &st))
		die(1, "%s: %s", name, strerror(errno));
	block = st.st_blksize < (long)PAGE ? (size_t)st.st_blksize : PAGE;
	write_over_cached(cached, block);
	memset(buf, 0xdb, block);
	check_result("a buffered write", 0, block, sys_result(pwrite(cached, buf, block, 0)), 1);
	write_block(cached, 0, block);
	if (!fallocate(fd, 0, IO_MAX, PAGE))
		write_block(cached, IO_MAX, block);
	cut_file(IO_MAX + 4 * PAGE);
	write_block(cached, IO_MAX + 2 * PAGE, block);
	if (block > STAMP_SECTOR)
		write_block(cached, IO_MAX + 2 * PAGE + block / 2, block);
}

/* The AIO writes are O_DSYNC and of whole blocks; the last meets a hole, and falls back. */
static void write_behind_syncs(void)
{
	static struct iocb cbs[NR_SYNCS], *list[NR_SYNCS];
	static struct io_event events[NR_SYNCS];
	aio_context_t ctx = aio_setup(NR_SYNCS);
	int i;

	stay_on(0);
	open_file(O_DIRECT | O_DSYNC);
	for (i = 0; i < NR_SYNCS; i++) {
		size_t pos = BLOCK_MAX + i % (BLOCK_MAX / PAGE) * PAGE;

		list[i] = &cbs[i];
		aio_prepare(list[i], fd, 1, right + pos, PAGE, pos);
	}
	aio_submit(ctx, list, NR_SYNCS);
	write_right(0, STAMP_SECTOR);
	aio_reap(ctx, events, NR_SYNCS, NR_SYNCS, NULL);
	for (i = 0; i < NR_SYNCS; i++)
		check_result("an AIO write", 0, PAGE, events[i].res, 1);
}

/* Whole blocks of a hole; the read is of others. */
static void write_aligned_below_read(void)
{
	struct timespec now = { 0 };
	struct io_event event;
	struct iocb cb;
	aio_context_t ctx = send_one(&cb, 0, buf, PAGE, BLOCK_MAX);

	write_right(0, PAGE);
	if (aio_reap(ctx, &event, 0, 1, &now))
		die(1, "%s: a write of whole blocks waited for a read of others", name);
	reap_one(ctx, "an AIO read", BLOCK_MAX, PAGE);
}

/* @len bytes of a new file, which are not right yet, in memory */
static unsigned char *map_file(const char *path, size_t len, int *to)
{
	unsigned char *map;

	*to = must_open(path, O_RDWR | O_CREAT | O_TRUNC, 1);
	memset(buf, 0xdb, len);
	if (pwrite(*to, buf, len, 0) != (ssize_t)len || fsync(*to))
		die(1, "%s: %s", path, strerror(errno));
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, *to, 0);
	if (map == MAP_FAILED)
		die(1, "%s cannot be mapped: %s", path, strerror(errno));
	return map;
}

/*
 * A synchronous read into the first half of a map, in several bios if blocks of 1 KiB are mapped
 * indirectly; the second half may be AIO's. The sync falls into the middle of both: the disk takes
 * longer than it.
 */
static void read_below_sync(unsigned char *map, int to)
{
	pid_t pid = must_fork(1);

	if (!pid) {
		check_result("a synchronous read", 0, IO_MAX,
			     sys_result(pread(fd, map, IO_MAX, 0)), 0);
		_exit(0);
	}
	must_wait(pid);
	sync_file(to);
	end_of(pid, "the synchronous reader");
	check_stamps(name, map, IO_MAX, DISK, 0);
}

static const char *into_name(void)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%s.into", name);
	return into ?: text;
}

static void sync_below_reads(void)
{
	unsigned char *map;
	aio_context_t ctx;
	struct iocb cb;
	int to;

	map = map_file(into_name(), 2 * IO_MAX, &to);
	ctx = send_one(&cb, 0, map + IO_MAX, IO_MAX, IO_MAX);
	read_below_sync(map, to);
	reap_one(ctx, "an AIO read", IO_MAX, IO_MAX);
	check_stamps(name, map + IO_MAX, IO_MAX, DISK, IO_MAX);
}

static void read_beside_locked_page(void)
{
	unsigned char *map, *locked;
	pid_t cutter, reader, pid;
	aio_context_t ctx;
	int to, other_fd;
	struct iocb cb;

	if (!other)
		die(EXIT_USAGE, "locked needs other=");
	map = map_file(into_name(), 2 * IO_MAX, &to);
	locked = map_file(other, IO_MAX, &other_fd);
	ctx = send_one(&cb, 0, locked, IO_MAX, IO_MAX);
	reader = must_fork(1);
	if (!reader)
		_exit(pread(fd, locked, IO_MAX, 0) != IO_MAX);
	must_wait(reader);
	if (system("dmsetup suspend --noflush --nolockfs --noudevrules --noudevsync dio_other"))
		die(1, "%s: its disk is not suspended", other);
	if (sync_file_range(other_fd, 0, IO_MAX, SYNC_FILE_RANGE_WRITE))
		die(1, "%s: sync_file_range: %s", other, strerror(errno));
	cutter = must_fork(1);
	if (!cutter)
		_exit(!!ftruncate(other_fd, 0));
	must_wait(cutter);
	reap_one(ctx, "an AIO read", IO_MAX, IO_MAX);
	read_below_sync(map, to);
	if (waitpid(cutter, NULL, WNOHANG) || waitpid(reader, NULL, WNOHANG))
		die(1, "%s: nothing was locked", other);
	pid = must_fork(1);
	if (!pid)
		_exit(!!truncate(name, IO_MAX));
	end_of(pid, "a truncate");
	if (system("dmsetup resume --noudevrules --noudevsync dio_other"))
		die(1, "%s: its disk is not resumed", other);
	end_of(cutter, "the truncate of the other file");
	end_of(reader, "the reader into the other file");
}

/* Until the writers have done what they should, or one process has failed. */
static void run_processes(void)
{
	int i, status, left = NR_PROCESSES - steady, writers = 0, failed = 0;
	pid_t pid;

	for (i = 0; i < left; i++) {
		processes[i].pid = must_fork(1);
		if (!processes[i].pid)
			run_process(&processes[i]);
		writers += processes[i].writer;
	}
	alarm(within);
	for (; left; left--) {
		pid = wait(&status);
		for (i = 0; processes[i].pid != pid; i++)
			;
		processes[i].pid = 0;
		writers -= processes[i].writer;
		failed |= status;
		if (failed || !writers)
			__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
	}
	alarm(0);
	if (failed)
		exit(1);
}

static const char usage[] =
	"usage: dio_race n=400 [steady|whole] [apart] FILE, or over|... FILE";

enum { NONE, CHECK, FALLBACK, EXTEND, BEYOND, ALIGNED, BEHIND, OVER, LOCKED, CLEAN };
static int race;

static const struct word words[] = {
	CHOICE("check", race, CHECK), CHOICE("fallback", race, FALLBACK),
	CHOICE("extend", race, EXTEND), CHOICE("beyond", race, BEYOND),
	CHOICE("aligned", race, ALIGNED), CHOICE("behind", race, BEHIND),
	CHOICE("over", race, OVER), CHOICE("locked", race, LOCKED), CHOICE("clean", race, CLEAN),
	NUMBER("n=", nr_ops), TEXT("other=", other), TEXT("into=", into), FLAG("steady", steady),
	FLAG("whole", whole), FLAG("apart", apart),
	{ .name = NULL }
};

static const struct race races[] = {
	[CHECK] = { .run = check_as_it_is },
	[FALLBACK] = { write_beside_aio, BLOCK_MAX + STAMP_SECTOR, STAMP_SECTOR, BLOCK_MAX - PAGE,
		       PAGE + STAMP_SECTOR },
	[EXTEND] = { write_beside_aio, 0, PAGE / 2, PAGE / 2, PAGE / 2 },
	[BEYOND] = { write_beside_aio, 0, PAGE / 2, 2 * PAGE, PAGE },
	[ALIGNED] = { .run = write_aligned_below_read },
	[BEHIND] = { .run = write_behind_syncs },
	[OVER] = { .run = write_over },
	[LOCKED] = { .run = read_beside_locked_page },
	[CLEAN] = { .run = sync_below_reads },
};

int main(int argc, char **argv)
{
	parse_words(argc, argv, usage, words, &name, 1);
	only = races[race].run ? &races[race] : NULL;
	if (!name || (!only && !nr_ops))
		die(EXIT_USAGE, "%s", usage);
	if (!only || only->run != sync_below_reads)	/* which only reads it */
		want_file(name);
	steady |= whole;
	if (apart)	/* before a watchdog finds the CPU that lets nobody run, after a minute */
		within = 25;
	shared = map_memory(sizeof(*shared), MAP_SHARED);
	right = map_memory(FILE_MAX, MAP_SHARED);
	buf = get_memory(FILE_MAX);
	fill_stamps((char *)right, FILE_MAX, DISK, 0);
	signal(SIGALRM, on_alarm);

	if (only) {
		only->run();
		return 0;
	}
	open_file(O_CREAT | O_TRUNC);
	if (whole) {
		write_right(0, FILE_MAX);
		sync_file(fd);
	}
	run_processes();
	check_as_it_is();
	return 0;
}
