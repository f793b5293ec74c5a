// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: What ought to happen
 *
 * The reference model goes through a request a sector at a time, with no thought for speed, and
 * writes down what must move between disk and memory. From that follow the bios: as few as disk
 * order, boundaries and the size of a bio allow (going through in order and filling each bio is
 * the minimum).
 *
 * When a bio fails, or a pin cannot be had, how far the engine gets depends on when it hears of it.
 * Then the bios must be the first of those expected, and what the case says of the result holds.
 */
#include <stdio.h>
#include "kernel.h"
#include "world.h"

/* One sector on its way */
struct move {
	unsigned int sector;
	int page;			/* NEVER: zeros */
	unsigned int offset;		/* into the page */
	bool piece;			/* begins a page or a mapping */
	bool go;			/* the bio goes out behind it */
};

static struct move moves[FILE_SECTORS + 64];
static unsigned int nr_moves, nr_fresh;
static unsigned int fresh[FILE_SECTORS];	/* sectors of blocks that were allocated */
static struct record want;
static bool bio_failed, many_zeros;

/*
 * What memory is behind byte @k of the request? It is fetched a segment at a time, even if two lie
 * side by side: does the byte begin one?
 */
static int memory_of(size_t k, unsigned int *offset, bool *begins)
{
	unsigned int i;

	for (i = 0; k >= c.segs[i].len; i++)
		k -= c.segs[i].len;
	*offset = (c.segs[i].start + k) % PAGE_SIZE;
	*begins = !k;
	return page_at(c.segs[i].start + k, !c.write);
}

static void add_move(unsigned int sector, int page, unsigned int offset, bool piece)
{
	moves[nr_moves++] = (struct move) { sector, page, offset, piece };
}

/* Zeros for @bytes of a mapping, a page at a time */
static void add_zeros(unsigned int sector, size_t bytes)
{
	size_t k;

	for (k = 0; k < bytes; k += SECTOR_SIZE)
		add_move(sector + k / SECTOR_SIZE, NEVER, k % PAGE_SIZE, k % PAGE_SIZE == 0);
}

static bool may_create(unsigned int block)
{
	if (!c.write)
		return false;
	return !c.skip_holes || !c.i_size || block > (c.i_size - 1) >> c.blkbits;
}

/* Go through the request; returns the error that ended it. */
static int walk(size_t end)
{
	size_t mask = (1UL << c.blkbits) - 1, pos = c.pos, map_end = pos, map_start = pos;
	struct mapping map = { .mapped = false };
	unsigned int sector = 0, offset, next_offset = 0;
	int page, last_page = NEVER, err = 0;
	bool piece;

	for (; pos < end; pos += SECTOR_SIZE, sector++) {
		page = memory_of(pos - c.pos, &offset, &piece);
		if (page == NEVER) {
			err = -EFAULT;
			break;
		}
		if (pos == map_end) {
			unsigned int block = pos >> c.blkbits, first, i;
			size_t ask = ((end - 1) >> c.blkbits) - block + 1;

			if (want.get_blocks++ == c.map_fails) {
				err = c.map_error;
				break;
			}
			map = map_blocks(want.blocks, block, ask, may_create(block));
			want.private++;
			map_start = pos & ~mask;
			/* A hole as long as what was asked for may be one that nobody measured. */
			if (!map.mapped && (c.report != HOLE_LENGTH || map.blocks == ask))
				map.blocks = 1;
			map_end = map_start + (map.blocks << c.blkbits);
			first = map.where << (c.blkbits - SECTOR_SHIFT);
			sector = first + ((pos - map_start) >> SECTOR_SHIFT);
			piece = true;
			for (i = 0; map.fresh && i < (map_end - map_start) >> SECTOR_SHIFT; i++)
				fresh[nr_fresh++] = first + i;
			if (c.write && !map.mapped) {
				err = -ENOTBLK;
				break;
			}
			if (map.fresh)
				add_zeros(first, pos - map_start);
			if (c.defer && c.wq_fails) {
				err = -ENOMEM;
				break;
			}
		}
		if (map.mapped) {
			piece |= !offset || page != last_page || offset != next_offset;
			add_move(sector, page, offset, piece);
			if (pos + SECTOR_SIZE == map_end && map.boundary)
				moves[nr_moves - 1].go = true;
		} else {
			memset(want.memory[page] + offset, 0, SECTOR_SIZE);
			want.dirty[page] = true;
		}
		last_page = page;
		next_offset = offset + SECTOR_SIZE;
	}
	want.ret = pos - c.pos;

	/* Blocks that are new must not show what was there before. */
	if (map.fresh && map_end > pos) {
		size_t rest = err ? map_end - pos : -pos & mask;

		add_zeros(sector, rest);
		many_zeros = err && rest;
		if (rest && err == -EFAULT)
			return -EFAULT;
	}
	if (err == -ENOTBLK || (err == -EFAULT && want.ret))
		err = 0;
	return err;
}

