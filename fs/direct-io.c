// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct I/O for file systems that map blocks with get_block
 *
 * Copyright (C) 2002, Linus Torvalds
 */

/**
 * DOC: What it does
 *
 * __blockdev_direct_IO() moves data between the caller's memory and the disk blocks of a file,
 * without the page cache. The file system tells where blocks are through get_block; what its
 * answers mean is in Documentation/dio-boundary.txt.
 */

/**
 * DOC: The life of one I/O
 *
 * A struct dio_cursor walks two sequences side by side: mappings (dio_map()) and memory
 * (dio_get_memory()). Where both have something, dio_send() puts pages into the present bio, or
 * dio_read_hole() clears them. A bio goes out (dio_submit()) when the next block does not follow on
 * the disk, when it is full, after the last block of a mapping marked boundary, and at the end; for
 * no other reason. Blocks that are new and only partly written are filled up with zeros
 * (dio_zero()).
 *
 * bios end in dio_end_io(). Whoever drops the last reference to the struct dio, a bio or the
 * submitter, goes on: it wakes the submitter if that waits, or completes the I/O, in a work item if
 * completion may sleep. dio_complete() computes the result and tells file system and caller. An
 * O_DSYNC write is synced after it has left i_dio_count, and in another queue: fsync takes the
 * inode lock, whose holder may wait for i_dio_count, and so for what is queued.
 */

/**
 * DOC: Memory and lifetime
 *
 * User memory is pinned (FOLL_PIN), so that a fork does not divert what the disk writes. The cursor
 * owns one pin of each page that it has not handed over, and of the page it stands in; a bio owns
 * one pin of each page of each of its bio_vecs. A page that a process still shares since a fork is
 * copied before it is pinned, for a write too. Memory of iterators that user space does not back is
 * held by the caller, and not touched.
 *
 * Where a bio ends nothing may sleep. If the disk read into pages that were cleaned meanwhile,
 * somebody who can sleep marks them dirty again and releases them: of a synchronous I/O its
 * submitter, before it returns, so that a sync after it finds them dirty; of an asynchronous one,
 * which does not wait for that, a work item. A page may be locked for long: nobody waits for one of
 * another I/O (but for its bio, if memory is short), and i_dio_count is down before.
 *
 * struct dio lives on the submitter's stack if the I/O is synchronous and small, else in front of
 * its first bio. It is gone when the last reference is: submission holds one until the end.
 *
 * What most I/Os pass through is inline, and what they rarely need is noinline: the registers that
 * the rare half wants are then saved only there.
 */

/**
 * DOC: Locking
 *
 * With DIO_LOCKING, reads take the inode lock shared while they map blocks, which keeps truncates
 * and block allocation away; writes come with the lock held. Without the flag the file system has
 * its own rules. With IOCB_NOWAIT the lock is only tried. i_dio_count is raised from before the
 * first mapping to after end_io, so that truncate can wait for what is in flight, and a write that
 * goes on in the page cache can, too. There is no lock for the fields of struct dio that bios
 * share: they are atomic, or the last write wins.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/task_io_accounting_ops.h>
#include <linux/uio.h>
#include <linux/workqueue.h>
#include <xen/xen.h>

#include "internal.h"

/* Pages of a synchronous I/O that is served from the stack: 256 bytes of bio_vecs. */
#define DIO_INLINE_VECS	16

/* Pages fetched at once: 512 bytes of stack, and 4 calls to pin a MiB. */
#define DIO_BATCH	64

/**
 * struct dio - what an I/O must know after submission
 * @ref: bios in flight, and the submitter
 * @error: 0, or the error of a bio; whichever, when several fail
 * @pinned: pages are; else they are the caller's
 * @dirty: a read into memory that must be marked dirty
 * @write: a write
 * @may_queue: ki_complete may tell the result; not if it was all done, or failed, within submission
 * @defer: complete in process context
 * @waiter: the submitter, while it sleeps; NULL once all bios are done
 * @result: bytes mapped, and sent or cleared
 * @iocb: the request; its ki_pos is where the I/O starts until it is complete
 * @inode: the file
 * @cleaned: ended bios whose pages the submitter must mark dirty again, if not @may_queue
 * @i_size: its size when the I/O began
 * @end_io: the file system's completion, or NULL
 * @private: b_private of the last mapping, for @end_io
 * @work: completion in process context
 * @bio: the first bio
 *
 * The end of a bio touches the first cache line only; completion goes on to the next; a synchronous
 * I/O never touches @work. Nothing is cleared as a whole (databases measure that): dio_init() sets
 * every field but @work, which is set when it is used, and @bio, which bio_init() or
 * bio_alloc_bioset() sets.
 */
struct dio {
	atomic_t ref;
	int error;
	bool pinned;
	bool dirty;
	bool write;
	bool may_queue;
	bool defer;
	struct task_struct *waiter;
	ssize_t result;
	struct kiocb *iocb;
	struct inode *inode;
	struct bio *cleaned;

	loff_t i_size;
	dio_iodone_t *end_io;
	void *private;
	struct work_struct work;
	struct bio bio;
};

