// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: What surrounds the engine
 *
 * Every function that the engine calls is here, does in small what the kernel's does, and checks
 * what the kernel could only hope for: that memory of a bio is held until the bio has ended, that
 * nothing sleeps in an interrupt, that every lock, pin, reference, plug and bio is given back once.
 *
 * DOC: Time
 *
 * others_run() is in each call in which time may pass. There, bios that were submitted may end, in
 * any order, as if in an interrupt; and work items run. A submitter that waits is a call to
 * blk_io_schedule(), in which something must happen, or nobody would ever wake it: that is a
 * deadlock. What the engine must not touch any more, as another CPU may have taken it down, is
 * poisoned for ASan until the engine returns.
 *
 * DOC: Failure
 *
 * The case says which call fails (struct dio_case). A bio that fails has moved nothing.
 *
 * DOC: Field reports
 *
 * field/ has the kernel's scale, requests that are larger than what is here, and engines other than
 * ours: its on_bio() sees each bio, and no data is moved.
 */
#include <sanitizer/asan_interface.h>
#include <setjmp.h>
#include <stdlib.h>
#include "kernel.h"
#include "world.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define forget(memory, size)	__msan_poison(memory, size)
#endif
#endif
#ifdef forget
static const bool forgotten = true;	/* and may not be looked at */
#else
static const bool forgotten;
#define forget(memory, size)	memset(memory, c.poison, size)
#endif

extern ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode,
				    struct block_device *bdev, struct iov_iter *iter,
				    get_block_t *get_block, dio_iodone_t *end_io, int flags);
extern int dio_setup_at_boot(void);

/* Up to 6.16 a set of bios has pools of its own for integrity, or none. */
#ifndef INTEGRITY_POOLS
#define INTEGRITY_POOLS	false
#endif

/* Up to 6.8 a bio has no hint. */
#ifndef WRITE_HINTS
#define WRITE_HINTS	true
#endif

#define MAX_WORKS	8
#define MAX_QUEUES	4

struct task_struct {
	int state;
};

struct workqueue_struct {
	bool there;
};

struct record got;
struct block_device disks[2];
void (*on_bio)(struct bio *bio);
struct task_struct *current;
struct page *zero_page;		/* behind all others */
bool on_xen, with_kmsan;

