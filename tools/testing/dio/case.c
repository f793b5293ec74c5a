// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: Drawing a case
 *
 * Most cases are small, some as large as a bio and more; most have nothing wrong, some fail
 * somewhere. What is rare in life is common here: holes, scattered blocks, boundaries, requests
 * that do not fit blocks, memory in pieces.
 */
#include "kernel.h"
#include "world.h"

#define MAX_SIZE	(FILE_SECTORS * SECTOR_SIZE)

struct source source;
struct dio_case c;

/* A seeded generator, or what the fuzzer says for as long as it says something. */
u64 pick(u64 below)
{
	u64 x = 0;
	int i;

	if (source.fuzz) {
		for (i = 0; i < (below > 256 ? 2 : 1) && source.left; i++, source.left--)
			x = x << 8 | *source.bytes++;
		return x % below;
	}
	return next_number(&source.state) % below;
}

bool chance(unsigned int one_in)
{
	return pick(one_in) == one_in - 1;
}

/* How many of something: small numbers are the usual ones. */
static u64 how_many(u64 max)
{
	switch (pick(4)) {
	case 0:
	case 1:
		return 1 + pick(min(max, (u64)8));
	case 2:
		return 1 + pick(min(max, (u64)64));
	}
	return 1 + pick(max);
}

u64 old_data(unsigned int sector)
{
	return 0x0dd0000000000000ULL | sector;
}

void fill_memory(char (*memory)[PAGE_SIZE])
{
	unsigned int i;
	u64 *words = (u64 *)memory;

	for (i = 0; i < c.nr_pages * PAGE_SIZE / sizeof(u64); i++)
		words[i] = 0x3e30000000000000ULL | i;
}

static void draw_file(unsigned int size)
{
	unsigned int starts[FILE_SECTORS], lens[FILE_SECTORS], order[FILE_SECTORS];
	unsigned int nr = 0, at = pick(4), i, k, block = 0, longest;
	bool dense = chance(2), holes = chance(2), marks = chance(2), two_disks = chance(3);
	bool second[FILE_SECTORS];

	c.nr_blocks = size >> c.blkbits;
	longest = how_many(c.nr_blocks);
	for (i = 0; i < c.nr_blocks; i += lens[nr++]) {
		starts[nr] = i;
		lens[nr] = min_t(unsigned int, 1 + pick(longest), c.nr_blocks - i);
		order[nr] = nr;
	}
	if (chance(2)) {
		for (i = 0; i < nr; i++) {
			k = pick(nr);
			block = order[i];
			order[i] = order[k];
			order[k] = block;
		}
	}
	for (i = 0; i < nr; i++) {
		bool hole = holes && chance(3);

		second[order[i]] = two_disks && chance(2);
		if (!dense)
			at += pick(2);
		for (k = 0; k < lens[order[i]]; k++) {
			bool last = k + 1 == lens[order[i]];

			c.blocks[starts[order[i]] + k] = (struct block) {
				.where = at++,
				.hole = hole,
				.boundary = marks && chance(last ? 2 : 20),
			};
		}
	}
	/* A block lies between the disks: what ends one does not run on into the other. */
	for (i = 0; i < nr; i++)
		for (k = 0; k < lens[i] && second[i]; k++)
			c.blocks[starts[i] + k].where += at + 1;
	c.second_disk = (at + 1) << (c.blkbits - SECTOR_SHIFT);
	c.disk_sectors = two_disks ? 2 * c.second_disk : c.second_disk;
	c.max_map = chance(2) ? c.nr_blocks : how_many(c.nr_blocks);
	c.report = pick(3);
	c.defer = c.write && chance(8);
}

static void draw_request(void)
{
	unsigned int unit = 1U << (chance(3) ? c.blkbits : c.lbits);
	unsigned int size = c.nr_blocks << c.blkbits;

	c.pos = pick(size / unit) * unit;
	c.count = how_many((size - c.pos) / unit) * unit;
	if (chance(size < MAX_SIZE ? 4 : 2))
		c.count = (size - c.pos) / unit * unit;
	c.i_size = chance(3) ? c.pos + c.count : pick(size + 1);
	if (chance(8))
		c.i_size = chance(2) ? size : c.pos;
	c.i_size_before = chance(4) ? pick(size + 1) : c.i_size;
	if (chance(200))
		c.pos += pick(1U << c.lbits);
	if (chance(200))
		c.count -= min_t(size_t, c.count, pick(1U << c.lbits));
	if (c.pos + c.count > size)
		c.count = size - c.pos;
	if (chance(200))
		c.count = 0;
	c.locking = chance(2);
	c.skip_holes = c.locking && chance(2);
	c.has_bdev = !chance(8);
	c.has_end_io = chance(2);
	c.async = chance(2);
	c.nowait = chance(8);
	c.dsync = c.write && chance(8);
	c.priority = pick(8);
	c.hint = pick(6);
	c.cached = chance(4);
}