/* dio_end_io() and dio_put(), which run for every bio on whatever CPU, stay in 64 bytes. */
static_assert(offsetofend(struct dio, cleaned) <= 64);

/**
 * struct dio_cursor - where submission stands
 * @pos: in the file, bytes
 * @end: where it must stop, bytes
 * @start: where it began, bytes
 * @map_len: bytes of @map from @pos on; 0 when the next block must be mapped
 * @sector: where @pos is on the disk, while @map_len is not 0 and it is no hole
 * @blkbits: block size of the file, as a power of two
 * @skip_holes: DIO_SKIP_HOLES
 * @bio: the bio being filled, or NULL
 * @next: the page that would continue the last bio_vec of @bio, or NULL
 * @next_offset: and where in that page
 * @opf: operation and flags of all bios
 * @first_used: struct dio's own bio has been taken
 * @lent: the pin of the page that the cursor stands in went with what is in front of it
 * @get_block: the file system's
 * @iter: memory not yet fetched
 * @bytes: fetched, and not yet handed over
 * @offset: into the first page fetched
 * @head: index of that page
 * @nr: pages fetched
 * @map: the present mapping
 * @pages: pages fetched; not cleared
 */
struct dio_cursor {
	loff_t pos;
	loff_t end;
	loff_t start;
	size_t map_len;
	sector_t sector;
	unsigned int blkbits;
	bool skip_holes;
	bool first_used;
	bool lent;
	unsigned int next_offset;
	struct page *next;
	struct bio *bio;
	blk_opf_t opf;
	get_block_t *get_block;
	struct iov_iter *iter;
	size_t bytes;
	unsigned int offset;
	unsigned int head;
	unsigned int nr;
	struct buffer_head map;
	struct page *pages[DIO_BATCH];
};

static struct bio_set dio_bio_set;

/* Where asynchronous O_DSYNC writes are synced */
static struct workqueue_struct *dio_sync_wq __ro_after_init;

/*
 * Memory
 */

/* Release @nr pages that lie side by side. Marking them dirty may sleep. */
static void dio_release_pages(struct dio *dio, struct page *page, unsigned int nr, bool dirty)
{
	if (dio->pinned)
		unpin_user_page_range_dirty_lock(page, nr, dirty);
}

/* Fetch the next pages of memory, at most as many as are still wanted. */
static int dio_get_memory(struct dio_cursor *cur)
{
	size_t max = min_t(u64, cur->end - cur->pos, iov_iter_count(cur->iter)), offset;
	struct page **pages = cur->pages;
	ssize_t len;

	len = iov_iter_extract_pages(cur->iter, &pages, max, DIO_BATCH, 0, &offset);
	if (unlikely(len <= 0))
		return len ? len : -EFAULT;

	cur->offset = offset;
	cur->bytes = len;
	cur->head = 0;
	cur->nr = DIV_ROUND_UP(offset + len, PAGE_SIZE);
	return 0;
}

/*
 * Step over @len bytes of the page the cursor stands in, and its pin goes with them; stay in it if
 * there is more.
 */
static inline void dio_step(struct dio_cursor *cur, unsigned int len)
{
	cur->bytes -= len;
	cur->offset += len;
	cur->lent = cur->offset < PAGE_SIZE && cur->bytes;
	if (!cur->lent) {
		cur->head++;
		cur->offset = 0;
	}
}

/*
 * Who has the pin of the present page may drop it, or what comes next is apart from that: take one
 * more. (Blocks that are smaller than pages mostly go on in the bio_vec of the block before.)
 */
static inline void dio_hold(struct dio *dio, struct dio_cursor *cur)
{
	if (!cur->lent)
		return;
	cur->lent = false;
	if (dio->pinned)
		folio_add_pin(page_folio(cur->pages[cur->head]));
}

static void dio_release_fetched(struct dio *dio, struct dio_cursor *cur)
{
	if (cur->lent)
		cur->head++;
	cur->lent = false;
	while (cur->head < cur->nr)
		dio_release_pages(dio, cur->pages[cur->head++], 1, false);
	cur->bytes = 0;
}

/*
 * bios
 */

/*
 * Let go of the memory of a bio that has ended, up to a page of a read that was cleaned meanwhile:
 * from there on it is left in the bio. True if nothing is.
 */
static bool dio_unpin(struct dio *dio, struct bio *bio)
{
	unsigned int done = bio->bi_vcnt;

	if (dio->pinned)
		done = unpin_user_bvecs(bio->bi_io_vec, done, dio->dirty);
	bio->bi_vcnt -= done;
	if (likely(!bio->bi_vcnt))
		return true;
	/* The table must begin where it did, for whoever frees it. */
	memmove(bio->bi_io_vec, bio->bi_io_vec + done, bio->bi_vcnt * sizeof(struct bio_vec));
	return false;
}

/* Mark dirty what dio_unpin() has left, and let go of it. A page may be locked for long. */
static noinline void dio_redirty_bio(struct bio *bio)
{
	bio_set_pages_dirty(bio);
	unpin_user_bvecs(bio->bi_io_vec, bio->bi_vcnt, false);
}

