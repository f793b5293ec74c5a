/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: A modelled array
 *
 * Disks of model_disk.h, joined in chunks. array_submit() cuts a transfer at the chunks, hands each
 * piece to its disk, and waits (lets time pass) while a disk has as many requests as it may have.
 * array_step() goes on to the next moment at which a request is done, and calls done() with the
 * last piece of a transfer. A chunk as long as a disk makes single disks, one behind the other.
 *
 * There is no elevator: nothing merges requests, nothing sorts them but the disks' own queues. CPU,
 * memory and commands cost no time.
 */
#ifndef FIELD_ARRAY_H
#define FIELD_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include "../../selftests/dio/model_disk.h"

#define ARRAY_DISKS	64
#define FC_LOOP		202000000ULL	/* bytes/s: 2 Gbit/s, less what frames take */
#define U320_BUS	320000000ULL	/* bytes/s */

/**
 * struct transfer - what is done when all its pieces are
 * @left: pieces under way, and one more while it is being submitted
 * @done: called then; may submit
 * @owner: the caller's
 */
struct transfer {
	unsigned int left;
	void (*done)(struct transfer *transfer);
	void *owner;
};

/**
 * struct array - disks, and the time
 * @disks: the first @nr of them
 * @links: disks share one, or have one each
 * @nr: disks
 * @chunk: sectors
 * @now: nanoseconds
 * @requests: that disks were given
 */
struct array {
	struct disk disks[ARRAY_DISKS];
	struct disk_link links[ARRAY_DISKS];
	unsigned int nr;
	__u64 chunk, now, requests;
};

/* @chunk: 0 for single disks; @shared: all disks on one link of @rate */
static inline void array_init(struct array *a, const struct disk_kind *kind, unsigned int nr,
			      __u64 chunk, bool shared, __u64 rate)
{
	unsigned int i;

	a->nr = nr;
	a->now = 0;
	a->requests = 0;
	for (i = 0; i < nr; i++) {
		a->links[i] = (struct disk_link){ .rate = rate };
		disk_init(&a->disks[i], kind, &a->links[shared ? 0 : i]);
	}
	a->chunk = chunk ? chunk : a->disks[0].sectors;
}

static inline void array_piece_done(struct transfer *t)
{
	if (!--t->left)
		t->done(t);
}

/* Let time pass until a request is done; false if there is none. */
static inline bool array_step(struct array *a)
{
	struct disk *first = &a->disks[0];
	struct disk_request *rq;
	unsigned int i;

	for (i = 1; i < a->nr; i++)
		if (disk_next(&a->disks[i]) < disk_next(first))
			first = &a->disks[i];
	if (disk_next(first) == DISK_NEVER)
		return false;
	a->now = disk_next(first);
	rq = disk_take(first);
	array_piece_done(rq->owner);
	free(rq);
	return true;
}

static inline void array_submit(struct array *a, __u64 sector, __u64 count, bool write,
				struct transfer *t)
{
	t->left = 1;
	while (count) {
		__u64 chunk = sector / a->chunk, skip = sector % a->chunk;
		__u64 here = a->chunk - skip < count ? a->chunk - skip : count;
		struct disk_request *rq = malloc(sizeof(*rq));

		if (!rq)
			abort();
		*rq = (struct disk_request){
			.sector = chunk / a->nr * a->chunk + skip,
			.count = here, .write = write, .arrived = a->now, .owner = t,
		};
		while (!disk_submit(&a->disks[chunk % a->nr], rq)) {
			array_step(a);
			rq->arrived = a->now;
		}
		t->left++;
		a->requests++;
		sector += here;
		count -= here;
	}
	array_piece_done(t);
}

#endif
