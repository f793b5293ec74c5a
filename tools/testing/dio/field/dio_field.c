// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: The field reports on the harness
 *
 *	dio_field [mutant|stock] REPORT...	field-1, field-3, field-4, field-5
 *
 * Runs the real fs/direct-io.c in the harness' world.c, in the kernel's scale, on files laid out as
 * ext2 does it and on a modelled array (array.h): the engine takes no time, so what a request sends
 * is given to the array as it comes, and is over for the engine at once. Prints a JSON object a
 * figure: report, case, metric, unit, value, command. With "mutant" the engine is known to be
 * wrong: metrics end in _mutant, and only those are printed that the mutant is the "before" of.
 * With "stock" it is the base's: metrics end in _stock.
 *
 * What a synchronous write sends is checked: a bio goes where the file's next bytes are, and
 * nothing is held back at a boundary. With neither word the number of bios must be the reference's
 * minimum, no more and no fewer. What is wrong is one line on stderr.
 *
 * Exit status: 0 right, 1 wrong, 2 usage.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "field.h"
#include "../steps.h"
#include "../world.h"
#include "array.h"

#define DIRECT_BLOCKS	12
#define CHUNK		256	/* sectors: 128 KiB */
#define FC_DISKS	8
#define RAID0_DISKS	8
#define STRIPE_DISKS	64
#define MIB		1048576ULL
#define MAX_STRUCT	1024	/* bytes of a struct dio */
#define USER_PAGES	512	/* behind all of an I/O's memory, again and again */

static bool mutant, stock, ours;
static const char *report;
static char name[64];			/* of the case */