static char data[NR_PAGES + 1][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct page pages[NR_PAGES + 1];
static struct task_struct submitter;
static struct workqueue_struct queues[MAX_QUEUES], sync_queue;	/* the last is the engine's */
static struct super_block sb;
static struct address_space mapping;
static struct file file;
static struct inode inode;
static struct kiocb iocb;

/* Where the run stands */
static struct {
	struct work_struct *works[MAX_WORKS], *to_sync;
	unsigned int nr_in_flight, nr_works, nr_live, nr_pooled, nr_queues, pipe_at;
	unsigned int mapped_after_error, pinned_after_error;
	struct { char *from, *to; } io;	/* struct dio, as far as one can tell from outside */
	int lock_depth, dio_count, plug_depth, rcu_depth;
	size_t accounted, invalidated, synced;
	bool syncing, in_irq, completed, wrote_back, no_bio, error_told;
	/* Not cleared before a run */
	struct bio *in_flight[MAX_BIOS];
	struct bio_record *record_of[MAX_BIOS];
} now;

static enum boot_without { NOTHING, BIOS, INTEGRITY, QUEUE } boot_without;
static jmp_buf panicked;

/*
 * Time
 */

static void end_bio(unsigned int i);

static void run_work(void)
{
	struct work_struct *work = now.works[0];

	memmove(now.works, now.works + 1, --now.nr_works * sizeof(*now.works));
	now.syncing = work == now.to_sync;
	work->func(work);
	now.syncing = false;
}

static void something_happens(void)
{
	if (now.nr_works && (!now.nr_in_flight || chance(2)))
		run_work();
	else if (now.nr_in_flight)
		end_bio(pick(now.nr_in_flight));
}

void others_run(void)
{
	if (now.in_irq || c.timing == LATE)
		return;
	while ((now.nr_works || now.nr_in_flight) && chance(2))
		something_happens();
}

/* Whoever waits for this may be through with the whole I/O before the caller's next line. */
void others_saw(const void *where)
{
	if (now.in_irq && (char *)where >= now.io.from && (char *)where < now.io.to)
		ASAN_POISON_MEMORY_REGION(now.io.from, now.io.to - now.io.from);
}

bool atomic_dec_and_test(atomic_t *a)
{
	if (!--a->counter)
		return true;
	others_saw(a);
	others_run();
	return false;
}

static void may_sleep(const char *who)
{
	if (now.in_irq)
		wrong("%s sleeps in an interrupt", who);
	if (now.rcu_depth)
		wrong("%s sleeps under RCU", who);
}

/* Once a bio has failed, what is at hand may be finished, but nothing else begun. */
static void stop_at_error(unsigned int *since)
{
	if (now.error_told && ++*since > 1)
		wrong("goes on after an error");
}

/*
 * Tasks
 */

void set_current_state(int state)
{
	others_run();
	submitter.state = state;
	others_run();
}

void blk_io_schedule(void)
{
	may_sleep("the submitter");
	if (now.lock_depth && !now.no_bio)
		wrong("waits for the disk with the inode lock held");
	if (submitter.state == TASK_RUNNING)
		return;
	if (chance(8))
		return;		/* woken for nothing */
	got.waited = true;
	while (submitter.state != TASK_RUNNING && (now.nr_in_flight || now.nr_works))
		something_happens();
	if (submitter.state != TASK_RUNNING)
		wrong("deadlock: nothing is in flight, and nobody wakes the submitter");
}

void blk_wake_io_task(struct task_struct *task)
{
	if (task != &submitter)
		wrong("woke a stranger");
	if (!now.rcu_depth)
		wrong("woke a task that may be gone");
	task->state = TASK_RUNNING;
}

void rcu_read_lock(void)
{
	now.rcu_depth++;
}

void rcu_read_unlock(void)
{
	if (--now.rcu_depth < 0)
		wrong("unlocked RCU twice");
}

void task_io_account_write(size_t bytes)
{
	now.accounted += bytes;
}

/*
 * Memory
 */

/* Frames are not in order where a section begins, and the zero page lies by itself. */
unsigned long page_to_pfn(struct page *page)
{
	unsigned int nr = page - pages;

	if (page == zero_page)
		return 10000;
	return nr + (nr >= c.section ? 1000 : 0);
}

int pin_user_pages_fast(unsigned long start, int nr, unsigned int gup, struct page **to)
{
	bool write_to = gup & FOLL_WRITE;
	int i;

	may_sleep("pin_user_pages_fast");
	stop_at_error(&now.pinned_after_error);
	others_run();
	if (write_to == c.write || !(gup & FOLL_NOFAULT) != !c.nofault)
		wrong("pinned with flags %x", gup);
	if (offset_in_page(start) || nr <= 0)
		wrong("pinned %d pages at %lx", nr, start);
	for (i = 0; i < nr; i++) {
		int page = page_at(start - USER_BASE + i * PAGE_SIZE, write_to);

		if (page == NEVER || (i && chance(40)))
			break;
		pages[page].head->pins++;
		to[i] = &pages[page];
	}
	if (!i && c.none_is_zero)
		return 0;
	return i ? i : -EFAULT;
}

void folio_add_pin(struct folio *folio)
{
	if (&folio->page == zero_page)
		return;
	if (!folio->page.pins++)
		wrong("one more pin on a folio that is not pinned");
}

static unsigned int bvec_pages(const struct bio_vec *bv)
{
	return DIV_ROUND_UP(bv->bv_offset + bv->bv_len, PAGE_SIZE);
}

void unpin_user_page_range_dirty_lock(struct page *page, unsigned long nr, bool dirty)
{
	for (; nr; nr--, page++) {
		if (page == zero_page)
			continue;	/* is never pinned */
		if (!page->head->pins)
			wrong("unpinned a page without pins");
		if (dirty && !page->head->dirty) {
			may_sleep("marking a page dirty");
			page->head->dirty = true;
		}
		page->head->pins--;
	}
}

/* Stops at a page that is not dirty, if that is asked for; cuts off what came before it. */
unsigned int unpin_user_bvecs(struct bio_vec *bvecs, unsigned int nr, bool dirty)
{
	struct bio_vec *bv;
	unsigned int k;

	for (bv = bvecs; bv < bvecs + nr; bv++) {
		for (k = 0; k < bvec_pages(bv); k++) {
			if (dirty && !bv->bv_page[k].head->dirty)
				break;
			unpin_user_page_range_dirty_lock(bv->bv_page + k, 1, false);
		}
		if (k == bvec_pages(bv))
			continue;
		if (k) {
			bv->bv_len -= k * PAGE_SIZE - bv->bv_offset;
			bv->bv_offset = 0;
			bv->bv_page += k;
		}
		break;
	}
	return bv - bvecs;
}

void put_page(struct page *page)
{
	if (page->refs-- < 2)
		wrong("put a page of the pipe's");
}

void memzero_page(struct page *page, size_t offset, size_t len)
{
	if (page == zero_page || offset + len > PAGE_SIZE)
		wrong("cleared %zu bytes at %zu", len, offset);
	memset(page->data + offset, 0, len);
}

/* Locks pages of files, dirty or not. */
void bio_set_pages_dirty(struct bio *bio)
{
	unsigned int i, k;

	may_sleep("bio_set_pages_dirty");
	for (i = 0; i < bio->bi_vcnt; i++)
		for (k = 0; k < bvec_pages(&bio->bi_io_vec[i]); k++)
			bio->bi_io_vec[i].bv_page[k].head->dirty = true;
}

bool is_vmalloc_or_module_addr(const void *addr)
{
	return (uintptr_t)addr >= VMALLOC_BASE &&
	       (uintptr_t)addr < VMALLOC_BASE + NR_PAGES * PAGE_SIZE;
}

bool virt_addr_valid(const void *addr)
{
	/* Some architectures say so of what is mapped elsewhere, too. */
	return is_vmalloc_or_module_addr(addr) ||
	       ((char *)addr >= data[0] && page_at((char *)addr - data[0], false) != NEVER);
}

struct page *virt_to_page(const void *addr)
{
	if (is_vmalloc_or_module_addr(addr))
		wrong("virt_to_page of vmalloc memory");
	return &pages[((char *)addr - data[0]) / PAGE_SIZE];
}

/*
 * Iterators
 */

/* A kvec is as an iovec is. */
static size_t seg_len(const struct iov_iter *iter)
{
	return iter->iter_type == ITER_BVEC ? iter->bvec->bv_len : iter->iov->iov_len;
}

void iov_iter_advance(struct iov_iter *iter, size_t bytes)
{
	if (bytes > iter->count)
		wrong("advanced %zu of %zu bytes", bytes, iter->count);
	iter->count -= bytes;
	bytes += iter->iov_offset;
	if (iter->iter_type == ITER_UBUF || iter->iter_type == ITER_PIPE) {
		iter->iov_offset = bytes;
		return;
	}
	while (iter->nr_segs && bytes >= seg_len(iter)) {
		bytes -= seg_len(iter);
		iter->nr_segs--;
		if (iter->iter_type == ITER_BVEC)
			iter->bvec++;
		else
			iter->iov++;
	}
	iter->iov_offset = bytes;
}

unsigned long iov_iter_alignment(const struct iov_iter *iter)
{
	return memory_bits();
}

ssize_t iov_iter_get_pages2(struct iov_iter *iter, struct page **to, size_t most, unsigned int nr,
			    size_t *offset)
{
	size_t len = 0;
	unsigned int i;

	may_sleep("iov_iter_get_pages2");
	stop_at_error(&now.pinned_after_error);
	others_run();
	if (iter->iter_type != ITER_PIPE)
		wrong("iov_iter_get_pages2 of memory that is no pipe");
	*offset = 0;
	for (i = 0; i < nr && len < most; i++, len += PAGE_SIZE) {
		int page = page_at(now.pipe_at * PAGE_SIZE, true);

		if (page == NEVER || (i && chance(40)))
			break;
		now.pipe_at++;
		pages[page].refs += 2;		/* the pipe's and the caller's */
		to[i] = &pages[page];
	}
	len = min(len, most);
	if (!len)
		return c.none_is_zero ? 0 : -EFAULT;
	iov_iter_advance(iter, len);
	return len;
}

/*
 * Files
 */

static void lock_inode(struct inode *ino)
{
	if (ino != &inode || now.lock_depth++)
		wrong("locked twice");
	inode.i_size = c.i_size;
	others_run();
}

void inode_lock_shared(struct inode *ino)
{
	may_sleep("inode_lock");
	if (c.nowait)
		wrong("waits for the inode's lock");
	lock_inode(ino);
}

int inode_trylock_shared(struct inode *ino)
{
	if (!c.nowait)
		wrong("does not wait for the inode's lock");
	if (c.busy)
		return 0;
	lock_inode(ino);
	return 1;
}

void inode_unlock_shared(struct inode *ino)
{
	if (ino != &inode || --now.lock_depth)
		wrong("unlocked twice");
	others_run();
}

void inode_dio_begin(struct inode *ino)
{
	if (ino != &inode || now.dio_count++)
		wrong("inode_dio_begin twice");
}

void inode_dio_end(struct inode *ino)
{
	if (ino != &inode || --now.dio_count)
		wrong("inode_dio_end twice");
}

/* Is it what the request covers that the page cache is asked for? */
static void check_range(struct address_space *m, loff_t start, loff_t end)
{
	if (m != &mapping || !now.lock_depth || start != (loff_t)c.pos ||
	    end + 1 < min_t(loff_t, c.pos + c.count, inode.i_size))
		wrong("looked for cached data from %jd to %jd", (intmax_t)start, (intmax_t)end);
}

int filemap_write_and_wait_range(struct address_space *m, loff_t start, loff_t end)
{
	may_sleep("writing back");
	if (c.nowait)
		wrong("waits for the page cache");
	check_range(m, start, end);
	now.wrote_back = true;
	return c.write_back_error;
}

bool filemap_range_needs_writeback(struct address_space *m, loff_t start, loff_t end)
{
	if (!c.nowait)
		wrong("does not write back");
	check_range(m, start, end);
	now.wrote_back = !c.soiled;
	return c.soiled;
}

void kiocb_invalidate_post_direct_write(struct kiocb *i, size_t count)
{
	may_sleep("invalidating");
	if (!c.write || now.invalidated || !now.dio_count || i->ki_pos != (loff_t)c.pos)
		wrong("invalidated %zu bytes at %jd", count, (intmax_t)i->ki_pos);
	now.invalidated = count;
}

ssize_t generic_write_sync(struct kiocb *i, ssize_t count)
{
	if (i->ki_flags & IOCB_DSYNC)
		may_sleep("fsync");
	if (!c.write || count <= 0 || i->ki_pos != (loff_t)c.pos + count)
		wrong("synced %zd bytes at %jd", count, (intmax_t)i->ki_pos);
	if (!now.syncing)
		wrong("an fsync in front of completions that its lock waits for");
	now.synced = count;
	return count;
}

static struct workqueue_struct *new_queue(void)
{
	if (now.nr_queues == MAX_QUEUES)
		wrong("too many work queues");
	queues[now.nr_queues].there = true;
	return &queues[now.nr_queues++];
}

struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags, int most, ...)
{
	may_sleep("alloc_workqueue");
	if (!(flags & WQ_MEM_RECLAIM))
		wrong("a queue that may deadlock on memory");
	if (!strcmp(fmt, "dio-sync") && flags & WQ_UNBOUND)
		return boot_without == QUEUE ? NULL : &sync_queue;
	if (strcmp(fmt, "dio/%s") || most)
		wrong("a queue %s of %d", fmt, most);
	if (c.wq_fails)
		return NULL;
	if (chance(4) && !sb.s_dio_done_wq)
		sb.s_dio_done_wq = new_queue();	/* another was faster */
	return new_queue();
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	if (!wq->there)
		wrong("destroyed a queue twice");
	wq->there = false;
}