/*
 * Completion
 */

/*
 * Tell the file system, and compute the result from @ret, the error of submission, from the bios'
 * and from what was done. @can_sleep: in process context.
 */
static inline ssize_t dio_complete(struct dio *dio, ssize_t ret, bool can_sleep)
{
	loff_t pos = dio->iocb->ki_pos;
	ssize_t done = dio->result;
	int err;

	if (!dio->write && done > dio->i_size - pos)
		done = dio->i_size - pos;
	if (!ret)
		ret = dio->error ? dio->error : done;

	if (dio->end_io) {
		err = dio->end_io(dio->iocb, pos, ret, dio->private);
		if (err)
			ret = err;
	}

	/*
	 * Pages that somebody read meanwhile are old. Not before end_io: until then unwritten
	 * extents read as zeros, and those would be cached.
	 */
	if (dio->write && ret > 0 && can_sleep)
		kiocb_invalidate_post_direct_write(dio->iocb, ret);

	inode_dio_end(dio->inode);
	return ret;
}

static void dio_sync_work(struct work_struct *work)
{
	struct dio *dio = container_of(work, struct dio, work);
	struct kiocb *iocb = dio->iocb;
	ssize_t ret = generic_write_sync(iocb, dio->result);

	bio_put(&dio->bio);
	iocb->ki_complete(iocb, ret);
}

static void dio_complete_async(struct dio *dio, bool can_sleep)
{
	ssize_t ret = dio_complete(dio, 0, can_sleep);
	struct kiocb *iocb = dio->iocb;

	if (ret > 0) {
		iocb->ki_pos += ret;
		if (dio->write && iocb_is_dsync(iocb)) {
			dio->result = ret;
			INIT_WORK(&dio->work, dio_sync_work);
			queue_work(dio_sync_wq, &dio->work);
			return;
		}
	}
	bio_put(&dio->bio);
	iocb->ki_complete(iocb, ret);
}

static void dio_complete_work(struct work_struct *work)
{
	struct dio *dio = container_of(work, struct dio, work);

	dio_complete_async(dio, true);
}

/* May be in interrupt context. */
static void dio_put(struct dio *dio)
{
	struct task_struct *waiter;

	if (!atomic_dec_and_test(&dio->ref))
		return;

	waiter = dio->waiter;
	if (waiter) {
		/* The waiter goes on, frees @dio and may be gone itself, once it sees this. */
		rcu_read_lock();
		/* After all that bios told of themselves; see dio_sleep() */
		smp_store_release(&dio->waiter, NULL);
		blk_wake_io_task(waiter);
		rcu_read_unlock();
		return;
	}

	/*
	 * Invalidation of what somebody cached meanwhile may sleep. Asynchronous writes have seen
	 * to it that the file system's queue is there.
	 */
	if (dio->result && (dio->defer || (dio->write && dio->inode->i_mapping->nrpages))) {
		INIT_WORK(&dio->work, dio_complete_work);
		queue_work(dio->inode->i_sb->s_dio_done_wq, &dio->work);
	} else {
		dio_complete_async(dio, false);
	}
}

/*
 * Ended bios of reads whose pages were cleaned before the disk was done: mark those dirty again,
 * and release all. A page may be locked for long.
 */
static noinline void dio_redirty(struct bio **list)
{
	struct bio *bio = xchg(list, NULL), *next;

	for (; bio; bio = next) {
		next = bio->bi_next;
		bio->bi_next = NULL;
		dio_redirty_bio(bio);
		bio_put(bio);
	}
}

/* Those whose I/O does not wait for it, and may be complete already. */
static struct bio *dio_cleaned;

static void dio_redirty_work(struct work_struct *work)
{
	dio_redirty(&dio_cleaned);
}

static DECLARE_WORK(dio_cleaned_work, dio_redirty_work);

/* Leave an ended bio to somebody who can sleep. */
static noinline void dio_redirty_later(struct dio *dio, struct bio *bio)
{
	struct bio **list = dio->may_queue ? &dio_cleaned : &dio->cleaned;
	struct bio *old = READ_ONCE(*list);

	if (bio == &dio->bio)
		bio_get(bio);	/* completion puts it, too */
	do {
		bio->bi_next = old;
	} while (!try_cmpxchg(list, &old, bio));
	if (dio->may_queue && !old)
		schedule_work(&dio_cleaned_work);
}

/* Whoever waits can sleep, and has the first bio until all are done. */
static inline bool dio_is_waiters(struct dio *dio, struct bio *bio)
{
	return !dio->may_queue && bio == &dio->bio;
}

static void dio_end_io(struct bio *bio)
{
	struct dio *dio = bio->bi_private;

	if (unlikely(bio->bi_status))
		WRITE_ONCE(dio->error, bio->bi_status == BLK_STS_AGAIN &&
			   (bio->bi_opf & REQ_NOWAIT) ? -EAGAIN : -EIO);

	if (dio_is_waiters(dio, bio))
		goto put;

	if (!dio_unpin(dio, bio))
		dio_redirty_later(dio, bio);
	else if (bio != &dio->bio)
		bio_put(bio);
put:
	dio_put(dio);
}

