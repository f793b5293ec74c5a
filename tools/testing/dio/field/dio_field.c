// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Field reports 4 and 5 on the harness
 *
 *	dio_field
 *
 * Runs the real fs/direct-io.c in the harness' world.c, in the kernel's scale, on files laid out as
 * ext2 does it, and counts what it sends. No time passes here: how long disks take for that is
 * measured in a guest (bench.py run model). The engine is the one that it is linked with: ours, one
 * with a fault, or the base's. A figure is a line: report, case, metric, unit, value.
 *
 * That bios are as few as can be, go where they should, and go out at a boundary is dio_test's to
 * find. Here all bytes must be sent. Exit status: 0 right, 1 wrong.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "../kernel.h"
#include "../world.h"

#define DIRECT_BLOCKS	12
#define CHUNK		256	/* sectors of a stripe: 128 KiB */
#define MIB		1048576ULL
#define USER_PAGES	512	/* behind all of an I/O's memory, again and again */

static char name[64];			/* of report and case */

void __attribute__((noreturn)) wrong(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "dio_field: %s: ", name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* A file of ext2, as long as any here, from the start of the disk on */
static struct {
	unsigned int blkbits;
	u64 i_size, allocated;		/* bytes; blocks */
	u64 pointers;			/* of an indirect block */
} file;

/* Where a block is: ext2 allocates its indirect blocks in front of it. */
static u64 where(u64 block)
{
	u64 nth, p = file.pointers;

	if (block < DIRECT_BLOCKS)
		return block;
	nth = (block - DIRECT_BLOCKS) / p;
	/* those of pointers to data, of pointers to those, and the triple one's first */
	return block + nth + 1 + (nth ? (nth - 1) / p + 1 : 0) + (nth > p);
}

/* Blocks that follow @block and have their pointers beside its own (ext2_block_to_path) */
static u64 to_boundary(u64 block)
{
	if (block < DIRECT_BLOCKS)
		return DIRECT_BLOCKS - 1 - block;
	return file.pointers - 1 - (block - DIRECT_BLOCKS) % file.pointers;
}

/* As ext2_get_blocks() answers: a mapping ends with the indirect block, and says so. */
static int map_file(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
{
	u64 most = bh->b_size >> file.blkbits, n = min(most, to_boundary(block) + 1);

	if (block >= file.allocated) {
		if (!create)
			return 0;
		file.allocated = block + n;
		set_buffer_new(bh);
	}
	if (n > to_boundary(block))
		set_buffer_boundary(bh);
	set_buffer_mapped(bh);
	bh->b_bdev = &disks[0];
	bh->b_blocknr = where(block);
	bh->b_size = n << file.blkbits;
	return 0;
}

/* What the engine did: bios, what a stripe makes of them, bytes sent, and cleared by memset() */
static struct {
	u64 bios, ios, bytes, cleared;
} seen;

void *count_memset(void *to, int byte, size_t bytes)
{
	seen.cleared += bytes;
	return memset(to, byte, bytes);
}

/* A stripe cuts what it is sent at its chunks. */
static void see_bio(struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector, bytes = bio->bi_iter.bi_size;

	seen.bios++;
	seen.bytes += bytes;
	seen.ios += (sector + (bytes >> SECTOR_SHIFT) - 1) / CHUNK - sector / CHUNK + 1;
}

/* Memory in pieces of a page, or of 2 MiB: pages from behind are never side by side. */
static void use_memory(bool huge)
{
	unsigned int i;

	for (i = 0; i < USER_PAGES; i++)
		c.page_of[i] = huge ? i : USER_PAGES - 1 - i;
}

static void new_file(unsigned int blkbits)
{
	memset(&seen, 0, sizeof(seen));
	memset(&file, 0, sizeof(file));
	file.blkbits = blkbits;
	file.pointers = 1ULL << (blkbits - 2);
}

/* As ext2 asks for it */
static void direct_io(bool async, bool write, u64 pos, u64 bytes)
{
	u64 sent = seen.bytes;

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
	if (got.ret != (ssize_t)bytes || got.queued != async || seen.bytes - sent != bytes)
		wrong("moved %zd of %ju bytes", got.ret, (uintmax_t)bytes);
}

/* Report 4: random I/O on a file on ext2, 7 reads to 5 writes. */
static void oltp(u64 bytes)
{
	u64 total = 20000, n;
	uint64_t seed = 1;

	snprintf(name, sizeof(name), "field-4 oltp-%juk", (uintmax_t)bytes / 1024);
	new_file(12);
	file.i_size = 1024 * MIB;
	file.allocated = file.i_size >> file.blkbits;
	for (n = 0; n < total; n++) {
		u64 pos = next_number(&seed) % (file.i_size / bytes) * bytes;

		direct_io(true, next_number(&seed) % 12 >= 7, pos, bytes);
	}
	printf("%s cleared bytes/I/O %.4f\n", name, (double)seen.cleared / total);
}

/* Report 5: direct writes extend a file up to 512 MiB. */
static void create(unsigned int blkbits, u64 part, const char *how)
{
	u64 total = 512 * MIB;

	snprintf(name, sizeof(name), "field-5 ext2-%uk-%s", 1 << (blkbits - 10), how);
	new_file(blkbits);
	for (; file.i_size < total; file.i_size += part)
		direct_io(false, true, file.i_size, part);
	printf("%s bios_per_mib bios/MiB %.4f\n", name, seen.bios / (total / (double)MIB));
	if (part == total)
		printf("%s io_kib KiB %.4f\n", name, total / 1024.0 / seen.ios);
}

int main(void)
{
	unsigned int blkbits;

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
	oltp(4096);
	oltp(8192);
	for (blkbits = 10; blkbits <= 12; blkbits++) {
		use_memory(false);
		create(blkbits, 64 << 10, "64k-create");
		create(blkbits, MIB, "1m-create");
		create(blkbits, 512 * MIB, "512m-create");
		use_memory(true);
		create(blkbits, 512 * MIB, "512m-huge");
	}
	return 0;
}