/* The engine's, where it has one */
__attribute__((weak)) int sb_init_dio_done_wq(struct super_block *s)
{
	struct workqueue_struct *wq = alloc_workqueue("dio/%s", WQ_MEM_RECLAIM, 0, s->s_id);

	if (!wq)
		return -ENOMEM;
	if (s->s_dio_done_wq)
		destroy_workqueue(wq);
	else
		s->s_dio_done_wq = wq;
	return 0;
}

void schedule_work(struct work_struct *work)
{
	if (now.nr_works == MAX_WORKS)
		wrong("too many work items");
	if (!c.async)
		wrong("a synchronous I/O depends on a work item");
	now.works[now.nr_works++] = work;
}

void queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	if (wq == &sync_queue && now.dio_count)
		wrong("fsync is queued while its request is in i_dio_count");
	if (wq != &sync_queue && (!wq || wq != sb.s_dio_done_wq || !wq->there))
		wrong("work on no queue");
	now.to_sync = wq == &sync_queue ? work : NULL;
	schedule_work(work);
	got.works++;
}

static int get_block(struct inode *ino, sector_t block, struct buffer_head *bh, int create)
{
	struct mapping map;

	may_sleep("get_block");
	others_run();
	if (c.locking && !c.write && !now.lock_depth)
		wrong("mapped a block without the inode lock");
	if (ino != &inode || !now.dio_count || bh->b_state || bh->b_page || bh->b_blocknr ||
	    bh->b_bdev || !bh->b_size || bh->b_size & ((1UL << c.blkbits) - 1) ||
	    block >= c.nr_blocks)
		wrong("asked for %zu bytes at block %ju", bh->b_size, (uintmax_t)block);
	if ((uintptr_t)bh->b_private != got.private)
		wrong("b_private is not what get_block left there");
	if (!c.write && create)
		wrong("created blocks for a read");
	stop_at_error(&now.mapped_after_error);
	if (got.get_blocks++ == c.map_fails)
		return c.map_error;

	map = map_blocks(got.blocks, block, bh->b_size >> c.blkbits, create);
	got.private++;
	bh->b_private = (void *)(uintptr_t)got.private;
	if (map.mapped) {
		set_buffer_mapped(bh);
		bh->b_blocknr = map.where % (c.second_disk >> (c.blkbits - SECTOR_SHIFT));
		bh->b_bdev = &disks[bh->b_blocknr != map.where];
		bh->b_size = map.blocks << c.blkbits;
	} else if (c.report == HOLE_LENGTH) {
		bh->b_size = map.blocks << c.blkbits;
	} else if (c.report == HOLE_ZERO) {
		bh->b_size = 0;
	}
	if (map.fresh)
		set_buffer_new(bh);
	if (map.boundary)
		set_buffer_boundary(bh);
	if (c.defer)
		set_buffer_defer_completion(bh);
	return 0;
}

