/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk of 2002 or 2004, or one without moving parts, as time
 *
 * DOC: What it models
 *
 * When a disk is done with a request: fixed overhead of a command, a seek by distance, the wait
 * for the sector to come round, sectors passing under the head (more of them on outer tracks), a
 * queue of which the disk takes what it reaches first, a cache of segments that it reads ahead
 * into, and a link that disks share and that carries so many bytes a second. Writes go to the
 * platter before they are done.
 *
 * All tracks are one spiral: they are skewed, so that who reads on loses no revolution at a switch
 * of heads or cylinders. What switches take is in the rate.
 *
 * A disk that does not turn (flash, or an array's cache) has but the overhead of a command, which
 * all that it was given wait for at once, and the link.
 *
 * DOC: What it does not model
 *
 * Data, errors and their retries, spare sectors, a write cache, thermal recalibration, the
 * acceleration of the arm other than by the curve, commands on the link, a head that stops when its
 * segment is full, and aging: a request that is always out of the way waits for ever while others
 * keep coming.
 *
 * DOC: How to use it
 *
 * Time is nanoseconds that the caller counts from 0; nothing here looks at a clock or a random
 * number, so the same requests at the same times end at the same times. disk_submit() hands a
 * request over, disk_next() says when the request under way will be done (after choosing one if
 * there is none), disk_take() takes that request out. The caller submits what arrives before the
 * time that disk_next() named, then takes. There is no allocation; a request is the caller's until
 * it submits it, and again once it took it.
 */
#ifndef MODEL_DISK_H
#define MODEL_DISK_H

#include <stdbool.h>
#include <string.h>
#include <linux/types.h>

#define DISK_SECTOR	512
#define DISK_NEVER	(~0ULL)
#define DISK_CYLINDER	2048	/* sectors that are reached without a seek */
#define DISK_SEGMENTS	16
#define DISK_AHEAD	1024	/* sectors that are read behind a read */
#define DISK_QUEUE	256

/**
 * struct disk_kind - what a disk is made of
 * @name: for people
 * @sectors: how many it has
 * @outer: MB/s (10^6) of its first sectors
 * @inner: of its last; in between it falls evenly
 * @turn: nanoseconds of a revolution; 0 if nothing turns, and nothing is sought then
 * @seek_one: from a track to the next
 * @seek_average: the mean over all pairs of tracks
 * @seek_full: from the first to the last track
 * @settle_write: what a seek takes longer before a write
 * @overhead: of a command, before anything moves
 */
struct disk_kind {
	const char *name;
	__u64 sectors;
	unsigned int outer, inner;
	__u64 turn, seek_one, seek_average, seek_full, settle_write, overhead;
};

/*
 * The makers' nominal figures (typical, read); in each turn falls a switch of heads.
 *
 * Seagate Cheetah X15 36LP, 18 GB (ST318452FC): 3.6 ms average, writes 0.6 ms more; 51 to 69 MB/s,
 * less 0.4 ms a turn; 8 MB of cache.
 */
static const struct disk_kind disk_fc_2002 = {
	.name = "15k rpm FC disk of 2002", .sectors = 35843328,
	.outer = 63, .inner = 46, .turn = 4000000,
	.seek_one = 500000, .seek_average = 3600000, .seek_full = 7400000,
	.settle_write = 600000, .overhead = 120000,
};

/*
 * Seagate Cheetah 10K.6, 73 GB (ST373307LW): 4.7 ms, writes 0.6 ms more; 43 to 78 MB/s, less 0.5 ms
 * a turn; 8 MB.
 */
static const struct disk_kind disk_u320_2004 = {
	.name = "10k rpm U320 disk of 2004", .sectors = 143374650,
	.outer = 72, .inner = 40, .turn = 6000000,
	.seek_one = 350000, .seek_average = 4700000, .seek_full = 9800000,
	.settle_write = 600000, .overhead = 150000,
};

/*
 * Not of one maker: what a host sees of an array that has the data in its cache, on a loaded link,
 * and of an NVMe disk. Both are larger than anybody needs.
 */
static const struct disk_kind disk_array = {
	.name = "LUN of an array", .sectors = 1ULL << 34, .overhead = 150000,
};

static const struct disk_kind disk_nvme = {
	.name = "NVMe disk", .sectors = 1ULL << 34, .overhead = 20000,
};

/**
 * struct disk_link - what disks share: a loop, a bus
 * @rate: bytes a second
 * @free: when it will have carried all that it was given
 */
struct disk_link {
	__u64 rate;
	__u64 free;
};

struct disk_request {
	__u64 sector;
	unsigned int count;
	bool write;
	__u64 arrived, done;		/* done: set when the disk chose the request */
};

/*
 * What the head read from @start on, at most to @end: it passed a sector at @zero and what
 * disk_passing() says of it. At @until it left.
 */
struct disk_segment {
	__u64 start, end;
	__u64 zero, until, used;
};

struct disk {
	const struct disk_kind *kind;
	struct disk_link *link;
	__u64 free, head;	/* when the arm is free, and the sector that it is at */
	struct disk_segment segments[DISK_SEGMENTS];
	struct disk_segment *ahead;	/* that the head read last, or reads on into */
	struct disk_request *queue[DISK_QUEUE], *current;
	unsigned int queued;
};

/* --- How long it takes to get there --- */

/* How long the head takes from the first sector to @sector, if it reads all in between */
static inline __u64 disk_passing(const struct disk_kind *k, __u64 sector)
{
	unsigned int outer = DISK_SECTOR * 1000 / k->outer, inner = DISK_SECTOR * 1000 / k->inner;

	return sector * outer + sector * sector / k->sectors * (inner - outer) / 2;
}

/* The root of @x, 0 to 2^40, that is of a fraction of 2^40, as a fraction of 2^20 */
static inline __u64 disk_root(__u64 x)
{
	__u64 root = 0, bit;

	for (bit = 1ULL << 20; bit; bit >>= 1)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

/*
 * one + b * sqrt(x) + c * x, where x is the distance as a part of the whole: short seeks only speed
 * up and slow down, long ones travel at full speed. Over all pairs of tracks the mean of sqrt(x)
 * is 8/15 and that of x is 1/3, so the three published times give b and c.
 */
static inline __u64 disk_seek(const struct disk_kind *k, __u64 sectors)
{
	long long average = k->seek_average - k->seek_one, full = k->seek_full - k->seek_one;
	long long b = 5 * average - 5 * full / 3, c = full - b;
	__u64 x = (sectors << 30) / k->sectors;

	if (sectors < DISK_CYLINDER)
		return 0;
	return k->seek_one + (b * (long long)disk_root(x << 10) >> 20) + (c * (long long)x >> 30);
}

/* When the head stands before the first sector of @rq, if it starts at @now */
static inline __u64 disk_reach(const struct disk *d, const struct disk_request *rq, __u64 now)
{
	const struct disk_kind *k = d->kind;
	__u64 seek = disk_seek(k, rq->sector > d->head ? rq->sector - d->head :
							 d->head - rq->sector);

	now += seek + (seek && rq->write ? k->settle_write : 0);
	return now + (disk_passing(k, rq->sector) % k->turn + k->turn - now % k->turn) % k->turn;
}

/* --- One request --- */

/* The segment that has all of @rq, or will when the head comes there; NULL if none has */
static inline struct disk_segment *disk_cached(struct disk *d, const struct disk_request *rq)
{
	__u64 end = rq->sector + rq->count, passing = disk_passing(d->kind, end);
	struct disk_segment *s;

	for (s = d->segments; s < d->segments + DISK_SEGMENTS && !rq->write; s++)
		if (rq->sector >= s->start && end <= s->end && s->zero + passing <= s->until)
			return s;
	return NULL;
}

static inline struct disk_segment *disk_oldest(struct disk *d)
{
	struct disk_segment *oldest = d->segments, *s;

	for (s = d->segments + 1; s < d->segments + DISK_SEGMENTS; s++)
		if (s->used < oldest->used)
			oldest = s;
	return oldest;
}

/* When the data of @rq has passed the head, if the disk turns to it at @now */
static inline __u64 disk_serve(struct disk *d, const struct disk_request *rq, __u64 now)
{
	__u64 end = rq->sector + rq->count, passing = disk_passing(d->kind, end), zero;
	struct disk_segment *s = disk_cached(d, rq);

	now += d->kind->overhead;
	if (s) {
		zero = s->zero;
	} else {
		if (d->ahead->until > now)
			d->ahead->until = now;
		zero = disk_reach(d, rq, now) - disk_passing(d->kind, rq->sector);
		d->head = end;
		if (!rq->write) {
			s = disk_oldest(d);
			s->zero = zero;
			s->until = DISK_NEVER;
			d->ahead = s;
		}
	}
	d->free = zero + passing > now ? zero + passing : now;
	if (s) {
		s->start = rq->sector;
		s->end = end + DISK_AHEAD;
		s->used = d->free;
	}
	return d->free;
}

/*
 * When the @bytes of a request are across: the disk turned to it at @begin, and had read or written
 * them at @ready. They take their time of the link from @begin on, so that nobody waits for a link
 * that waits for a disk.
 */
static inline __u64 disk_transfer(struct disk_link *link, __u64 begin, __u64 ready, __u64 bytes)
{
	if (link->free < begin)
		link->free = begin;
	link->free += bytes * 1000000000ULL / link->rate;
	return link->free > ready ? link->free : ready;
}

/* --- The interface --- */

static inline void disk_init(struct disk *d, const struct disk_kind *kind, struct disk_link *link)
{
	*d = (struct disk) { .kind = kind, .link = link, .ahead = d->segments };
}

/**
 * disk_submit() - hand a request to a disk
 * @d: the disk
 * @rq: the request; its sectors are on the disk, and @rq->arrived says when it came
 *
 * Returns false if DISK_QUEUE requests wait already.
 */
static inline bool disk_submit(struct disk *d, struct disk_request *rq)
{
	if (d->queued == DISK_QUEUE)
		return false;
	d->queue[d->queued++] = rq;
	return true;
}

/* Which of the requests does the disk reach first, at @now? */
static inline unsigned int disk_choose(struct disk *d, __u64 now)
{
	unsigned int best = 0, i;
	__u64 least = DISK_NEVER, at;

	for (i = 0; i < d->queued; i++) {
		if (d->queue[i]->arrived > now)
			continue;
		at = disk_cached(d, d->queue[i]) ? now :
		     disk_reach(d, d->queue[i], now + d->kind->overhead);
		if (at < least) {
			least = at;
			best = i;
		}
	}
	return best;
}

/**
 * disk_next() - when will the request under way be done?
 * @d: the disk
 *
 * If none is under way, the disk chooses one. Returns DISK_NEVER if there is none.
 */
static inline __u64 disk_next(struct disk *d)
{
	struct disk_request *rq;
	__u64 start, ready;
	unsigned int n;

	if (d->current)
		return d->current->done;
	if (!d->queued)
		return DISK_NEVER;
	start = d->free > d->queue[0]->arrived ? d->free : d->queue[0]->arrived;
	n = d->kind->turn ? disk_choose(d, start) : 0;
	rq = d->queue[n];
	memmove(d->queue + n, d->queue + n + 1, (--d->queued - n) * sizeof(*d->queue));
	if (d->kind->turn) {
		ready = disk_serve(d, rq, start);
	} else {
		start = rq->arrived + d->kind->overhead;
		ready = start;
	}
	rq->done = disk_transfer(d->link, start, ready, (__u64)rq->count * DISK_SECTOR);
	d->current = rq;
	return rq->done;
}

/* The request whose time disk_next() named */
static inline struct disk_request *disk_take(struct disk *d)
{
	struct disk_request *rq = d->current;

	d->current = NULL;
	return rq;
}

#endif