static bool side_by_side(struct move *a, struct move *b)
{
	unsigned int end = a->offset + SECTOR_SIZE;

	if (a->page == NEVER || b->page == NEVER)
		return a->page == b->page && end == b->offset;
	if (end < PAGE_SIZE)
		return a->page == b->page && end == b->offset;
	return b->page == a->page + 1 && !b->offset && !c.xen && !c.kmsan &&
	       (unsigned int)b->page != c.section;
}

/* The fewest bios that do all moves */
static void pack(void)
{
	struct bio_record *bio = NULL;
	bool go = true;
	unsigned int i;

	for (i = 0; i < nr_moves; i++) {
		struct move *m = &moves[i], *last = m - 1;
		bool more = bio && side_by_side(last, m);

		if (!go)
			go = m->sector != last->sector + 1 ||
			     (m->piece && bio->bytes > UINT_MAX - PAGE_SIZE) ||
			     (!more && bio->vecs == BIO_MAX_VECS);
		if (go) {
			bio = &want.bios[want.nr_bios++];
			*bio = (struct bio_record) { .sector = m->sector };
			more = false;
		}
		bio->vecs += !more;
		bio->bytes += SECTOR_SIZE;
		go = m->go;
	}
}

/* Move the data of the bios that the engine sent. */
static void move_data(void)
{
	unsigned int i, k, at = 0;

	for (i = 0; i < got.nr_bios; i++) {
		if (got.bios[i].sector != moves[at].sector)
			wrong("bio %u goes to sector %u instead of %u", i, got.bios[i].sector,
			      moves[at].sector);
		for (k = 0; k < got.bios[i].bytes; k += SECTOR_SIZE, at++) {
			struct move *m = &moves[at];
			char *memory = m->page == NEVER ? NULL : want.memory[m->page] + m->offset;
			u64 zero = 0;

			if (at >= nr_moves)
				wrong("moved %u sectors instead of %u", at + 1, nr_moves);
			if (got.bios[i].failed)
				continue;
			if (c.write) {
				memcpy(&want.disk[m->sector], memory ? memory : (char *)&zero,
				       SECTOR_SIZE);
			} else {
				memcpy(memory, &want.disk[m->sector], SECTOR_SIZE);
				want.dirty[m->page] = true;
			}
		}
	}
	if (at < nr_moves && !bio_failed)
		wrong("moved %u sectors instead of %u", at, nr_moves);
}

static void check_bios(void)
{
	unsigned int i;

	for (i = 0; i < got.nr_bios && i < want.nr_bios && !many_zeros; i++) {
		struct bio_record *g = &got.bios[i], *w = &want.bios[i];
		bool last = bio_failed && i + 1 == got.nr_bios;

		if (g->sector != w->sector || (last ? g->bytes > w->bytes : g->bytes != w->bytes))
			wrong("bio %u of %u: %u bytes at sector %u instead of %u at %u", i,
			      got.nr_bios, g->bytes, g->sector, w->bytes, w->sector);
		if (!last && g->vecs != w->vecs)
			wrong("bio %u has %u bio_vecs instead of %u", i, g->vecs, w->vecs);
	}
	/* Zeros after an error may take more bios than they have to. */
	if (many_zeros)
		return;
	if (got.nr_bios > want.nr_bios || (!bio_failed && got.nr_bios < want.nr_bios))
		wrong("%u bios instead of %u", got.nr_bios, want.nr_bios);
}

/*
 * What may a sector hold if the request ended early? What it held before, if it was the file's or
 * the disk failed; else data or zeros.
 */
static bool is_right(unsigned int sector)
{
	unsigned int i;

	if (got.disk[sector] == want.disk[sector])
		return true;
	if (bio_failed && got.disk[sector] == old_data(sector))
		return true;
	for (i = 0; i < nr_fresh && bio_failed; i++)
		if (fresh[i] == sector)
			return !got.disk[sector];
	return false;
}