/* Were these blocks holes when the case began, and are now in the file? */
static bool is_new(unsigned int where, sector_t len)
{
	unsigned int i, nr = 0;

	for (i = 0; i < c.nr_blocks; i++)
		nr += c.blocks[i].hole && !got.blocks[i].hole && got.blocks[i].where >= where &&
		      got.blocks[i].where < where + len;
	return nr == len;
}

void clean_bdev_aliases(struct block_device *dev, sector_t block, sector_t len)
{
	may_sleep("clean_bdev_aliases");
	if ((dev != &disks[0] && dev != &disks[1]) || !len)
		wrong("cleaned aliases of %ju blocks at %ju", (uintmax_t)len, (uintmax_t)block);
	if (dev == &disks[1])
		block += c.second_disk >> (c.blkbits - SECTOR_SHIFT);
	if (!on_bio && !is_new(block, len))
		wrong("cleaned aliases of blocks that are not new, from %ju on", (uintmax_t)block);
	got.cleaned += len;
}

static int end_io(struct kiocb *i, loff_t pos, ssize_t bytes, void *private)
{
	if (c.defer && got.private && bytes)
		may_sleep("end_io of a deferred completion");
	if (now.rcu_depth || now.lock_depth)
		wrong("end_io under a lock");
	if (i != &iocb || pos != (loff_t)c.pos || got.end_io_called || !now.dio_count ||
	    now.invalidated)
		wrong("end_io out of order");
	if ((uintptr_t)private != got.private)
		wrong("end_io got b_private %p, the last was %ju", private, (uintmax_t)got.private);
	if (now.nr_in_flight)
		wrong("end_io before the last bio ended");
	got.end_io_called = true;
	got.end_io_bytes = bytes;
	return c.end_io_error;
}

