// SPDX-License-Identifier: GPL-2.0
/*
 * One direct I/O many times, and what one took.
 *
 *	dio_load read|write|mix|extend [aio|uring] [depth=32] [huge|split|contig] [marks=N]
 *		bs=4k n=20000 FILE
 *	dio_load read readers=4 bs=4k n=1 FILE
 *	dio_load read|write cpus=8 [own] bs=4k n=200 FILE
 *	dio_write create|fill|over [direct] [verify] bs=1m size=32m n=16 FILE
 *
 * FILE is a file or a block device; I/Os go to random multiples of bs in it, the same each time.
 * write overwrites what is there (zeros); mix is 7 reads to 5 writes, the 140,000 to 100,000 of the
 * OLTP report; extend empties the file, or makes it, and writes each block behind the last. A
 * device that is written is claimed (see claim.h). Memory is one buffer for each I/O in flight, as
 * load_memory() makes it: huge pages, also split, which is mapped by PTEs, or small ones. contig is
 * memory in one piece, where there are neither huge pages nor large folios: the ring of a packet
 * socket, which the kernel allocates as one block. Prints the mean time of an I/O in nanoseconds:
 * under QEMU's -icount, the instructions of one I/O. With marks=N the I/Os are N parts, with a mark
 * (below) before each and behind the last; the time is the median of theirs, and behind it stand
 * the context switches of all tasks for an I/O. With cpus=N each of so many CPUs has a thread, all
 * for one open FILE or each for its own of FILE0, FILE1 and so on; of a thread's I/Os the first n
 * warm up, and each of n more begins with a mark. Nothing is printed.
 *
 * dio_write is another name of it, for whole files in n rounds: start the clock, open the file,
 * write size bytes in pieces of bs, fsync, close, stop the clock. Before it, and not timed, the
 * file is removed (create), made a hole of size bytes (fill), or left as it is (over; it is written
 * once before the first round). Memory for the whole file is made and stamped (see stamp.h) before
 * all rounds. verify reads the last round's file back from the disk, and checks every sector.
 * Prints a JSON object with the mean nanoseconds of a round.
 *
 * Exit status: 0 done, 1 an I/O failed, 2 usage, 4 this kernel has no AIO, io_uring or such memory,
 * 5 wrong data.
 */
#include <fcntl.h>
#include <pthread.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "claim.h"
#include "words.h"
#include "async.h"
#include "load.h"
#include "stamp.h"

static const char usage[] =
	"usage: dio_load read|write|mix|extend [WORD]... bs=4k n=20000 FILE\n"
	"usage: dio_write create|fill|over [direct] [verify] bs=1m size=32m n=16 FILE";

enum { SYNC, AIO, URING };
enum { NOTHING, READ, WRITE, MIX, EXTEND, CREATE, FILL, OVER };

static struct {
	const char *name;
	unsigned long long bs, n, depth, readers, marks, cpus, size;
	int way, what, huge, split, contig, own, direct, verify;
} opt = { .depth = 32 };

static __thread int fd;
static __thread char *memory;
static __thread unsigned long long places, seed;

static const struct word words[] = {
	CHOICE("aio", opt.way, AIO), CHOICE("uring", opt.way, URING), FLAG("huge", opt.huge),
	FLAG("split", opt.split), FLAG("contig", opt.contig), CHOICE("read", opt.what, READ),
	CHOICE("write", opt.what, WRITE), CHOICE("mix", opt.what, MIX),
	CHOICE("extend", opt.what, EXTEND), NUMBER("bs=", opt.bs), NUMBER("n=", opt.n),
	NUMBER("depth=", opt.depth), NUMBER("readers=", opt.readers), NUMBER("marks=", opt.marks),
	NUMBER("cpus=", opt.cpus), FLAG("own", opt.own), CHOICE("create", opt.what, CREATE),
	CHOICE("fill", opt.what, FILL), CHOICE("over", opt.what, OVER), NUMBER("size=", opt.size),
	FLAG("direct", opt.direct), FLAG("verify", opt.verify),
	{ .name = NULL }
};

/*
 * Marks for who counts the instructions of this machine from outside (tools/lab/insn_count.c):
 * calls of code at an address that it knows. To all others they are functions that do nothing.
 */
#define MARK_ADDRESS	0x6d61726b0000UL

static void (*mark)(void), (*mark_end)(void);