void __attribute__((noreturn)) wrong(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "dio_field: %s %s: ", report, name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void emit(const char *metric, const char *unit, double value)
{
	printf("{\"report\": \"%s\", \"case\": \"%s-harness\", ", report, name);
	printf("\"metric\": \"%s%s\", \"unit\": \"%s\", ", metric,
	       mutant ? "_mutant" : stock ? "_stock" : "", unit);
	printf("\"value\": %.4f, \"command\": \"dio_field %s\"}\n", value, report);
}

/*
 * A file
 */

/**
 * struct field_file - a file and where its blocks are
 * @blkbits: its block size
 * @i_size: bytes
 * @where: on the disk, in blocks
 * @blocks: how many it can have
 * @allocated: how many of them it has
 * @pointers: in an indirect block; 0: no indirect blocks, and no boundaries
 * @mapped: bytes up to which bios were seen
 */
struct field_file {
	unsigned int blkbits;
	u64 i_size;
	u64 *where;
	u64 blocks, allocated;
	unsigned int pointers;
	u64 mapped;
};

static struct field_file file, *requested;	/* of the request */
static bool checked;			/* it is a write, to be checked */

/*
 * The block after @at that holds no metadata of a group. A group is what the bits of a block count,
 * with two bitmaps and, for an inode of 256 bytes to every 16 KiB, an inode table in front.
 */
static u64 next_free(const struct field_file *f, u64 at)
{
	u64 bs = 1ULL << f->blkbits;

	at++;
	if (at % (8 * bs) < 2 + bs / 8)
		at += 2 + bs / 8 - at % (8 * bs);
	return at;
}

/* How many indirect blocks does ext2 allocate in front of @block? */
static unsigned int indirect_before(const struct field_file *f, u64 block)
{
	u64 n = f->pointers, nth;

	if (!n || block < DIRECT_BLOCKS || (block - DIRECT_BLOCKS) % n)
		return 0;
	nth = (block - DIRECT_BLOCKS) / n;	/* indirect block */
	if (nth == n + 1)
		return 3;			/* the triple one's first */
	return nth % n == 1 ? 2 : 1;
}

/* Lay out a file of @bytes from @start of the disk (bytes) on, as it grows; where it ends. */
static u64 make_file(struct field_file *f, unsigned int blkbits, bool indirect, u64 start,
		     u64 bytes)
{
	u64 at = start >> blkbits, i, n;

	free(f->where);
	*f = (struct field_file){
		.blocks = bytes >> blkbits, .pointers = indirect ? 1U << (blkbits - 2) : 0,
		.blkbits = blkbits,
	};
	f->where = malloc(f->blocks * sizeof(*f->where));
	if (!f->where)
		wrong("no memory");
	for (i = 0; i < f->blocks; i++) {
		for (n = indirect_before(f, i) + 1; n; n--)
			at = indirect ? next_free(f, at) : at + 1;
		f->where[i] = at;
	}
	return (at + 1) << blkbits;
}

/* Of the whole file there is something. */
static void fill_file(struct field_file *f)
{
	f->allocated = f->blocks;
	f->i_size = f->blocks << f->blkbits;
}

/* Blocks that follow @block and have their pointers beside its own (ext2_block_to_path) */
static u64 to_boundary(const struct field_file *f, u64 block)
{
	if (!f->pointers)
		return f->blocks;
	if (block < DIRECT_BLOCKS)
		return DIRECT_BLOCKS - 1 - block;
	return f->pointers - 1 - (block - DIRECT_BLOCKS) % f->pointers;
}

/* As ext2_get_blocks() answers: a mapping ends with the indirect block, and says so. */
static int map_file(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
{
	struct field_file *f = requested;
	u64 most = bh->b_size >> f->blkbits, left = to_boundary(f, block), n;
	bool fresh = block >= f->allocated;

	/* Now ext2 reads an indirect block: what lies before that on the disk has been sent. */
	if (checked && block && !to_boundary(f, block - 1) && f->mapped != block << f->blkbits)
		wrong("held back %ju bytes at a boundary",
		      (uintmax_t)((block << f->blkbits) - f->mapped));
	if (fresh && !create)
		return 0;
	for (n = 1; n < most && n <= left && block + n < f->blocks; n++)
		if ((block + n >= f->allocated) != fresh ||
		    f->where[block + n] != f->where[block] + n)
			break;
	if (fresh) {
		f->allocated = block + n;
		set_buffer_new(bh);
	}
	if (n > left && f->pointers)
		set_buffer_boundary(bh);
	set_buffer_mapped(bh);
	bh->b_bdev = &disks[0];
	bh->b_blocknr = f->where[block];
	bh->b_size = n << f->blkbits;
	return 0;
}

static u64 sector_of(const struct field_file *f, u64 pos)
{
	return f->where[pos >> f->blkbits] << (f->blkbits - SECTOR_SHIFT);
}

/* Does the bio hold the next bytes of the file, and nothing else? */
static void check_bio(struct bio *bio)
{
	u64 bs = 1ULL << file.blkbits, sector = bio->bi_iter.bi_sector;
	u64 end = file.mapped + bio->bi_iter.bi_size;

	for (; file.mapped < end; file.mapped += bs, sector += bs >> SECTOR_SHIFT)
		if (sector_of(&file, file.mapped) != sector)
			wrong("byte %ju of the file goes to sector %ju",
			      (uintmax_t)file.mapped, (uintmax_t)sector);
}

/*
 * The reference: the fewest bios for @bytes from @pos on, block by block. A bio ends where the disk
 * order breaks, where pointers end, and when it has no bio_vec left.
 */
static u64 fewest_bios(const struct field_file *f, u64 pos, u64 bytes)
{
	u64 bs = 1ULL << f->blkbits, next = 0, bios = 0, k;
	unsigned int vecs = 0;
	int page = NEVER;

	for (k = 0; k < bytes; k += bs) {
		u64 sector = sector_of(f, pos + k);
		int here = page_at(k, false);
		bool follows = k && (k % PAGE_SIZE ? here == page : here == page + 1);
		bool go = !k || sector != next ||
			  (f->pointers && !to_boundary(f, ((pos + k) >> f->blkbits) - 1));

		if (go || (!follows && vecs == BIO_MAX_VECS)) {
			bios++;
			vecs = 0;
			follows = false;
		}
		vecs += !follows;
		page = here;
		next = sector + (bs >> SECTOR_SHIFT);
	}
	return bios;
}

/*
 * Requests
 */

/* What the engine did: bytes cleared by memset(), and those of a struct dio that it ever wrote */
static struct {
	u64 bios, bytes, cleared;
	bool touched[MAX_STRUCT];
	unsigned int dio_bytes;
} seen;

static struct array disks_of_case, *array;	/* NULL: no time passes */
static unsigned int *under_way;		/* transfers of the request */

void *count_memset(void *to, int byte, size_t bytes)
{
	seen.cleared += bytes;
	return memset(to, byte, bytes);
}

/* A case begins: nothing is seen, and no time passes. */
static void __attribute__((format(printf, 1, 2))) name_case(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	memset(&seen, 0, sizeof(seen));
	array = NULL;
}

static void use_array(const struct disk_kind *kind, unsigned int nr, u64 chunk, bool shared,
		      u64 rate)
{
	array = &disks_of_case;
	array_init(array, kind, nr, chunk, shared, rate);
}

/* What was sent, and the reference's minimum */
static void emit_bios(u64 least, u64 bytes)
{
	emit("bios_per_mib", "bios/MiB", seen.bios / ((double)bytes / MIB));
	if (ours)
		emit("bios_per_mib_minimum", "bios/MiB", least / ((double)bytes / MIB));
}

static void see_struct(const u8 *memory, size_t bytes)
{
	size_t i;

	if (bytes > MAX_STRUCT)
		wrong("a struct dio of %zu bytes", bytes);
	if (bytes)
		seen.dio_bytes = bytes;
	for (i = 0; i < bytes; i++)
		seen.touched[i] |= memory[i] != c.poison;
}

static void transfer_done(struct transfer *transfer)
{
	*(unsigned int *)transfer->owner -= 1;
	free(transfer);
}

static void send(u64 sector, u64 bytes, bool write)
{
	struct transfer *t = malloc(sizeof(*t));

	if (!t)
		wrong("no memory");
	*t = (struct transfer){ .done = transfer_done, .owner = under_way };
	++*under_way;
	array_submit(array, sector, bytes >> SECTOR_SHIFT, write, t);
}

static void let_time_pass(void)
{
	if (!array_step(array))
		wrong("waits for ever");
}

static void see_bio(struct bio *bio)
{
	seen.bios++;
	seen.bytes += bio->bi_iter.bi_size;
	if (checked)
		check_bio(bio);
	if (array)
		send(bio->bi_iter.bi_sector, bio->bi_iter.bi_size, bio->bi_opf & REQ_OP_WRITE);
}

/* Memory in pieces of a page, or of 2 MiB: pages from behind are never side by side. */
static void use_memory(bool huge)
{
	unsigned int i;

	for (i = 0; i < USER_PAGES; i++)
		c.page_of[i] = huge ? i : USER_PAGES - 1 - i;
}

/* As ext2 asks for it, but that holes are filled here and not by way of the page cache */
static void direct_io(struct field_file *f, get_block_t *map, bool async, bool write, u64 pos,
		      u64 bytes, unsigned int *transfers)
{
	requested = f;
	under_way = transfers;
	c.write = write;
	c.async = async;
	c.timing = async ? LATE : AT_ONCE;
	c.blkbits = f->blkbits;
	c.i_size = f->i_size;
	c.i_size_before = f->i_size;
	c.pos = pos;
	c.count = bytes;
	c.segs[0].len = bytes;
	c.poison ^= 0xff;	/* a byte that is written may be like one of the two */
	run_request(map);
	if (got.ret != (ssize_t)bytes || got.queued != async)
		wrong("moved %zd of %ju bytes", got.ret, (uintmax_t)bytes);
}

/* One synchronous write, checked; the bios that it takes */
static u64 write_once(u64 pos, u64 bytes)
{
	u64 before = seen.bios, least = fewest_bios(&file, pos, bytes);
	unsigned int transfers = 0;

	file.mapped = pos;
	checked = true;
	direct_io(&file, map_file, false, true, pos, bytes, &transfers);
	checked = false;
	if (file.mapped != pos + bytes)
		wrong("sent %ju of %ju bytes", (uintmax_t)(file.mapped - pos), (uintmax_t)bytes);
	if (ours && seen.bios - before != least)
		wrong("%ju bios at %ju instead of %ju", (uintmax_t)(seen.bios - before),
		      (uintmax_t)pos, (uintmax_t)least);
	if (file.i_size < pos + bytes)
		file.i_size = pos + bytes;
	while (transfers)
		let_time_pass();
	return least;
}

/* The file in parts; the figure is of all of it */
static void write_file(u64 bytes, u64 part)
{
	u64 pos, least = 0;

	for (pos = 0; pos < bytes; pos += part)
		least += write_once(pos, part);
	if (!array)
		emit_bios(least, bytes);
}

/*
 * Requests that are many at once: each asks for the next when it is done.
 */

struct reader {
	struct field_file *file;
	bool write;
	u64 left, bytes, pos;
	unsigned int transfers;
	void (*next)(struct reader *r);
};

static void run_readers(struct reader *readers, unsigned int nr)
{
	bool more = true;
	unsigned int i;

	while (more) {
		more = false;
		for (i = 0; i < nr; i++) {
			struct reader *r = &readers[i];

			if (!r->transfers && r->left) {
				r->next(r);
				r->left--;
				direct_io(r->file, map_file, true, r->write, r->pos, r->bytes,
					  &r->transfers);
			}
			more |= r->transfers;
		}
		if (more)
			let_time_pass();
	}
}

/*
 * Report 1: O_DIRECT reads of eight disks. The engine sees a disk as a file in one piece; to count
 * bios, blocks have 512 bytes, as buffer heads had, and there is a boundary after each MiB. The
 * mutant heeds it at every block: a bio for each 512 bytes.
 */

static int map_disk(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
{
	set_buffer_mapped(bh);
	set_buffer_boundary(bh);
	bh->b_bdev = &disks[0];
	bh->b_blocknr = block;
	return 0;
}

static void read_on(struct reader *r)
{
	r->pos = r->file->i_size - r->left * r->bytes;
}

static void report_1(void)
{
	static struct field_file files[FC_DISKS];
	struct reader readers[FC_DISKS];
	u64 blocks = 64, least = DIV_ROUND_UP(MIB / PAGE_SIZE, BIO_MAX_VECS), i, each;
	unsigned int none = 0;

	name_case("direct");
	files[0] = (struct field_file){ .blkbits = SECTOR_SHIFT, .i_size = MIB };
	direct_io(&files[0], map_disk, false, false, 0, MIB, &none);
	emit_bios(least, MIB);
	if (ours && seen.bios != least)
		wrong("%ju bios instead of %ju", (uintmax_t)seen.bios, (uintmax_t)least);
	if (mutant)
		return;
	use_array(&disk_fc_2002, FC_DISKS, 0, true, FC_LOOP);
	each = array->chunk << SECTOR_SHIFT;
	for (i = 0; i < FC_DISKS; i++) {
		make_file(&files[i], 12, false, i * each - (i ? 4096 : 0), blocks * MIB);
		fill_file(&files[i]);
		readers[i] = (struct reader){
			.file = &files[i], .left = blocks, .bytes = MIB, .next = read_on,
		};
	}
	run_readers(readers, FC_DISKS);
	emit("mb_per_s", "MiB/s", FC_DISKS * blocks / (array->now / 1e9));
	emit("latency_us", "us", array->now / 1e3 / (FC_DISKS * blocks));
}

/*
 * Report 3: 16 times create a file, write 32 MB, wait until it is on disk. Buffered means what
 * writeback sends at fsync: the fewest bios that a file's pages can be written with, all at once.
 * What is written besides data is the same in both ways, and left out.
 */

/* A bio ends where the disk order breaks, and when it is full of pages. */
static void write_back(void)
{
	unsigned int bs = 1U << file.blkbits, waiting = 0;
	u64 end = file.blocks << file.blkbits, from = 0, pos;

	under_way = &waiting;
	for (pos = bs; pos <= end; pos += bs) {
		if (pos < end && pos - from < BIO_MAX_VECS * PAGE_SIZE &&
		    sector_of(&file, pos) == sector_of(&file, pos - bs) + (bs >> SECTOR_SHIFT))
			continue;
		send(sector_of(&file, from), pos - from, true);
		from = pos;
	}
	while (waiting)
		let_time_pass();
}

/* MiB/s of 16 files on one disk or several; @part: bytes of a write, 0: buffered */
static double file_loop(unsigned int nr, bool ext2, u64 part)
{
	u64 at = 64 * MIB, bytes = 32 * MIB;
	unsigned int i;
	double speed;

	name_case("%s-%s-%s%s", nr > 1 ? "raid0" : "disk", ext2 ? "ext2" : "jfs",
		  part ? "direct" : "buffered", part && part < bytes ? "-1m" : "");
	use_array(&disk_u320_2004, nr, nr > 1 ? CHUNK : 0, false, U320_BUS);
	for (i = 0; i < 16; i++) {
		at = make_file(&file, 12, ext2, at, bytes);
		if (part)
			write_file(bytes, part);
		else
			write_back();
	}
	speed = 16 * bytes / MIB / (array->now / 1e9);
	emit("mb_per_s", "MiB/s", speed);
	emit("ios_per_mib", "I/Os/MiB", array->requests / (16.0 * bytes / MIB));
	return speed;
}

static void report_3(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		unsigned int nr = i / 2 ? RAID0_DISKS : 1;
		bool ext2 = i % 2 == 0;
		double direct, buffered;

		if (mutant && !ext2)
			continue;	/* no boundaries */
		direct = file_loop(nr, ext2, 32 * MIB);
		file_loop(nr, ext2, MIB);
		if (!ours)
			continue;
		buffered = file_loop(nr, ext2, 0);
		name_case("%s-%s", nr > 1 ? "raid0" : "disk", ext2 ? "ext2" : "jfs");
		emit("gain", "", direct / buffered);
	}
}

/*
 * Report 4: random I/O on a file on ext2, 32 at a time, 7 reads to 5 writes.
 */

static uint64_t seed;

static void transact(struct reader *r)
{
	r->pos = next_number(&seed) % (r->file->i_size / r->bytes) * r->bytes;
	r->write = next_number(&seed) % 12 >= 7;
}

static void oltp(u64 bytes)
{
	struct reader readers[32];
	unsigned int depth = 32, i, touched = 0;
	u64 each = 625, total = each * depth;

	name_case("oltp-%juk", (uintmax_t)bytes / 1024);
	seed = 1;
	use_array(&disk_fc_2002, FC_DISKS, CHUNK, true, FC_LOOP);
	make_file(&file, 12, true, 0, 1024 * MIB);
	fill_file(&file);
	for (i = 0; i < depth; i++)
		readers[i] = (struct reader){
			.file = &file, .left = each, .bytes = bytes, .next = transact,
		};
	run_readers(readers, depth);
	for (i = 0; i < seen.dio_bytes; i++)
		touched += seen.touched[i];
	emit("cleared", "bytes/I/O", (double)seen.cleared / total);
	emit("dio_written", "bytes/I/O", touched);
	emit("per_s", "I/O/s", total / (array->now / 1e9));
	if (seen.bytes != total * bytes)
		wrong("sent %ju of %ju bytes", (uintmax_t)seen.bytes, (uintmax_t)(total * bytes));
	if (ours && seen.cleared)
		wrong("%ju bytes were cleared", (uintmax_t)seen.cleared);
}

static void report_4(void)
{
	oltp(4096);
	oltp(8192);
}

/*
 * Report 5: a file of 512 MiB by direct writes: extended, its one hole filled, overwritten.
 */

static void prepare(unsigned int blkbits, unsigned int how)
{
	make_file(&file, blkbits, true, 0, 512 * MIB);
	if (how)
		file.i_size = 512 * MIB;
	if (how == 2)
		fill_file(&file);
}

static void time_stripe(unsigned int blkbits)
{
	use_array(&disk_fc_2002, STRIPE_DISKS, CHUNK, false, FC_LOOP);
	prepare(blkbits, 0);
	write_file(512 * MIB, 512 * MIB);
	emit("io_kib", "KiB", 512.0 * 1024 / array->requests);
	emit("mb_per_s", "MiB/s", 512 / (array->now / 1e9));
	emit("ios_per_s", "I/O/s", array->requests / (array->now / 1e9));
}

static void report_5(void)
{
	static const u64 sizes[] = { 64 << 10, MIB, 16 * MIB, 512 * MIB };
	static const char * const size_names[] = { "64k", "1m", "16m", "512m" };
	static const char * const hows[] = { "create", "fill", "over" };
	unsigned int blkbits, how, size;

	for (blkbits = 10; blkbits <= 12; blkbits++) {
		for (size = 0; size < 4; size++) {
			for (how = 0; how < 3; how++) {
				name_case("ext2-%uk-%s-%s", 1 << (blkbits - 10), size_names[size],
					  hows[how]);
				prepare(blkbits, how);
				write_file(512 * MIB, sizes[size]);
				if (size == 3 && !how)
					time_stripe(blkbits);
			}
		}
		use_memory(true);
		name_case("ext2-%uk-512m-huge", 1 << (blkbits - 10));
		prepare(blkbits, 0);
		write_file(512 * MIB, 512 * MIB);
		use_memory(false);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} reports[] = {
		{ "field-1", report_1 }, { "field-3", report_3 },
		{ "field-4", report_4 }, { "field-5", report_5 },
	};
	unsigned int i;
	int arg = 1;

	mutant = argc > 1 && !strcmp(argv[1], "mutant");
	stock = argc > 1 && !strcmp(argv[1], "stock");
	ours = !mutant && !stock;
	arg += !ours;
	/* Nothing is left to chance. */
	source.fuzz = true;
	on_bio = see_bio;
	on_free = see_struct;
	c = (struct dio_case){
		.memory = USER_UBUF, .nr_segs = 1, .nr_pages = USER_PAGES, .endless = true,
		.folio = 1, .section = NR_PAGES, .lbits = SECTOR_SHIFT, .locking = true,
		.has_bdev = true, .map_fails = NEVER, .bio_fails = NEVER, .bio_fails_too = NEVER,
		.poison = 0xa5,
	};
	use_memory(false);
	do {
		for (i = 0; i < 4 && arg < argc && strcmp(argv[arg], reports[i].name); i++)
			;
		if (i == 4 || arg >= argc) {
			fprintf(stderr, "usage: dio_field [mutant|stock] REPORT...\n");
			return 2;
		}
		report = reports[i].name;
		reports[i].run();
	} while (++arg < argc);
	return 0;
}