static void ki_complete(struct kiocb *i, long ret)
{
	if (i != &iocb || now.completed || now.dio_count || now.rcu_depth)
		wrong("completed out of order");
	now.completed = true;
	got.ret = ret;
	got.ki_pos = i->ki_pos;
	/* Request and file may be gone. */
	ASAN_POISON_MEMORY_REGION(&iocb, sizeof(iocb));
	ASAN_POISON_MEMORY_REGION(&inode, sizeof(inode));
}

/*
 * bios
 */

int bioset_init(struct bio_set *set, unsigned int pool, unsigned int front_pad, int flags)
{
	if (!(flags & BIOSET_NEED_BVECS) || pool != BIO_POOL_SIZE)
		wrong("a pool of %u bios, flags %x", pool, flags);
	set->front_pad = front_pad;
	return boot_without == BIOS ? -ENOMEM : 0;
}

int bioset_integrity_create(struct bio_set *set, int pool)
{
	set->integrity = pool > 0;
	return boot_without == INTEGRITY ? -ENOMEM : 0;
}

void bio_init(struct bio *bio, struct block_device *dev, struct bio_vec *vecs, unsigned short nr,
	      blk_opf_t opf)
{
	*bio = (struct bio) {
		.bi_bdev = dev,
		.in_cgroup = dev,
		.bi_opf = opf,
		.bi_max_vecs = nr,
		.bi_io_vec = vecs,
	};
}

void bio_uninit(struct bio *bio)
{
	if (bio->refs)
		wrong("uninitialised a bio that was allocated");
}

/* One for each piece of the request, and for zeros in front and behind; @first: of its bios */
static unsigned int most_vecs(bool first)
{
	unsigned int unit = 1U << c.blkbits;
	unsigned int zeros = (c.pos | (c.pos + c.count)) % unit ? 2 : 0;

	/* Reads end with the block that the file ends in. */
	if (!c.write)
		zeros = 2;
	/* Of memory that was fetched and not used yet nobody knows whether it is one of them. */
	return c.count / PAGE_SIZE + 2 * (c.nr_segs + !first) + zeros;
}

struct bio *bio_alloc_bioset(struct block_device *dev, unsigned short nr, blk_opf_t opf, gfp_t gfp,
			     struct bio_set *set)
{
	size_t size = set->front_pad + sizeof(struct bio) + nr * sizeof(struct bio_vec);
	char *memory;
	struct bio *bio;

	if (set->front_pad && !set->integrity && INTEGRITY_POOLS)
		wrong("a first bio may find no memory for its integrity data");
	if (gfp == GFP_KERNEL)
		may_sleep("bio_alloc");
	else if (gfp != GFP_NOWAIT)
		wrong("allocated a bio with flags %x", gfp);
	others_run();
	if ((!nr && c.memory != KERNEL_BVEC) || nr > BIO_MAX_VECS || nr > most_vecs(set->front_pad))
		wrong("a bio of %u bio_vecs", nr);
	/* The pool is empty: somebody must give one back. Firsts of a struct dio have their own. */
	while (c.memory_tight && !set->front_pad && now.nr_pooled >= BIO_POOL_SIZE) {
		if (gfp == GFP_NOWAIT) {
			now.no_bio = true;
			return NULL;
		}
		if (!now.nr_in_flight && !now.nr_works)
			wrong("deadlock: nothing is in flight, and no bio will be free");
		something_happens();
	}
	memory = malloc(size);
	forget(memory, size);
	bio = (struct bio *)(memory + set->front_pad);
	bio_init(bio, dev, (struct bio_vec *)(bio + 1), nr, opf);
	bio->memory = memory;
	bio->refs = 1;
	now.nr_live++;
	now.nr_pooled += memory == (char *)bio;
	return bio;
}

struct bio *bio_alloc(struct block_device *dev, unsigned short nr, blk_opf_t opf, gfp_t gfp)
{
	struct bio_set none = { 0 };

