// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: The field reports on the harness
 *
 *	dio_field
 *
 * Runs the real fs/direct-io.c in the harness' world.c, in the kernel's scale, on files laid out as
 * ext2 does it, and counts what it sends. No time passes here: how long disks take for that is
 * measured in a guest (bench.py run model). The engine is the one that it is linked with: ours, one
 * with a fault, or the base's. Prints a JSON object a figure: report, case, metric, unit, value,
 * command.
 *
 * That bios are as few as can be, go where they should, and go out at a boundary is dio_test's to
 * find. Here all bytes must be sent. What is wrong is one line on stderr.
 *
 * Exit status: 0 right, 1 wrong.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "field.h"
#include "../steps.h"
#include "../world.h"

#define DIRECT_BLOCKS	12
#define CHUNK		256	/* sectors of a stripe: 128 KiB */
#define MIB		1048576ULL
#define MAX_STRUCT	1024	/* bytes of a struct dio */
#define USER_PAGES	512	/* behind all of an I/O's memory, again and again */

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
	printf("\"metric\": \"%s\", \"unit\": \"%s\", ", metric, unit);
	printf("\"value\": %.4f, \"command\": \"dio_field\"}\n", value);
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
 */
struct field_file {
	unsigned int blkbits;
	u64 i_size;
	u64 *where;
	u64 blocks, allocated;
	unsigned int pointers;
};

static struct field_file file, *requested;	/* of the request */

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

/*
 * Requests
 */

/*
 * What the engine did: bios, and what a stripe makes of them; bytes cleared by memset(), and those
 * of a struct dio that it ever wrote
 */
static struct {
	u64 bios, ios, bytes, cleared;
	bool touched[MAX_STRUCT];
	unsigned int dio_bytes;
} seen;

static bool striped;

void *count_memset(void *to, int byte, size_t bytes)
{
	seen.cleared += bytes;
	return memset(to, byte, bytes);
}

/* A case begins: nothing is seen. */
static void __attribute__((format(printf, 1, 2))) name_case(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	memset(&seen, 0, sizeof(seen));
	striped = false;
}

static void emit_bios(u64 bytes)
{
	emit("bios_per_mib", "bios/MiB", seen.bios / ((double)bytes / MIB));
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

/* A stripe cuts what it is sent at its chunks. */
static void count_ios(u64 sector, u64 bytes)
{
	u64 last = sector + (bytes >> SECTOR_SHIFT) - 1;

	seen.ios += striped ? last / CHUNK - sector / CHUNK + 1 : 1;
}

static void see_bio(struct bio *bio)
{
	seen.bios++;
	seen.bytes += bio->bi_iter.bi_size;
	count_ios(bio->bi_iter.bi_sector, bio->bi_iter.bi_size);
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
		      u64 bytes)
{
	requested = f;
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

/* The file in parts */
static void write_file(u64 bytes, u64 part)
{
	u64 pos, before = seen.bytes;

	for (pos = 0; pos < bytes; pos += part) {
		direct_io(&file, map_file, false, true, pos, part);
		if (file.i_size < pos + part)
			file.i_size = pos + part;
	}
	if (seen.bytes - before != bytes)
		wrong("sent %ju of %ju bytes", (uintmax_t)(seen.bytes - before), (uintmax_t)bytes);
}

/*
 * Report 1: O_DIRECT reads of a disk. The engine sees a disk as a file in one piece; to count
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

static void report_1(void)
{
	struct field_file disk = { .blkbits = SECTOR_SHIFT, .i_size = MIB };

	name_case("direct");
	direct_io(&disk, map_disk, false, false, 0, MIB);
	emit_bios(MIB);
}

/*
 * Report 3: 16 times create a file and write 32 MB. Buffered means what writeback sends at fsync:
 * the fewest bios that a file's pages can be written with. What is written besides data is the same
 * in both ways, and left out.
 */

/* A bio ends where the disk order breaks, and when it is full of pages. */
static void write_back(void)
{
	unsigned int bs = 1U << file.blkbits;
	u64 end = file.blocks << file.blkbits, from = 0, pos;

	for (pos = bs; pos <= end; pos += bs) {
		if (pos < end && pos - from < BIO_MAX_VECS * PAGE_SIZE &&
		    sector_of(&file, pos) == sector_of(&file, pos - bs) + (bs >> SECTOR_SHIFT))
			continue;
		count_ios(sector_of(&file, from), pos - from);
		from = pos;
	}
}

/* 16 files on one disk or a stripe; @part: bytes of a write, 0: buffered */
static void file_loop(bool raid0, bool ext2, u64 part)
{
	u64 at = 64 * MIB, bytes = 32 * MIB;
	unsigned int i;

	name_case("%s-%s-%s%s", raid0 ? "raid0" : "disk", ext2 ? "ext2" : "jfs",
		  part ? "direct" : "buffered", part && part < bytes ? "-1m" : "");
	striped = raid0;
	for (i = 0; i < 16; i++) {
		at = make_file(&file, 12, ext2, at, bytes);
		if (part)
			write_file(bytes, part);
		else
			write_back();
	}
	emit("ios_per_mib", "I/Os/MiB", seen.ios / (16.0 * bytes / MIB));
}

static void report_3(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool raid0 = i / 2, ext2 = i % 2 == 0;

		file_loop(raid0, ext2, 32 * MIB);
		file_loop(raid0, ext2, MIB);
		file_loop(raid0, ext2, 0);
	}
}

/*
 * Report 4: random I/O on a file on ext2, 7 reads to 5 writes.
 */

static void oltp(u64 bytes)
{
	u64 total = 20000, n;
	uint64_t seed = 1;
	unsigned int i, touched = 0;

	name_case("oltp-%juk", (uintmax_t)bytes / 1024);
	make_file(&file, 12, true, 0, 1024 * MIB);
	fill_file(&file);
	for (n = 0; n < total; n++) {
		u64 pos = next_number(&seed) % (file.i_size / bytes) * bytes;

		direct_io(&file, map_file, true, next_number(&seed) % 12 >= 7, pos, bytes);
	}
	for (i = 0; i < seen.dio_bytes; i++)
		touched += seen.touched[i];
	emit("cleared", "bytes/I/O", (double)seen.cleared / total);
	emit("dio_written", "bytes/I/O", touched);
	if (seen.bytes != total * bytes)
		wrong("sent %ju of %ju bytes", (uintmax_t)seen.bytes, (uintmax_t)(total * bytes));
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

static void write_512m(unsigned int blkbits, unsigned int how, u64 part)
{
	prepare(blkbits, how);
	write_file(512 * MIB, part);
	emit_bios(512 * MIB);
}

static void stripe_512m(unsigned int blkbits)
{
	seen.ios = 0;
	striped = true;
	prepare(blkbits, 0);
	write_file(512 * MIB, 512 * MIB);
	emit("io_kib", "KiB", 512.0 * 1024 / seen.ios);
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
				write_512m(blkbits, how, sizes[size]);
				if (size == 3 && !how)
					stripe_512m(blkbits);
			}
		}
		use_memory(true);
		name_case("ext2-%uk-512m-huge", 1 << (blkbits - 10));
		write_512m(blkbits, 0, 512 * MIB);
		use_memory(false);
	}
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} reports[] = {
		{ "field-1", report_1 }, { "field-3", report_3 },
		{ "field-4", report_4 }, { "field-5", report_5 },
	};
	unsigned int i;

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
	for (i = 0; i < 4; i++) {
		report = reports[i].name;
		reports[i].run();
	}
	return 0;
}