/*
 * How many bio_vecs can be of use from here on? A segment of memory touches two pages more than fit
 * into it, at most; blocks that are written in part may need zeros in front and behind.
 */
static unsigned int dio_vecs_left(struct dio_cursor *cur)
{
	struct iov_iter *iter = cur->iter;
	bool many = iter_is_iovec(iter) || iov_iter_is_kvec(iter) || iov_iter_is_bvec(iter);
	unsigned long segs = many ? iter->nr_segs : 1;
	unsigned int zeros = (cur->start | cur->end) & ((1UL << cur->blkbits) - 1) ? 2 : 0;

	if (cur->bytes)
		segs++;		/* one that was fetched */
	return bio_max_segs(max_t(u64, 1, (cur->end - cur->pos) / PAGE_SIZE + 2 * segs + zeros));
}

static void dio_submit(struct dio *dio, struct dio_cursor *cur)
{
	struct bio *bio = cur->bio;

	dio_hold(dio, cur);
	cur->bio = NULL;
	if (dio->write)
		task_io_account_write(bio->bi_iter.bi_size);
	else if (dio->dirty && !dio_is_waiters(dio, bio))
		bio_set_pages_dirty(bio);
	atomic_inc(&dio->ref);
	submit_bio(bio);
}

static noinline void dio_sleep(struct dio *dio)
{
	dio->waiter = current;
	if (!atomic_dec_and_test(&dio->ref)) {
		for (;;) {
			set_current_state(TASK_UNINTERRUPTIBLE);
			/* Before what they told; see dio_put() */
			if (!smp_load_acquire(&dio->waiter))
				break;
			blk_io_schedule();
		}
		__set_current_state(TASK_RUNNING);
	}
	atomic_set(&dio->ref, 1);
}

/* For all bios. Then nobody but the submitter refers to the struct dio. */
static inline void dio_wait(struct dio *dio)
{
	if (atomic_read_acquire(&dio->ref) > 1)
		dio_sleep(dio);
}

/*
 * The pool must not wait for a bio that this I/O itself keeps, because its pages were cleaned:
 * those that have ended are released, and if there is no memory all others are waited for first.
 */
static struct bio *dio_alloc_bio(struct dio *dio, struct dio_cursor *cur)
{
	bool may_keep = dio->dirty && !dio->may_queue;
	unsigned int nr = dio_vecs_left(cur);
	struct bio *bio;

	if (READ_ONCE(dio->cleaned))
		dio_redirty(&dio->cleaned);
	bio = bio_alloc(cur->map.b_bdev, nr, cur->opf, may_keep ? GFP_NOWAIT : GFP_KERNEL);
	if (unlikely(!bio)) {
		dio_wait(dio);
		dio_redirty(&dio->cleaned);
		bio = bio_alloc(cur->map.b_bdev, nr, cur->opf, GFP_KERNEL);
	}
	return bio;
}

static noinline void dio_new_bio(struct dio *dio, struct dio_cursor *cur, sector_t sector)
{
	struct block_device *bdev = cur->map.b_bdev;
	struct bio *bio;

	if (!cur->first_used) {
		cur->first_used = true;
		bio = &dio->bio;
		bio_set_dev(bio, bdev);
	} else {
		bio = dio_alloc_bio(dio, cur);
	}
	bio->bi_iter.bi_sector = sector;
	bio->bi_ioprio = dio->iocb->ki_ioprio;
	bio->bi_write_hint = dio->inode->i_write_hint;
	bio->bi_private = dio;
	bio->bi_end_io = dio_end_io;
	cur->bio = bio;
	cur->next = NULL;
	cur->next_offset = 0;
}

/* See to it that there is a bio that @sector may go into. */
static inline void dio_prepare_bio(struct dio *dio, struct dio_cursor *cur, sector_t sector)
{
	struct bio *bio = cur->bio;

	if (bio) {
		if (bio_end_sector(bio) == sector && bio->bi_bdev == cur->map.b_bdev)
			return;
		dio_submit(dio, cur);
	}
	dio_new_bio(dio, cur, sector);
}

/*
 * Is @page, which follows on another in memmap, next to it in memory as well, and for the disk and
 * for KMSAN? (Memory of other devices, which must not be joined, is not asked for.)
 */
static inline bool dio_adjacent(struct page *page)
{
	/* Only there may memmap go on where memory does not. */
	bool sections = IS_ENABLED(CONFIG_SPARSEMEM) && !IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP);

	if (sections && page_to_pfn(page) != page_to_pfn(page - 1) + 1)
		return false;
	return !xen_domain() && !IS_ENABLED(CONFIG_KMSAN);
}

/* @len bytes at @offset of @page are the last of the present bio now. */
static inline void dio_added(struct dio_cursor *cur, struct page *page, unsigned int offset,
			     unsigned int len)
{
	cur->bio->bi_iter.bi_size += len;
	cur->next_offset = offset_in_page(offset + len);
	cur->next = cur->next_offset ? page : page + 1;
}