	return bio_alloc_bioset(dev, nr, opf, gfp, &none);
}

/* What only completion in process context needs is not touched before that: it lies last. */
static void check_untouched(struct bio *bio)
{
	const u8 *work = (u8 *)bio - sizeof(struct work_struct);
	unsigned int i;

	if (bio->memory == bio || got.works)
		return;
	for (i = 0; i < sizeof(struct work_struct); i++)
		if (work[i] != c.poison)
			wrong("the work item was touched, and not used");
}

void bio_get(struct bio *bio)
{
	if (bio->refs < 1)
		wrong("held a bio with %d references", bio->refs);
	bio->refs++;
}

void bio_put(struct bio *bio)
{
	if (bio->refs < 1)
		wrong("put a bio with %d references", bio->refs);
	if (--bio->refs)
		return;
	if (!on_bio && !forgotten)
		check_untouched(bio);
	now.nr_live--;
	now.nr_pooled -= bio->memory == bio;
	free(bio->memory);
}

/* Disks lie one behind the other. */
static unsigned int sector_of(struct bio *bio)
{
	if (bio->bi_iter.bi_sector >= c.second_disk)
		wrong("sector %ju is past the end of the disk", (uintmax_t)bio->bi_iter.bi_sector);
	return bio->bi_iter.bi_sector + (bio->bi_bdev == &disks[1] ? c.second_disk : 0);
}

/* Look at a bio as a device would, @move: and do what it says. */
static void walk_bio(struct bio *bio, bool move)
{
	unsigned int sector = sector_of(bio), bytes = 0, i, k;
	unsigned int end = sector < c.second_disk ? c.second_disk : c.disk_sectors;

	for (i = 0; i < bio->bi_vcnt; i++) {
		struct bio_vec *bv = &bio->bi_io_vec[i];
		unsigned int first = bv->bv_offset / PAGE_SIZE;
		unsigned int last = (bv->bv_offset + bv->bv_len - 1) / PAGE_SIZE;

		if (!bv->bv_len || bv->bv_offset % SECTOR_SIZE || bv->bv_len % SECTOR_SIZE)
			wrong("a bio_vec of %u bytes at %u", bv->bv_len, bv->bv_offset);
		for (k = first; k <= last; k++) {
			struct page *page = bv->bv_page + k;

			if (page == zero_page)
				continue;
			if (c.memory <= USER_IOVEC && !page->head->pins)
				wrong("the disk uses a page that is not pinned");
			/* Others see that it is read into; who waits may say so later. */
			if (c.memory <= USER_IOVEC && !c.write && c.async && !move &&
			    !page->head->dirty)
				wrong("the disk writes to a page that is not dirty");
			if (c.memory == A_PIPE && !page->refs)
				wrong("the disk uses a page that is free");
			if (page_to_pfn(page) != page_to_pfn(bv->bv_page) + k)
				wrong("a bio_vec whose pages do not lie side by side");
		}
		for (k = 0; k < bv->bv_len; k += SECTOR_SIZE, sector++) {
			char *at = bv->bv_page->data + bv->bv_offset + k;

			if (sector >= end)
				wrong("sector %u is past the end of the disk", sector);
			if (move && c.write)
				memcpy(&got.disk[sector], at, SECTOR_SIZE);
			else if (move)
				memcpy(at, &got.disk[sector], SECTOR_SIZE);
		}
		bytes += bv->bv_len;
	}
	if (bytes != bio->bi_iter.bi_size || !bytes)
		wrong("a bio of %u bytes has %u in its bio_vecs", bio->bi_iter.bi_size, bytes);
}

static void end_bio(unsigned int i)
{
	struct bio *bio = now.in_flight[i];
	struct bio_record *record = now.record_of[i];

	now.nr_in_flight--;
	now.in_flight[i] = now.in_flight[now.nr_in_flight];
	now.record_of[i] = now.record_of[now.nr_in_flight];
	if (record->failed)
		bio->bi_status = c.bio_again && bio->bi_opf & REQ_NOWAIT ? BLK_STS_AGAIN :
				 BLK_STS_IOERR;
	else if (!on_bio)
		walk_bio(bio, true);
	/* Writeback may have cleaned the memory since. */
	if (!c.write && chance(4)) {
		struct bio_vec *bv = &bio->bi_io_vec[pick(bio->bi_vcnt)];

		bv->bv_page[pick(bvec_pages(bv))].head->dirty = false;
	}
	now.error_told |= record->failed;
	now.in_irq = true;
	bio->bi_end_io(bio);
	now.in_irq = false;
	ASAN_UNPOISON_MEMORY_REGION(now.io.from, now.io.to - now.io.from);
}

