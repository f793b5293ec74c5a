// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Field reports 4 and 5 on the harness
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
 * @pointers: in an indirect block
 */
struct field_file {
	unsigned int blkbits;
	u64 i_size;
	u64 *where;
	u64 blocks, allocated;
	unsigned int pointers;
};

static struct field_file file;

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

	if (block < DIRECT_BLOCKS || (block - DIRECT_BLOCKS) % n)
		return 0;
	nth = (block - DIRECT_BLOCKS) / n;	/* indirect block */
	if (nth == n + 1)
		return 3;			/* the triple one's first */
	return nth % n == 1 ? 2 : 1;
}

/* Lay out a file of @bytes from the start of the disk on, as it grows. */
static void make_file(struct field_file *f, unsigned int blkbits, u64 bytes)
{
	u64 at = 0, i, n;

	free(f->where);
	*f = (struct field_file){
		.blocks = bytes >> blkbits, .pointers = 1U << (blkbits - 2), .blkbits = blkbits,
	};
	f->where = malloc(f->blocks * sizeof(*f->where));
	if (!f->where)
		wrong("no memory");
	for (i = 0; i < f->blocks; i++) {
		for (n = indirect_before(f, i) + 1; n; n--)
			at = next_free(f, at);
		f->where[i] = at;
	}
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
	if (block < DIRECT_BLOCKS)
		return DIRECT_BLOCKS - 1 - block;
	return f->pointers - 1 - (block - DIRECT_BLOCKS) % f->pointers;
}

/* As ext2_get_blocks() answers: a mapping ends with the indirect block, and says so. */
static int map_file(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
{
	struct field_file *f = &file;
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
	if (n > left)
		set_buffer_boundary(bh);
	set_buffer_mapped(bh);
	bh->b_bdev = &disks[0];
	bh->b_blocknr = f->where[block];
	bh->b_size = n << f->blkbits;
	return 0;
}

/*
 * Requests
 */

/*
 * What the engine did: bios, and what a stripe makes of them; bytes cleared by memset()
 */
static struct {
	u64 bios, ios, bytes, cleared;
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
static void direct_io(bool async, bool write, u64 pos, u64 bytes)
{
	c.write = write;
	c.async = async;
	c.timing = async ? LATE : AT_ONCE;
	c.blkbits = file.blkbits;
	c.i_size = file.i_size;
	c.i_size_before = file.i_size;
	c.pos = pos;
	c.count = bytes;
	c.segs[0].len = bytes;
	run_request(map_file);
	if (got.ret != (ssize_t)bytes || got.queued != async)
		wrong("moved %zd of %ju bytes", got.ret, (uintmax_t)bytes);
}

/* The file in parts */
static void write_file(u64 bytes, u64 part)
{
	u64 pos, before = seen.bytes;

	for (pos = 0; pos < bytes; pos += part) {
		direct_io(false, true, pos, part);
		if (file.i_size < pos + part)
			file.i_size = pos + part;
	}
	if (seen.bytes - before != bytes)
		wrong("sent %ju of %ju bytes", (uintmax_t)(seen.bytes - before), (uintmax_t)bytes);
}

/*
 * Report 4: random I/O on a file on ext2, 7 reads to 5 writes.
 */

static void oltp(u64 bytes)
{
	u64 total = 20000, n;
	uint64_t seed = 1;

	name_case("oltp-%juk", (uintmax_t)bytes / 1024);
	make_file(&file, 12, 1024 * MIB);
	fill_file(&file);
	for (n = 0; n < total; n++) {
		u64 pos = next_number(&seed) % (file.i_size / bytes) * bytes;

		direct_io(true, next_number(&seed) % 12 >= 7, pos, bytes);
	}
	emit("cleared", "bytes/I/O", (double)seen.cleared / total);
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
	make_file(&file, blkbits, 512 * MIB);
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
	/* Nothing is left to chance. */
	source.fuzz = true;
	on_bio = see_bio;
	c = (struct dio_case){
		.memory = USER_UBUF, .nr_segs = 1, .nr_pages = USER_PAGES, .endless = true,
		.folio = 1, .section = NR_PAGES, .lbits = SECTOR_SHIFT, .locking = true,
		.has_bdev = true, .map_fails = NEVER, .bio_fails = NEVER, .bio_fails_too = NEVER,
		.poison = 0xa5,
	};
	use_memory(false);
	report = "field-4";
	report_4();
	report = "field-5";
	report_5();
	return 0;
}