/* Add to the present bio; false if it is full. The hold on @page goes with it. */
static inline bool dio_add(struct dio *dio, struct dio_cursor *cur, struct page *page,
			   unsigned int offset, unsigned int len)
{
	struct bio *bio = cur->bio;

	if (bio->bi_iter.bi_size > UINT_MAX - PAGE_SIZE)
		return false;
	if (page == cur->next && offset == cur->next_offset && (offset || dio_adjacent(page))) {
		bio->bi_io_vec[bio->bi_vcnt - 1].bv_len += len;
		/* A page that was fetched once more, and continues what it was part of before */
		if (offset && !cur->lent)
			dio_release_pages(dio, page, 1, false);
	} else if (bio->bi_vcnt < bio->bi_max_vecs) {
		dio_hold(dio, cur);
		bvec_set_page(&bio->bi_io_vec[bio->bi_vcnt++], page, len, offset);
	} else {
		return false;
	}
	dio_added(cur, page, offset, len);
	return true;
}

/*
 * The same for a block smaller than a page, if it goes on behind the block before, on the disk and
 * in memory: the page that was lent is the last one of the bio, up to the cursor. File systems that
 * map such blocks one by one (udf) come here for most of them.
 */
static inline bool dio_go_on(struct dio_cursor *cur, unsigned int len)
{
	struct bio *bio = cur->bio;

	if (!cur->lent || len > PAGE_SIZE - cur->offset ||
	    bio->bi_iter.bi_size > UINT_MAX - PAGE_SIZE ||
	    bio_end_sector(bio) != cur->sector || bio->bi_bdev != cur->map.b_bdev)
		return false;
	bio->bi_io_vec[bio->bi_vcnt - 1].bv_len += len;
	dio_added(cur, cur->pages[cur->head], cur->offset, len);
	dio_step(cur, len);
	return true;
}

/* The same for whole pages, as many as possible. Returns their bytes. */
static size_t dio_add_pages(struct dio_cursor *cur, size_t left)
{
	struct bio *bio = cur->bio;
	unsigned int room = (UINT_MAX - bio->bi_iter.bi_size) / PAGE_SIZE, i;
	unsigned int nr = min_t(size_t, left / PAGE_SIZE, room);
	struct page **pages = cur->pages + cur->head, *next = cur->next_offset ? NULL : cur->next;
	struct bio_vec *end = bio->bi_io_vec + bio->bi_max_vecs;
	struct bio_vec *bv = bio->bi_io_vec + bio->bi_vcnt;

	for (i = 0; i < nr; i++) {
		struct page *page = pages[i];

		if (page == next && dio_adjacent(page))
			bv[-1].bv_len += PAGE_SIZE;
		else if (bv < end)
			bvec_set_page(bv++, page, PAGE_SIZE, 0);
		else
			break;
		next = page + 1;
	}
	if (i) {
		bio->bi_vcnt = bv - bio->bi_io_vec;
		bio->bi_iter.bi_size += i * PAGE_SIZE;
		cur->next = next;
		cur->next_offset = 0;
		cur->head += i;
		cur->bytes -= i * PAGE_SIZE;
	}
	return i * PAGE_SIZE;
}

/* Write @len zeros at @sector. The page of zeros is never pinned: what unpins pages knows it. */
static void dio_zero(struct dio *dio, struct dio_cursor *cur, sector_t sector, size_t len)
{
	while (len) {
		unsigned int part = min_t(size_t, len, PAGE_SIZE);

		dio_prepare_bio(dio, cur, sector);
		if (!dio_add(dio, cur, ZERO_PAGE(0), 0, part)) {
			dio_submit(dio, cur);
			continue;
		}
		sector += part >> SECTOR_SHIFT;
		len -= part;
	}
}

/* Put as much as there are both blocks and memory for into bios. */
static void dio_send(struct dio *dio, struct dio_cursor *cur)
{
	size_t left = min(cur->map_len, cur->bytes), sent = 0;

	if (dio_go_on(cur, left))
		sent = left;
	else
		dio_prepare_bio(dio, cur, cur->sector);
	while (sent < left) {
		unsigned int len;

		if (!cur->offset)
			sent += dio_add_pages(cur, left - sent);
		len = min_t(size_t, left - sent, PAGE_SIZE - cur->offset);
		if (!len)
			break;
		if (!dio_add(dio, cur, cur->pages[cur->head], cur->offset, len)) {
			dio_submit(dio, cur);
			dio_prepare_bio(dio, cur, cur->sector + (sent >> SECTOR_SHIFT));
			continue;
		}
		dio_step(cur, len);
		sent += len;
	}
	cur->sector += sent >> SECTOR_SHIFT;
	cur->map_len -= sent;
	cur->pos += sent;

	/* The file system is about to read what lies next on the disk: go ahead of it. */
	if (!cur->map_len && buffer_boundary(&cur->map) && cur->bio)
		dio_submit(dio, cur);
}