void submit_bio(struct bio *bio)
{
	blk_opf_t opf = c.write ? REQ_OP_WRITE | REQ_SYNC | REQ_IDLE : REQ_OP_READ;
	struct bio_record *r = &got.bios[got.nr_bios];

	may_sleep("submit_bio");
	if (c.nowait && c.write)
		opf |= REQ_NOWAIT;
	if (bio->bi_opf != opf || (bio->bi_bdev != &disks[0] && bio->bi_bdev != &disks[1]) ||
	    bio->bi_ioprio != c.priority || bio->bi_next || bio->bi_status ||
	    bio->bi_write_hint != (WRITE_HINTS ? c.hint : 0) || !bio->in_cgroup)
		wrong("submitted a bio with operation %x", bio->bi_opf);
	if (!now.dio_count)
		wrong("submitted a bio after inode_dio_end");
	if (!now.plug_depth)
		wrong("sent a bio, and no plug");
	if (!got.nr_bios && (uintptr_t)bio - (uintptr_t)bio->bi_private < 512) {
		now.io.from = bio->bi_private;
		now.io.to = (char *)(bio + 1);
	}
	if (on_bio) {
		on_bio(bio);
		r = got.bios;
	} else {
		walk_bio(bio, false);
		*r = (struct bio_record) {
			.sector = sector_of(bio),
			.bytes = bio->bi_iter.bi_size,
			.vecs = bio->bi_vcnt,
			.failed = (int)got.nr_bios == c.bio_fails ||
				  (int)got.nr_bios == c.bio_fails_too,
		};
	}
	if (now.nr_in_flight == MAX_BIOS || r == got.bios + MAX_BIOS - 1)
		wrong("too many bios");
	now.in_flight[now.nr_in_flight] = bio;
	now.record_of[now.nr_in_flight++] = r;
	got.nr_bios++;
	if (c.timing == AT_ONCE)
		end_bio(now.nr_in_flight - 1);
	others_run();
}

void blk_start_plug(struct blk_plug *plug)
{
	plug->depth = now.plug_depth++;
}

void blk_finish_plug(struct blk_plug *plug)
{
	if (plug->depth != --now.plug_depth)
		wrong("unplugged twice");
}

/*
 * A run
 */

void panic(const char *fmt, ...)
{
	if (boot_without == NOTHING)
		wrong("panic: %s", fmt);
	longjmp(panicked, 1);
}

/* Does it boot? Without memory it must not. */
static bool boots(enum boot_without what)
{
	boot_without = what;
	return !setjmp(panicked) && !dio_setup_at_boot();
}

void check_boot(void)
{
	if (boots(BIOS) || (INTEGRITY_POOLS && boots(INTEGRITY)) || boots(QUEUE))
		wrong("goes on without the memory it needs at boot");
}

static void make_world(void)
{
	unsigned int i;

	memset(&got, 0, offsetof(struct record, bios));
	memset(&now, 0, offsetof(typeof(now), in_flight));
	for (i = 0; i < c.disk_sectors; i++)
		got.disk[i] = old_data(i);
	memcpy(got.blocks, c.blocks, c.nr_blocks * sizeof(*c.blocks));
	if (!on_bio)
		fill_memory(data);
	zero_page = &pages[c.nr_pages];
	memset(data[c.nr_pages], 0, PAGE_SIZE);
	for (i = 0; i < c.nr_pages; i++) {
		unsigned int head = i - i % c.folio;

		pages[i] = (struct page) {
			.head = &pages[head], .data = data[i],
			.dirty = c.timing == SOON && head % 3,
		};
	}
	*zero_page = (struct page) { .head = zero_page, .data = data[c.nr_pages] };
	current = &submitter;
	submitter.state = TASK_RUNNING;
	for (i = 0; i < 2; i++)
		disks[i] = (struct block_device){ .lbits = c.lbits };
	on_xen = c.xen;
	with_kmsan = c.kmsan;
	sb = (struct super_block) { .s_bdev = &disks[0] };
	if (!c.wq_fails && chance(2))
		sb_init_dio_done_wq(&sb);
	mapping.nrpages = c.cached;
	file.f_mapping = &mapping;
	file.f_inode = &inode;
	inode = (struct inode) {
		.i_blkbits = c.blkbits, .i_sb = &sb, .i_mapping = &mapping,
		.i_size = c.locking && !c.write ? c.i_size_before : c.i_size,
		.i_write_hint = c.hint,
	};
	iocb = (struct kiocb) {
		.ki_filp = &file, .ki_pos = c.pos, .ki_ioprio = c.priority,
		.ki_complete = c.async ? ki_complete : NULL,
		.ki_flags = (c.nowait ? IOCB_NOWAIT : 0) | (c.dsync ? IOCB_DSYNC : 0),
	};
}