static void check_data(void)
{
	unsigned int i;

	for (i = 0; i < c.disk_sectors; i++)
		if (!is_right(i))
			wrong("sector %u holds %016jx instead of %016jx", i,
			      (uintmax_t)got.disk[i], (uintmax_t)want.disk[i]);
	for (i = 0; i < c.nr_pages; i++) {
		/* Holes that lie behind where it stopped need not have been cleared. */
		if (bio_failed && got.ret < 0)
			break;
		if (memcmp(got.memory[i], want.memory[i], PAGE_SIZE))
			wrong("page %u of memory differs", i);
		if (want.dirty[i] && !got.dirty[i] && c.memory <= USER_IOVEC)
			wrong("page %u was read into, and is not dirty", i);
	}
}

static void expect(ssize_t ret)
{
	if (got.ret != ret)
		wrong("returned %zd instead of %zd", got.ret, ret);
}

/* What is refused, or is nothing, before anything is mapped */
static bool refused(void)
{
	bool read_locked = !c.write && c.locking;

	if (!c.write && !c.count)
		expect(0);
	else if (read_locked && c.busy)
		expect(-EAGAIN);
	else if (!c.write && c.pos >= c.i_size)
		expect(0);
	else if ((c.pos | memory_bits()) % (1U << (c.has_bdev ? c.lbits : c.blkbits)))
		expect(-EINVAL);
	else if (read_locked && (c.write_back_error || c.soiled))
		expect(c.soiled ? -EAGAIN : c.write_back_error);
	else
		return false;
	return true;
}

static void check_result(int err, bool async)
{
	ssize_t failure = c.write && c.nowait && c.bio_again ? -EAGAIN : -EIO;
	ssize_t bytes = want.ret, said = c.has_end_io ? got.end_io_bytes : got.ret;

	if (!c.write)
		bytes = min(bytes, (ssize_t)(c.i_size - c.pos));

	/* Either failure may have been met first. */
	if (bio_failed && (!err || said == failure))
		err = failure;
	if (err)
		bytes = err;
	if (c.has_end_io) {
		if (!got.end_io_called)
			wrong("end_io was not called");
		if (got.end_io_bytes != bytes)
			wrong("end_io was told %zd instead of %zd", got.end_io_bytes, bytes);
		if (c.end_io_error)
			bytes = c.end_io_error;
	}
	expect(bytes);
	/* What is done within submission need not be queued. A write that falls short waits. */
	async = async && want.ret && (!c.write || (!err && want.ret == (ssize_t)c.count));
	if (!bio_failed && (async ? got.waited : got.queued))
		wrong("%s", async ? "waited for what can be queued" :
				    "queued what must be waited for");
}

void check_case(void)
{
	bool async = c.async && !(c.write && c.pos + c.count > c.i_size);
	size_t end = c.pos + c.count, unit = 1UL << c.blkbits;
	unsigned int i;
	int err;

	if (refused()) {
		if (got.nr_bios || got.get_blocks || got.end_io_called)
			wrong("did something that should be refused");
		return;
	}

	memset(&want, 0, offsetof(struct record, bios));
	for (i = 0; i < c.disk_sectors; i++)
		want.disk[i] = old_data(i);
	memcpy(want.blocks, c.blocks, c.nr_blocks * sizeof(*c.blocks));
	fill_memory(want.memory);
	nr_moves = 0;
	nr_fresh = 0;
	bio_failed = false;
	many_zeros = false;

	if (async && c.write && c.wq_fails) {
		if (got.nr_bios || got.get_blocks)
			wrong("went on without a work queue");
		expect(-ENOMEM);
		return;
	}
	/* Alignment was to the file's blocks, or else to the disk's: so is the end of the file. */
	if ((c.pos | memory_bits()) % unit)
		unit = 1UL << c.lbits;
	if (!c.write)
		end = min(end, round_up(c.i_size, unit));

	err = walk(end);
	pack();
	for (i = 0; i < got.nr_bios; i++)
		bio_failed |= got.bios[i].failed;
	many_zeros |= bio_failed && nr_fresh;
	check_bios();
	move_data();
	check_result(err, async);
	check_data();
	if (!bio_failed && got.cleaned << (c.blkbits - SECTOR_SHIFT) != nr_fresh)
		wrong("cleaned aliases of %zu blocks, %u sectors are new", got.cleaned, nr_fresh);
	if (!bio_failed && got.get_blocks != want.get_blocks)
		wrong("%d mappings instead of %d", got.get_blocks, want.get_blocks);
}