/* A hole reads as zeros, as much of it as there is memory fetched. */
static void dio_read_hole(struct dio *dio, struct dio_cursor *cur)
{
	size_t left = min(cur->map_len, cur->bytes);

	while (left) {
		unsigned int len = min_t(size_t, left, PAGE_SIZE - cur->offset);
		struct page *page = cur->pages[cur->head];

		dio_hold(dio, cur);
		memzero_page(page, cur->offset, len);
		dio_step(cur, len);
		dio_hold(dio, cur);
		dio_release_pages(dio, page, 1, dio->dirty);
		cur->map_len -= len;
		cur->pos += len;
		left -= len;
	}
}

/*
 * Mappings
 */

static int dio_defer(struct dio *dio)
{
	dio->defer = true;
	return dio->inode->i_sb->s_dio_done_wq ? 0 : sb_init_dio_done_wq(dio->inode->i_sb);
}

/*
 * Bytes from @from to the end of the last block that has bytes before @end (round_up() of a
 * position near LLONG_MAX overflows).
 */
static size_t dio_to_block_end(struct dio_cursor *cur, loff_t from, loff_t end)
{
	u64 mask = (1ULL << cur->blkbits) - 1;

	return (((u64)end - 1) | mask) + 1 - from;
}

/* Ask the file system where the block at the cursor is, and how much follows it. */
static int dio_map(struct dio *dio, struct dio_cursor *cur)
{
	struct buffer_head *map = &cur->map;
	sector_t block = cur->pos >> cur->blkbits;
	size_t skip = cur->pos & ((1UL << cur->blkbits) - 1);
	size_t want = dio_to_block_end(cur, cur->pos - skip, cur->end);
	int create = dio->write;
	int ret;

	/* Blocks within the file may only be overwritten: else it falls back to buffered writes. */
	if (create && cur->skip_holes) {
		loff_t i_size = i_size_read(dio->inode);

		create = !i_size || block > (i_size - 1) >> cur->blkbits;
	}

	map_bh_request(map, want);
	ret = cur->get_block(dio->inode, block, map, create);
	dio->private = map->b_private;
	if (ret)
		return ret;

	if (!buffer_mapped(map)) {
		if (dio->write)
			return -ENOTBLK;
		/* A file system that does not measure holes leaves b_size alone (ext2). */
		if (map->b_size == want || !map->b_size)
			map->b_size = 1UL << cur->blkbits;
	}
	if (WARN_ON_ONCE(map->b_size <= skip))
		return -EIO;

	cur->map_len = min(map->b_size, want) - skip;
	cur->sector = (map->b_blocknr << (cur->blkbits - SECTOR_SHIFT)) + (skip >> SECTOR_SHIFT);
	if (buffer_new(map)) {
		clean_bdev_aliases(map->b_bdev, map->b_blocknr, map->b_size >> cur->blkbits);
		if (skip)
			dio_zero(dio, cur, cur->sector - (skip >> SECTOR_SHIFT), skip);
	}
	return buffer_defer_completion(map) ? dio_defer(dio) : 0;
}

/*
 * New blocks that were not written must not show what was on the disk before: the rest of the last
 * block of a write, or after an error all that has been mapped.
 */
static void dio_zero_rest(struct dio *dio, struct dio_cursor *cur, int ret)
{
	size_t len = ret ? cur->map_len : dio_to_block_end(cur, cur->pos, cur->pos);

	if (dio->write && cur->map_len && buffer_new(&cur->map))
		dio_zero(dio, cur, cur->sector, len);
}

/*
 * Submission
 */

/* From one end to the other. Memory first: for memory that is not there, no block is allocated. */
static int dio_walk(struct dio *dio, struct dio_cursor *cur)
{
	int ret = 0;

	while (cur->pos < cur->end && !ret) {
		if (!cur->bytes)
			ret = dio_get_memory(cur);
		if (!ret && !cur->map_len)
			ret = dio_map(dio, cur);
		if (ret)
			break;
		if (buffer_mapped(&cur->map))
			dio_send(dio, cur);
		else
			dio_read_hole(dio, cur);
		ret = READ_ONCE(dio->error);	/* what failed stays failed */
	}
	dio->result = cur->pos - cur->start;
	return ret;
}

/* All mapping and sending; the errors that end an I/O early are sorted out here. */
static int dio_submit_all(struct dio *dio, struct dio_cursor *cur)
{
	struct blk_plug plug;
	bool short_is_fine;
	int ret;

	blk_start_plug(&plug);
	ret = dio_walk(dio, cur);
	dio_release_fetched(dio, cur);
	if (ret == -ENOTBLK)
		ret = 0;		/* the caller writes the rest through the page cache */

	/*
	 * Bad memory after some good makes the I/O shorter; but it fails if there are new blocks
	 * for the rest already, which now hold zeros.
	 */
	short_is_fine = dio->result && !(cur->map_len && dio->write && buffer_new(&cur->map));
	dio_zero_rest(dio, cur, ret);
	if (ret == -EFAULT && short_is_fine)
		ret = 0;

	/* What was sent of an asynchronous read is not waited for: completion tells the error. */
	if (ret && dio->may_queue && !dio->write && dio->result) {
		WRITE_ONCE(dio->error, ret);
		ret = 0;
	}

	if (cur->bio)
		dio_submit(dio, cur);
	blk_finish_plug(&plug);
	return ret;
}