static void make_iter(struct iov_iter *iter, struct iovec *iov, struct bio_vec *bvec)
{
	/* By kind of memory; pages and pipes have no address. */
	static const struct {
		u8 type;
		uintptr_t base;
	} kinds[] = {
		{ ITER_UBUF, USER_BASE }, { ITER_IOVEC, USER_BASE }, { ITER_BVEC, 0 },
		{ ITER_KVEC, (uintptr_t)data }, { ITER_KVEC, VMALLOC_BASE }, { ITER_PIPE, 0 },
	};
	unsigned int i;

	*iter = (struct iov_iter) {
		.iter_type = kinds[c.memory].type, .nofault = c.nofault, .data_source = c.write,
		.count = c.count,
		/* as the kernel leaves it where it means nothing */
		.nr_segs = c.memory == USER_UBUF || c.memory == A_PIPE ? 0 : c.nr_segs,
	};
	for (i = 0; i < c.nr_segs; i++) {
		iov[i].iov_base = (void *)(kinds[c.memory].base + c.segs[i].start);
		iov[i].iov_len = c.segs[i].len;
		bvec[i].bv_page = &pages[c.segs[i].start / PAGE_SIZE];
		bvec[i].bv_offset = offset_in_page(c.segs[i].start);
		bvec[i].bv_len = c.segs[i].len;
	}
	if (c.memory == USER_UBUF)
		iter->ubuf = iov[0].iov_base;
	else if (c.memory == KERNEL_BVEC)
		iter->bvec = bvec;
	else
		iter->iov = iov;
}

/* All that was taken has been given back. */
static void check_given_back(void)
{
	unsigned int of_pipe = c.memory == A_PIPE, i;	/* references that the pipe keeps */

	for (i = 0; i < c.nr_pages; i++) {
		if (pages[i].pins || pages[i].refs > of_pipe)
			wrong("page %u is left with %u pins and %u references", i, pages[i].pins,
			      pages[i].refs);
		got.dirty[i] = pages[i].head->dirty;
	}
	if (zero_page->pins || zero_page->refs)
		wrong("the zero page is left with %u pins", zero_page->pins);
	for (i = 0; i < PAGE_SIZE; i++)
		if (zero_page->data[i])
			wrong("the zero page is not zero any more");
	if (now.nr_live || now.lock_depth || now.dio_count || now.plug_depth || now.rcu_depth ||
	    submitter.state != TASK_RUNNING)
		wrong("left: %u bios, %d locks, %d in i_dio_count, %d plugs, state %d", now.nr_live,
		      now.lock_depth, now.dio_count, now.plug_depth, submitter.state);
	for (i = 0; i < now.nr_queues; i++) {
		bool used = sb.s_dio_done_wq == &queues[i];

		if (queues[i].there != used)
			wrong("a work queue is %s", used ? "gone" : "lost");
	}
}

static void check_side_effects(void)
{
	size_t bytes = 0;
	unsigned int i;

	for (i = 0; i < got.nr_bios; i++)
		bytes += got.bios[i].bytes;
	if (now.accounted != (c.write ? bytes : 0))
		wrong("accounted %zu of %zu bytes", now.accounted, bytes);
	if (c.write && got.ret > 0 && (c.cached || !got.queued) &&
	    now.invalidated != (size_t)got.ret)
		wrong("invalidated %zu of %zd bytes", now.invalidated, got.ret);
	if (now.synced != (c.dsync && got.ret > 0 && got.queued ? (size_t)got.ret : 0))
		wrong("synced %zu of %zd bytes", now.synced, got.ret);
	if (got.ki_pos != (loff_t)(c.pos + (got.queued && got.ret > 0 ? got.ret : 0)))
		wrong("the position moved to %jd", (intmax_t)got.ki_pos);
	if (got.nr_bios && !c.write && c.locking && !now.wrote_back)
		wrong("read past what was to be written back");
}

/* Until all of it is over */
void run_request(get_block_t *map)
{
	struct iovec iov[MAX_SEGS];
	struct bio_vec bvec[MAX_SEGS];
	struct iov_iter iter;
	ssize_t ret;

	make_world();
	if (!boots(NOTHING))
		wrong("does not boot");
	make_iter(&iter, iov, bvec);
	ret = __blockdev_direct_IO(&iocb, &inode, c.has_bdev ? &disks[0] : NULL, &iter, map,
				   c.has_end_io ? end_io : NULL, (c.locking ? DIO_LOCKING : 0) |
				   (c.skip_holes ? DIO_SKIP_HOLES : 0));
	got.queued = ret == -EIOCBQUEUED;
	if (!got.queued)
		got.ret = ret;
	if (!got.queued && (now.nr_in_flight || (c.async ? got.works : now.nr_works)))
		wrong("returned %zd with bios in flight", ret);
	while (now.nr_in_flight)
		something_happens();
	/* The work item that marks pages dirty may wait for the page of somebody else. */
	if (got.queued && !got.works && !now.completed)
		wrong("not completed before pages are dirty again");
	while (now.nr_works)
		run_work();
	if (got.queued != now.completed)
		wrong("queued, but not completed");
	ASAN_UNPOISON_MEMORY_REGION(&iocb, sizeof(iocb));
	ASAN_UNPOISON_MEMORY_REGION(&inode, sizeof(inode));
	if (!got.queued)
		got.ki_pos = iocb.ki_pos;
	check_given_back();
}

void run_case(void)
{
	run_request(get_block);
	memcpy(got.memory, data, c.nr_pages * PAGE_SIZE);
	check_side_effects();
}