/* Before the first one: what it takes to map it is not to be counted. */
static void mark_setup(void)
{
#ifdef __x86_64__
	unsigned char *code = mmap((void *)MARK_ADDRESS, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (code != (void *)MARK_ADDRESS)
		die(1, "nothing can be mapped at %lx: %s", MARK_ADDRESS, strerror(errno));
	code[0] = 0xc3;	/* ret */
	code[1] = 0xc3;
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		die(1, "a mark cannot be executed: %s", strerror(errno));
	mark = (void (*)(void))MARK_ADDRESS;
	mark_end = (void (*)(void))(MARK_ADDRESS + 1);
	mark();
#else
	die(EXIT_USAGE, "marks are for x86_64");
#endif
}

/* The socket lives as long as this program. */
static char *contiguous(size_t size)
{
	struct tpacket_req ring = {
		.tp_block_size = size, .tp_block_nr = 1, .tp_frame_size = PAGE,
		.tp_frame_nr = size / PAGE,
	};
	int sock = socket(AF_PACKET, SOCK_RAW, 0);
	void *mem;

	if (sock < 0 || setsockopt(sock, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		die(4, "no ring of a packet socket: %s", strerror(errno));
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, sock, 0);
	if (mem == MAP_FAILED)
		die(4, "the ring cannot be mapped: %s", strerror(errno));
	return mem;
}

static void open_file(const char *name)
{
	if (opt.what == EXTEND) {
		fd = must_open(name, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 1);
		return;
	}
	fd = open_claimed(name, O_DIRECT, opt.what != READ, 1);
	places = lseek(fd, 0, SEEK_END) / opt.bs;
	if (!places)
		die(EXIT_USAGE, "%s is smaller than %llu bytes", name, opt.bs);
}

static off_t next_place(void)
{
	if (opt.what == EXTEND)
		return places++ * opt.bs;
	return next_random(&seed) % places * opt.bs;
}

/* Is I/O number @i a write? */
static int writes(unsigned long long i)
{
	return opt.what == MIX ? i % 12 >= 7 : opt.what != READ;
}

static void check(long result)
{
	if (result != (long)opt.bs)
		die(1, "an I/O of %llu bytes gave %s", opt.bs, result_name(result));
}

static void run_sync(unsigned long long n)
{
	unsigned long long i;
	off_t place;

	for (i = 0; i < n; i++) {
		place = next_place();
		check(sys_result(writes(i) ? pwrite(fd, memory, opt.bs, place) :
					     pread(fd, memory, opt.bs, place)));
	}
}

/* Whole queues of depth I/Os: all sent, then all reaped. */
static void run_aio(unsigned long long n)
{
	struct iocb cb[opt.depth], *cbs[opt.depth];
	struct io_event events[opt.depth];
	static aio_context_t ctx;
	unsigned long long i, k;

	if (!ctx)
		ctx = aio_setup(opt.depth);
	for (i = 0; i < n; i += opt.depth) {
		for (k = 0; k < opt.depth; k++) {
			cbs[k] = &cb[k];
			aio_prepare(cbs[k], fd, writes(i + k), memory + k * opt.bs, opt.bs,
				    next_place());
		}
		aio_submit(ctx, cbs, opt.depth);
		aio_reap(ctx, events, opt.depth, opt.depth, NULL);
		for (k = 0; k < opt.depth; k++)
			check(events[k].res);
	}
}

static void run_uring(unsigned long long n)
{
	static struct ring ring;
	unsigned long long i, k;

	if (!ring.sqes)
		ring_setup(&ring, opt.depth, 0);
	for (i = 0; i < n; i += opt.depth) {
		for (k = 0; k < opt.depth; k++)
			ring_queue(&ring, fd, writes(i + k) ? IORING_OP_WRITE : IORING_OP_READ,
				   memory + k * opt.bs, opt.bs, next_place(), k);
		ring_enter(&ring, opt.depth);
		for (k = 0; k < opt.depth; k++)
			check(ring_reap(&ring, NULL));
	}
}

/*
 * Each in a part of its own: the file's size shared by all of them, less than one place is lost.
 * Returns how long they took, in nanoseconds.
 */
static unsigned long long run_readers(void)
{
	unsigned long long i, part = places / opt.readers, start;
	int status;

	if (!part)
		die(EXIT_USAGE, "%s is too small for %llu readers", opt.name, opt.readers);
	start = now_ns();
	for (i = 0; i < opt.readers; i++) {
		off_t place = i * part * opt.bs;
		unsigned long long k;

		if (must_fork(1))
			continue;
		for (k = 0; k < opt.n; k++)
			check(sys_result(pread(fd, memory, opt.bs,
					       place + next_place() % (part * opt.bs))));
		exit(0);
	}
	for (i = 0; i < opt.readers; i++)
		if (wait(&status) < 0 || status)
			die(1, "a reader failed");
	return now_ns() - start;
}

static void (* const ways[])(unsigned long long n) = { run_sync, run_aio, run_uring };

static pthread_barrier_t step;

static void *run_on_cpu(void *opened)
{
	static unsigned int nr;
	unsigned int cpu = __atomic_fetch_add(&nr, 1, __ATOMIC_RELAXED);
	unsigned long long i;
	char name[PATH_MAX];

	stay_on(cpu);
	snprintf(name, sizeof(name), "%s%u", opt.name, cpu);
	if (opt.own)
		open_file(name);
	else
		fd = *(int *)opened;
	places = lseek(fd, 0, SEEK_END) / opt.bs;
	seed = cpu;
	memory = load_memory(opt.bs, 0);
	run_sync(opt.n);
	pthread_barrier_wait(&step);
	for (i = 0; i < opt.n; i++) {
		mark();
		run_sync(1);
	}
	pthread_barrier_wait(&step);
	return NULL;
}

static void run_on_cpus(void)
{
	pthread_t threads[opt.cpus];
	unsigned int i;

	mark_setup();
	pthread_barrier_init(&step, NULL, opt.cpus);
	if (!opt.own)
		open_file(opt.name);
	mark_end();
	for (i = 0; i < opt.cpus; i++)
		if (pthread_create(&threads[i], NULL, run_on_cpu, &fd))
			die(1, "no thread");
	for (i = 0; i < opt.cpus; i++)
		pthread_join(threads[i], NULL);
	mark_end();
}

static int compare(const void *a, const void *b)
{
	const unsigned long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of all tasks, so far */
static unsigned long long switches(void)
{
	unsigned long long count = 0;
	FILE *file = fopen("/proc/stat", "r");
	char line[8192];

	while (file && !count && fgets(line, sizeof(line), file))
		if (!strncmp(line, "ctxt ", 5))
			count = strtoull(line + 5, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

/* Prints the median of what the parts took. */
static void run_marked(void)
{
	unsigned long long took[opt.marks], start, i, before = switches();

	for (i = 0; i < opt.marks; i++) {
		mark();
		start = now_ns();
		ways[opt.way](opt.n / opt.marks);
		took[i] = now_ns() - start;
	}
	mark();
	before = switches() - before;
	qsort(took, opt.marks, sizeof(*took), compare);
	printf("%.1f %.1f\n", (double)took[opt.marks / 2] / (opt.n / opt.marks),
	       (double)before / opt.n);
}

/* What it took */
static unsigned long long write_file(void)
{
	unsigned long long start = now_ns(), pos;

	fd = must_open(opt.name, O_WRONLY | O_CREAT | (opt.direct ? O_DIRECT : 0), 1);
	for (pos = 0; pos < opt.size; pos += opt.bs)
		check(sys_result(write(fd, memory + pos, opt.bs)));
	if (fsync(fd) || close(fd))
		die(1, "%s: fsync or close: %s", opt.name, strerror(errno));
	return now_ns() - start;
}

static void read_back(void)
{
	unsigned long long pos;

	fd = must_open(opt.name, O_RDONLY | O_DIRECT, 1);
	memset(memory, 0, opt.size);
	for (pos = 0; pos < opt.size; pos += opt.bs)
		check(sys_result(read(fd, memory + pos, opt.bs)));
	check_stamps(opt.name, memory, opt.size, 1, 0);
}

static void write_files(void)
{
	unsigned long long ns = 0, i;

	if (!opt.size || opt.bs % STAMP_SECTOR || opt.size % opt.bs)
		die(EXIT_USAGE, "size= is not a multiple of bs=, or bs= not of %d", STAMP_SECTOR);
	want_file(opt.name);
	memory = load_memory(opt.size, 0);
	fill_stamps(memory, opt.size, 1, 0);
	if (opt.what == OVER)
		write_file();
	for (i = 0; i < opt.n; i++) {
		if (opt.what == CREATE && unlink(opt.name) && errno != ENOENT)
			die(1, "%s: unlink: %s", opt.name, strerror(errno));
		if (opt.what == FILL) {
			fd = must_open(opt.name, O_WRONLY | O_CREAT | O_TRUNC, 1);
			if (ftruncate(fd, opt.size) || fsync(fd) || close(fd))
				die(1, "%s: a hole: %s", opt.name, strerror(errno));
		}
		ns += write_file();
	}
	if (opt.verify)
		read_back();
	printf("{\"ns\": %.0f}\n", (double)ns / opt.n);
}

int main(int argc, char **argv)
{
	unsigned long long start, whole = 1;
	size_t size;

	parse_words(argc, argv, usage, words, &opt.name, 1);
	if (!opt.name || !opt.bs || !opt.n || !opt.depth || !opt.what)
		die(EXIT_USAGE, "%s", usage);
	if (opt.what >= CREATE) {
		write_files();
		return 0;
	}
	if (opt.way != SYNC)
		whole = opt.depth;
	if (opt.marks)
		whole *= opt.marks;
	opt.n = (opt.n + whole - 1) / whole * whole;
	if (opt.cpus) {
		run_on_cpus();
		return 0;
	}
	open_file(opt.name);
	size = opt.bs * (opt.way == SYNC ? 1 : opt.depth);
	memory = opt.contig ? contiguous(size) : load_memory(size, opt.huge || opt.split);
	if (opt.split)
		split_memory(memory, size);
	stay_in_memory();
	if (opt.readers) {
		printf("%.1f\n", (double)run_readers());
		return 0;
	}
	if (opt.marks) {
		mark_setup();
		run_marked();
		return 0;
	}
	start = now_ns();
	ways[opt.way](opt.n);
	printf("%.1f\n", (double)(now_ns() - start) / opt.n);
	return 0;
}