/* Is it to be reported by ki_complete? A write that fell short has to go on, so it waits. */
static bool dio_is_queued(struct dio *dio, size_t count, int ret)
{
	return dio->may_queue && !ret && dio->result && (!dio->write || dio->result == count);
}

static blk_opf_t dio_opf(struct kiocb *iocb, struct iov_iter *iter)
{
	/*
	 * Not REQ_NOWAIT: disks that do not know it (dm-crypt, dm-thin) would refuse, and where
	 * one of several bios is not sent the others are read for nothing.
	 */
	if (iov_iter_rw(iter) == READ)
		return REQ_OP_READ;
	return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE |
	       (iocb->ki_flags & IOCB_NOWAIT ? REQ_NOWAIT : 0);
}

/* A queue for completion in process context, for an asynchronous write that may come to need it. */
static int dio_prepare_defer(struct dio *dio)
{
	struct super_block *sb = dio->inode->i_sb;

	return dio->may_queue && dio->write && !sb->s_dio_done_wq ? sb_init_dio_done_wq(sb) : 0;
}

static void dio_init(struct dio *dio, struct kiocb *iocb, struct inode *inode,
		     struct iov_iter *iter, dio_iodone_t *end_io, loff_t i_size)
{
	atomic_set(&dio->ref, 1);
	dio->error = 0;
	dio->pinned = iov_iter_extract_will_pin(iter);
	dio->write = iov_iter_rw(iter) == WRITE;
	dio->dirty = !dio->write && dio->pinned;
	/* The size may be told only after the data is there: an extending write is waited for. */
	dio->may_queue = !is_sync_kiocb(iocb) &&
			 !(dio->write && iocb->ki_pos + iov_iter_count(iter) > i_size);
	dio->defer = false;
	dio->waiter = NULL;
	dio->iocb = iocb;
	dio->inode = inode;
	dio->cleaned = NULL;
	dio->i_size = i_size;
	dio->end_io = end_io;
	dio->private = NULL;
}

/* Send it, and wait if that is what the caller wants. */
static ssize_t dio_run(struct dio *dio, struct dio_cursor *cur, int flags)
{
	size_t count = iov_iter_count(cur->iter);
	struct inode *inode = dio->inode;
	ssize_t done;
	int ret;

	inode_dio_begin(inode);
	ret = dio_submit_all(dio, cur);

	/* All blocks have been looked up: what the lock was for. */
	if ((flags & DIO_LOCKING) && !dio->write)
		inode_unlock_shared(inode);

	if (!dio_is_queued(dio, count, ret))
		dio_wait(dio);
	else if (!atomic_dec_and_test(&dio->ref))
		return -EIOCBQUEUED;

	/* It is ours alone now. Pages may be locked for long: i_dio_count is lowered first. */
	done = dio_complete(dio, ret, true);
	if (cur->first_used && dio_is_waiters(dio, &dio->bio) &&
	    !dio_unpin(dio, &dio->bio))
		dio_redirty_bio(&dio->bio);
	if (dio->cleaned)
		dio_redirty(&dio->cleaned);
	return done;
}

/* A small synchronous I/O needs no memory but the stack. */
static noinline ssize_t dio_run_on_stack(struct dio_cursor *cur, struct kiocb *iocb,
					 struct inode *inode, dio_iodone_t *end_io, loff_t i_size,
					 int flags)
{
	struct bio_vec vecs[DIO_INLINE_VECS] __uninitialized;
	struct dio dio __uninitialized;
	ssize_t ret;

	dio_init(&dio, iocb, inode, cur->iter, end_io, i_size);
	bio_init(&dio.bio, NULL, vecs, DIO_INLINE_VECS, cur->opf);
	ret = dio_run(&dio, cur, flags);
	bio_uninit(&dio.bio);
	return ret;
}

static noinline ssize_t dio_run_allocated(struct dio_cursor *cur, struct kiocb *iocb,
					  struct inode *inode, dio_iodone_t *end_io,
					  loff_t i_size, int flags)
{
	struct bio *bio = bio_alloc_bioset(NULL, dio_vecs_left(cur), cur->opf, GFP_KERNEL,
					   &dio_bio_set);
	struct dio *dio = container_of(bio, struct dio, bio);
	ssize_t ret;

	dio_init(dio, iocb, inode, cur->iter, end_io, i_size);
	ret = dio_prepare_defer(dio);
	if (unlikely(ret)) {
		bio_put(bio);
		return ret;
	}

	ret = dio_run(dio, cur, flags);
	if (ret != -EIOCBQUEUED)
		bio_put(bio);
	return ret;
}

/* False: the caller does not want to wait for the lock. */
static bool dio_lock(struct kiocb *iocb, struct inode *inode)
{
	if (iocb->ki_flags & IOCB_NOWAIT)
		return inode_trylock_shared(inode);
	inode_lock_shared(inode);
	return true;
}