/* Which pages are behind the addresses, each once: in order, or runs of them from behind */
static void draw_pages(void)
{
	bool scattered = c.memory <= USER_IOVEC;
	unsigned int v, at = 0, i;

	c.section = scattered && chance(2) ? pick(c.nr_pages) : NR_PAGES;
	c.xen = chance(16);
	c.kmsan = chance(16);
	c.folio = c.section == NR_PAGES && chance(3) ? 1 + pick(16) : 1;
	for (v = 0; v < c.nr_pages; v++) {
		c.readonly[v] = false;
		c.absent[v] = c.memory == KERNEL_VMALLOC;
		c.page_of[v] = v;
	}
	if (!scattered || chance(3))
		return;
	for (v = 0; v < c.nr_pages; at = (at + 1) % 7) {
		unsigned int run = 1 + pick(at < 4 ? 2 : 64);

		run = min(run, c.nr_pages - v);
		for (i = 0; i < run; i++)
			c.page_of[v + i] = c.nr_pages - v - run + i;
		v += run;
	}
}

static void draw_segments(void)
{
	unsigned int unit = 1U << c.lbits, at, left = c.count, i;

	at = chance(2) ? 0 : pick(2 * PAGE_SIZE / unit) * unit;
	if (c.memory == A_PIPE)
		at = 0;
	c.nr_segs = c.memory == USER_UBUF || c.memory == A_PIPE ? 1 : 1 + pick(MAX_SEGS);
	for (i = 0; i < c.nr_segs; i++) {
		unsigned int len = i + 1 == c.nr_segs ? left : pick(left / unit + 1) * unit;

		if (chance(500) && c.memory != A_PIPE)
			at += 1 + pick(unit);
		c.segs[i] = (struct segment) { .start = at, .len = len };
		at += len;
		left -= len;
		if (chance(2))
			at += pick(2 * PAGE_SIZE / unit) * unit;
	}
	c.nr_pages = min(at / PAGE_SIZE + 2, (unsigned int)NR_PAGES);
}

static void draw_memory(void)
{
	c.memory = pick(c.write ? A_PIPE : A_PIPE + 1);
	if (c.memory > USER_IOVEC && chance(2))
		c.memory = USER_IOVEC;
	c.nofault = chance(16);
	draw_segments();
	draw_pages();
	if (c.memory != KERNEL_BVEC && chance(5))
		c.absent[pick(c.nr_pages)] = true;
	if (c.memory <= USER_IOVEC && chance(16))
		c.readonly[pick(c.nr_pages)] = true;
}

/* Once in @one_in cases: which call is it? */
static int maybe(unsigned int one_in, int calls)
{
	if (!chance(one_in))
		return NEVER;
	return pick(calls);
}

static void draw_faults(void)
{
	c.map_fails = maybe(16, 4);
	c.map_error = c.nowait ? -EAGAIN : chance(2) ? -EIO : -ENOSPC;
	c.bio_fails = maybe(24, 4);
	c.bio_fails_too = c.bio_fails == NEVER ? NEVER : maybe(2, 4);
	c.bio_again = c.nowait && chance(2);
	c.busy = c.nowait && chance(4);
	c.soiled = c.nowait && chance(4);
	c.write_back_error = !c.nowait && chance(16) ? -EIO : 0;
	c.end_io_error = chance(16) ? -EUCLEAN : 0;
	c.wq_fails = chance(32);
	c.memory_tight = chance(4);
	c.none_is_zero = chance(2);
}

void draw_case(void)
{
	static const unsigned int sizes[] = { 64, 256, 1024, FILE_SECTORS };
	unsigned int size = sizes[pick(8) ? pick(2) : pick(4)] * SECTOR_SIZE;

	c.write = chance(2);
	c.lbits = chance(4) ? 6 : 3;
	c.blkbits = c.lbits + pick(PAGE_SHIFT + 1 - c.lbits);
	draw_file(size);
	draw_request();
	draw_memory();
	draw_faults();
	c.timing = pick(3);
	c.poison = pick(2) ? 0xff : 0xa5;
}

/*
 * The file system: the blocks from @block on that lie side by side, and are all there or all not.
 * A mapping ends at a boundary. @create allocates holes.
 */
struct mapping map_blocks(struct block *blocks, unsigned int block, size_t want, bool create)
{
	struct block *b = &blocks[block];
	struct mapping map = {
		.mapped = !b->hole || create,
		.fresh = b->hole && create,
		.where = b->where,
	};
	size_t most = min(want, (size_t)c.max_map), k;

	if (!map.mapped)
		most = want;
	for (k = 0; k < most && block + k < c.nr_blocks; k++) {
		if (b[k].hole != b->hole || (map.mapped && b[k].where != b->where + k))
			break;
		if (map.mapped && b[k].boundary) {
			map.boundary = true;
			k++;
			break;
		}
	}
	map.blocks = k;
	if (map.fresh)
		while (k)
			b[--k].hole = false;
	return map;
}

/* The page behind an address of the case's memory, or NEVER */
int page_at(unsigned int addr, bool write_to)
{
	unsigned int v = addr / PAGE_SIZE;

	if (c.endless)
		v %= c.nr_pages;
	if (v >= c.nr_pages || c.absent[v] || (write_to && c.readonly[v]))
		return NEVER;
	return c.page_of[v];
}

/* Where pieces of memory begin, and how long they are: what of it must be aligned */
unsigned int memory_bits(void)
{
	unsigned int i, bits = 0;

	for (i = 0; i < c.nr_segs; i++)
		if (c.segs[i].len)
			bits |= c.segs[i].start | c.segs[i].len;
	return bits;
}
