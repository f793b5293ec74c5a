/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk of 2002 or 2004, or one without moving parts, as time
 *
 * DOC: What it models
 *
 * When a disk is done with a request: fixed overhead of a command, a seek by distance, the wait
 * for the sector to come round, sectors passing under the head (more of them on outer tracks),
 * switches of heads and cylinders (tracks are skewed, so that a switch loses no revolution), a
 * queue of which the disk takes what it reaches first, a cache of read-ahead segments, and a link
 * that disks share and that carries so many bytes a second. Writes go to the platter before they
 * are done.
 *
 * A disk that does not turn (flash, or an array's cache) has but the overhead of a command, which
 * all that it was given wait for at once, and the link.
 *
 * DOC: What it does not model
 *
 * Data, errors and their retries, spare sectors, a write cache, thermal recalibration, the
 * acceleration of the arm other than by the curve, commands on the link, and aging: a request that
 * is always out of the way waits for ever while others keep coming.
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
#include <linux/types.h>

#define DISK_SECTOR	512
#define DISK_NEVER	(~0ULL)
#define DISK_ZONES	16
#define DISK_SEGMENTS	16
#define DISK_QUEUE	256

/**
 * struct disk_kind - what a disk is made of
 * @name: for people
 * @cylinders: seek positions
 * @heads: tracks of a cylinder
 * @outer: sectors of an outer track
 * @inner: sectors of an inner track; DISK_ZONES steps lie between
 * @rpm: revolutions a minute; 0 if nothing turns, and nothing is sought then
 * @seek_one: nanoseconds from a track to the next
 * @seek_average: the mean over all pairs of tracks
 * @seek_full: from the first to the last track
 * @settle_write: what a seek takes longer before a write
 * @head_switch: to another head on the same cylinder
 * @overhead: of a command, before anything moves
 * @queue: commands that the disk accepts at once; others wait in their order
 * @segments: of the cache
 * @segment: sectors that one reads ahead
 */
struct disk_kind {
	const char *name;
	unsigned int cylinders, heads, outer, inner, rpm;
	__u64 seek_one, seek_average, seek_full, settle_write, head_switch, overhead;
	unsigned int queue, segments, segment;
};

/*
 * The makers' nominal figures (typical, read). Sectors of a track follow from the formatted media
 * rate and the revolutions, cylinders from the capacity.
 *
 * Seagate Cheetah X15 36LP, 18 GB (ST318452FC): 3.6 ms average, writes 0.6 ms more; 51 to 69 MB/s;
 * 8 MB of cache.
 */
static const struct disk_kind disk_fc_2002 = {
	.name = "15k rpm FC disk of 2002",
	.cylinders = 19120, .heads = 4, .outer = 539, .inner = 398, .rpm = 15000,
	.seek_one = 500000, .seek_average = 3600000, .seek_full = 7400000,
	.settle_write = 600000, .head_switch = 400000, .overhead = 120000,
	.queue = 64, .segments = 16, .segment = 1024,
};

/* Seagate Cheetah 10K.6, 73 GB (ST373307LW): 4.7 ms, writes 0.6 ms more; 43 to 78 MB/s; 8 MB. */
static const struct disk_kind disk_u320_2004 = {
	.name = "10k rpm U320 disk of 2004",
	.cylinders = 50560, .heads = 4, .outer = 914, .inner = 504, .rpm = 10000,
	.seek_one = 350000, .seek_average = 4700000, .seek_full = 9800000,
	.settle_write = 600000, .head_switch = 500000, .overhead = 150000,
	.queue = 64, .segments = 16, .segment = 1024,
};

/*
 * Not of one maker: what a host sees of an array that has the data in its cache, on a loaded link,
 * and of an NVMe disk. Both are larger than anybody needs.
 */
static const struct disk_kind disk_array = {
	.name = "LUN of an array",
	.cylinders = DISK_ZONES, .heads = 1, .outer = 1U << 30, .inner = 1U << 30,
	.overhead = 150000, .queue = DISK_QUEUE,
};

static const struct disk_kind disk_nvme = {
	.name = "NVMe disk",
	.cylinders = DISK_ZONES, .heads = 1, .outer = 1U << 30, .inner = 1U << 30,
	.overhead = 20000, .queue = DISK_QUEUE,
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

/* Sectors from @start on that the disk read; the head passed @end at @when. */
struct disk_segment {
	__u64 start, end;
	__u64 when, used;
};

struct disk {
	const struct disk_kind *kind;
	struct disk_link *link;
	__u64 sectors;
	__u64 revolution, free;	/* free: when the arm is */
	unsigned int cylinder, head;
	struct disk_segment segments[DISK_SEGMENTS];
	struct disk_segment *ahead;	/* that the head reads on into, if any */
	struct disk_segment *stopped;	/* that it left only because there was no room */
	struct disk_request *queue[DISK_QUEUE], *current;
	unsigned int queued;
};

/* --- Where a sector is --- */

struct disk_place {
	unsigned int cylinder, head, sector, of;	/* sector @sector of a track of @of */
};

static inline unsigned int disk_zone_track(const struct disk_kind *k, unsigned int zone)
{
	return k->outer - (k->outer - k->inner) * zone / (DISK_ZONES - 1);
}

static inline struct disk_place disk_find(const struct disk *d, __u64 sector)
{
	const struct disk_kind *k = d->kind;
	unsigned int cylinders = k->cylinders / DISK_ZONES, zone = 0;
	__u64 tracks, size;
	struct disk_place p;

	for (;; zone++) {
		p.of = disk_zone_track(k, zone);
		size = (__u64)cylinders * k->heads * p.of;
		if (sector < size || zone == DISK_ZONES - 1)
			break;
		sector -= size;
	}
	tracks = sector / p.of;
	p.sector = sector % p.of;
	p.cylinder = zone * cylinders + tracks / k->heads;
	p.head = tracks % k->heads;
	return p;
}

/* When in a revolution a place passes the head: tracks are skewed by what it takes to get there. */
static inline __u64 disk_angle(const struct disk *d, const struct disk_place *p)
{
	const struct disk_kind *k = d->kind;
	__u64 switches = (__u64)p->cylinder * (k->heads - 1) + p->head;
	__u64 skew = switches * k->head_switch + p->cylinder * k->seek_one;

	return (skew + p->sector * d->revolution / p->of) % d->revolution;
}

/* From @sector on, how long until @count sectors have passed, with the switches on the way */
static inline __u64 disk_pass(const struct disk *d, __u64 sector, __u64 count)
{
	__u64 ns = 0;

	while (count) {
		struct disk_place p = disk_find(d, sector);
		unsigned int here = p.of - p.sector;

		if (count < here) {
			ns += count * d->revolution / p.of;
			break;
		}
		ns += here * d->revolution / p.of;
		ns += p.head + 1 < d->kind->heads ? d->kind->head_switch : d->kind->seek_one;
		sector += here;
		count -= here;
	}
	return ns;
}

/* How many sectors from @sector on, at most @most, pass in @ns */
static inline unsigned int disk_passed(const struct disk *d, __u64 sector, unsigned int most,
				       __u64 ns)
{
	unsigned int low = 0, high = most;

	while (low < high) {
		unsigned int mid = low + (high - low + 1) / 2;

		if (disk_pass(d, sector, mid) <= ns)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* --- How long it takes to get there --- */

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
static inline __u64 disk_seek(const struct disk_kind *k, unsigned int distance)
{
	long long average = k->seek_average - k->seek_one, full = k->seek_full - k->seek_one;
	long long b = 5 * average - 5 * full / 3, c = full - b;
	__u64 x;

	if (!distance)
		return 0;
	x = ((__u64)(distance - 1) << 40) / (k->cylinders - 1);
	b = (b * (long long)disk_root(x)) >> 20;
	c = (c * (long long)(x >> 20)) >> 20;
	return k->seek_one + b + c;
}

/* When the head stands before @sector, if it starts at @now */
static inline __u64 disk_reach(const struct disk *d, __u64 now, __u64 sector, bool write)
{
	struct disk_place p = disk_find(d, sector);
	unsigned int distance = p.cylinder > d->cylinder ? p.cylinder - d->cylinder :
							   d->cylinder - p.cylinder;
	__u64 angle = disk_angle(d, &p);

	if (distance)
		now += disk_seek(d->kind, distance) + (write ? d->kind->settle_write : 0);
	else if (p.head != d->head)
		now += d->kind->head_switch;
	return now + (angle + d->revolution - now % d->revolution) % d->revolution;
}

/* --- The cache --- */

/* Let the read-ahead go on up to @now; it ends when its segment is full. */
static inline void disk_read_ahead(struct disk *d, __u64 now)
{
	struct disk_segment *s = d->ahead;
	unsigned int room, more;

	if (!s || s->when >= now)
		return;
	room = s->start + d->kind->segment > s->end ? s->start + d->kind->segment - s->end : 0;
	if (room > d->sectors - s->end)
		room = d->sectors - s->end;
	more = disk_passed(d, s->end, room, now - s->when);
	s->when += disk_pass(d, s->end, more);
	s->end += more;
	if (more == room) {
		d->ahead = NULL;
		d->stopped = s;
	}
}

static inline struct disk_segment *disk_cached(struct disk *d, const struct disk_request *rq)
{
	struct disk_segment *s;
	unsigned int i;

	for (i = 0; i < d->kind->segments; i++) {
		s = &d->segments[i];
		if (s->used && rq->sector >= s->start && rq->sector <= s->end &&
		    (s == d->ahead || rq->sector + rq->count <= s->end))
			return s;
	}
	return NULL;
}

static inline struct disk_segment *disk_oldest(struct disk *d)
{
	struct disk_segment *oldest = &d->segments[0];
	unsigned int i;

	for (i = 1; i < d->kind->segments; i++)
		if (d->segments[i].used < oldest->used)
			oldest = &d->segments[i];
	return oldest;
}

/* --- One request --- */

/* When the data of @rq has passed the head, if the disk turns to it at @now */
static inline __u64 disk_serve(struct disk *d, struct disk_request *rq, __u64 now)
{
	__u64 end = rq->sector + rq->count;
	struct disk_segment *s = NULL;
	struct disk_place p;
	__u64 ready;

	disk_read_ahead(d, now);
	now += d->kind->overhead;
	if (!rq->write)
		s = disk_cached(d, rq);
	if (s && end <= s->end) {
		ready = now;
		if (s == d->stopped) {
			/* There is room again. */
			s->when = disk_reach(d, now, s->end, false);
			d->ahead = s;
			d->stopped = NULL;
		}
	} else if (s) {
		/* The head is on its way. */
		s->when += disk_pass(d, s->end, end - s->end);
		s->end = end;
		ready = s->when > now ? s->when : now;
	} else {
		ready = disk_reach(d, now, rq->sector, rq->write) +
			disk_pass(d, rq->sector, rq->count);
		d->ahead = NULL;
		d->stopped = NULL;
		if (!rq->write) {
			s = disk_oldest(d);
			s->end = end;
			s->when = ready;
			d->ahead = s;
		}
		p = disk_find(d, end - 1);
		d->cylinder = p.cylinder;
		d->head = p.head;
	}
	if (s) {
		s->start = rq->sector;
		s->used = ready;
	}
	d->free = ready;
	return ready;
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
	unsigned int zone;

	*d = (struct disk) { .kind = kind, .link = link };
	d->revolution = kind->rpm ? 60000000000ULL / kind->rpm : 0;
	for (zone = 0; zone < DISK_ZONES; zone++)
		d->sectors += (__u64)(kind->cylinders / DISK_ZONES) * kind->heads *
			      disk_zone_track(kind, zone);
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

/* Which of the first requests does the disk reach first, at @now? */
static inline unsigned int disk_choose(struct disk *d, __u64 now)
{
	unsigned int best = 0, i;
	__u64 least = DISK_NEVER, at;

	for (i = 0; i < d->queued && i < d->kind->queue; i++) {
		struct disk_request *rq = d->queue[i];

		if (rq->arrived > now)
			continue;
		at = !rq->write && disk_cached(d, rq) ? now :
		     disk_reach(d, now + d->kind->overhead, rq->sector, rq->write);
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
	__u64 start = d->free;
	struct disk_request *rq;
	unsigned int i, n;
	__u64 ready;

	if (d->current)
		return d->current->done;
	if (!d->queued)
		return DISK_NEVER;
	if (start < d->queue[0]->arrived)
		start = d->queue[0]->arrived;
	n = d->kind->rpm ? disk_choose(d, start) : 0;
	rq = d->queue[n];
	d->queued--;
	for (i = n; i < d->queued; i++)
		d->queue[i] = d->queue[i + 1];
	if (d->kind->rpm) {
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