/* Cached data that has not reached the disk yet would be missed. */
static int dio_write_back(struct kiocb *iocb, loff_t first, loff_t last)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;

	if (iocb->ki_flags & IOCB_NOWAIT)
		return filemap_range_needs_writeback(mapping, first, last) ? -EAGAIN : 0;
	return filemap_write_and_wait_range(mapping, first, last);
}

/**
 * __blockdev_direct_IO() - read or write a file past the page cache
 * @iocb: the request; ki_pos (bytes) is where it starts
 * @inode: the file, which maps its blocks of 1 << i_blkbits bytes with @get_block
 * @bdev: the device whose logical block size bounds the alignment, or NULL to insist on @inode's
 * @iter: the memory
 * @get_block: maps file blocks to disk blocks; see Documentation/dio-boundary.txt
 * @end_io: called once, if anything was begun, with the result (bytes or an error) and b_private of
 *	the last mapping, maybe in interrupt context unless a mapping said
 *	buffer_defer_completion(); or NULL
 * @flags: DIO_LOCKING: writes come with the inode lock held, reads take it here, shared.
 *	DIO_SKIP_HOLES: a write does not allocate blocks below i_size.
 *
 * Position, length and memory are multiples of @inode's block size, or else of @bdev's logical
 * block; what new blocks have more is filled with zeros.
 *
 * Context: process context. Keeps truncate away by i_dio_count until the I/O has ended.
 *
 * Return: bytes moved, fewer than asked for at the end of the file, before a hole that the file
 * system does not fill, and before memory that cannot be accessed; 0 also if nothing of a write was
 * mapped, for the caller to go on with buffered writes. -EIOCBQUEUED: ki_complete will be called.
 * Else -EINVAL (alignment), -EFAULT (memory; nothing moved, or new blocks were zeroed), -EIO (a
 * bio failed), -EAGAIN (IOCB_NOWAIT, and the lock, cached data or a write's bio would have to be
 * waited for), -ENOMEM, or what @get_block, @end_io or writing back the page cache gave. With
 * IOCB_NOWAIT it is up to @get_block not to wait. An asynchronous read that fails when a part of it
 * was sent is told by ki_complete, too.
 */
ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode, struct block_device *bdev,
			     struct iov_iter *iter, get_block_t get_block, dio_iodone_t end_io,
			     int flags)
{
	unsigned int blkbits = READ_ONCE(inode->i_blkbits), iobits = blkbits;
	bool read = iov_iter_rw(iter) == READ;
	bool lock = read && (flags & DIO_LOCKING);
	unsigned long align = iocb->ki_pos | iov_iter_alignment(iter);
	size_t count = iov_iter_count(iter);
	struct dio_cursor cur __uninitialized;
	loff_t i_size;
	ssize_t ret;

	if (read && !count)
		return 0;
	if (lock && !dio_lock(iocb, inode))
		return -EAGAIN;

	i_size = i_size_read(inode);
	ret = 0;
	if (read && iocb->ki_pos >= i_size)
		goto unlock;
	ret = -EINVAL;
	if (align & ((1UL << iobits) - 1) && bdev)
		iobits = blksize_bits(bdev_logical_block_size(bdev));
	if (align & ((1UL << iobits) - 1))
		goto unlock;

	cur.start = iocb->ki_pos;
	cur.pos = cur.start;
	cur.end = cur.start + count;
	if (read)
		cur.end = min_t(u64, cur.end, round_up((u64)i_size, 1ULL << iobits));
	if (lock) {
		ret = dio_write_back(iocb, cur.start, cur.end - 1);
		if (ret)
			goto unlock;
	}

	cur.map_len = 0;
	cur.map.b_private = NULL;	/* the file system's from here on: ocfs2 keeps state */
	cur.blkbits = blkbits;
	cur.skip_holes = flags & DIO_SKIP_HOLES;
	cur.first_used = false;
	cur.lent = false;
	cur.bio = NULL;
	cur.opf = dio_opf(iocb, iter);
	cur.get_block = get_block;
	cur.iter = iter;
	cur.bytes = 0;
	cur.head = 0;
	cur.nr = 0;

	/* These unlock. */
	if (is_sync_kiocb(iocb) && dio_vecs_left(&cur) <= DIO_INLINE_VECS)
		return dio_run_on_stack(&cur, iocb, inode, end_io, i_size, flags);
	return dio_run_allocated(&cur, iocb, inode, end_io, i_size, flags);

unlock:
	if (lock)
		inode_unlock_shared(inode);
	return ret;
}
EXPORT_SYMBOL(__blockdev_direct_IO);

static int __init dio_setup(void)
{
	if (bioset_init(&dio_bio_set, BIO_POOL_SIZE, offsetof(struct dio, bio),
			BIOSET_NEED_BVECS | BIOSET_PERCPU_CACHE))
		panic("dio: no memory for bios\n");
	dio_sync_wq = alloc_workqueue("dio-sync", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!dio_sync_wq)
		panic("dio: no work queue\n");
	return 0;
}
fs_initcall(dio_setup);
