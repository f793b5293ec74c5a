// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: A kernel for the field reports
 *
 * As much of it as the engine needs for reads and writes of user memory, in which nothing fails
 * (what fails is world.c's). No data is moved: 2 MiB of pages are behind all user addresses, again
 * and again. A bio ends at once, or when the modelled array (array.h) has moved it; a task that
 * waits lets the array's time pass. memset() by the engine is counted, and struct dio begins as a
 * pattern, so that what is written to it shows.
 */
#include <stdlib.h>
#include "field.h"
#include "array.h"

#define USER_PAGES	512
#define PATTERN(i)	((u8)(0xa5 ^ ((i) & 1 ? 0xff : 0)))

struct task_struct {
	int state;
};

struct workqueue_struct {
	int unused;
};

extern ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode,
				    struct block_device *bdev, struct iov_iter *iter,
				    get_block_t *get_block, dio_iodone_t *end_io, int flags);
extern int dio_setup_at_boot(void);

struct seen seen;
struct array *array;
bool huge;
void (*look_at_bio)(struct bio *bio);
struct block_device the_disk;

static struct task_struct submitter;
struct task_struct *current = &submitter;
static struct page pages[USER_PAGES + 1];
struct page *zero_page = &pages[USER_PAGES];
static struct super_block sb = { .s_bdev = &the_disk };
static struct address_space mapping;
static struct file opened = { .f_mapping = &mapping };
static struct workqueue_struct queue;
static long live, pins, dios, locks;

/* What only other I/Os than ours would call */
#define NOT_HERE(name)	wrong("%s: not for an I/O of these reports", name)

void *count_memset(void *to, int byte, size_t bytes)
{
	seen.cleared += bytes;
	return memset(to, byte, bytes);
}

/* Tasks: one CPU */

void others_run(void)
{
}

void others_saw(const void *where)
{
}

bool atomic_dec_and_test(atomic_t *a)
{
	return !--a->counter;
}

void panic(const char *fmt, ...)
{
	NOT_HERE(__func__);
}

void set_current_state(int state)
{
	submitter.state = state;
}

void blk_io_schedule(void)
{
	if (submitter.state != TASK_RUNNING && !(array && array_step(array)))
		wrong("the submitter waits for ever");
}

void blk_wake_io_task(struct task_struct *task)
{
	task->state = TASK_RUNNING;
}

void rcu_read_lock(void)
{
}

void rcu_read_unlock(void)
{
}

void task_io_account_write(size_t bytes)
{
}

/* Memory */

/* Pages from behind are never side by side. */
struct page *user_page(unsigned long addr)
{
	unsigned long nr = (addr - USER_BASE) / PAGE_SIZE % USER_PAGES;

	return &pages[huge ? nr : USER_PAGES - 1 - nr];
}

unsigned long page_to_pfn(struct page *page)
{
	return page - pages;
}

bool xen_domain(void)
{
	return false;
}

bool kmsan(void)
{
	return false;
}

int pin_user_pages_fast(unsigned long start, int nr, unsigned int gup, struct page **to)
{
	int i;

	for (i = 0; i < nr; i++)
		to[i] = user_page(start + i * PAGE_SIZE);
	pins += nr;
	return nr;
}

void folio_add_pin(struct folio *folio)
{
	pins++;
}

void unpin_user_page_range_dirty_lock(struct page *page, unsigned long nr, bool dirty)
{
	pins -= nr;
}

void unpin_user_page(struct page *page)
{
	pins--;
}

void unpin_user_pages(struct page **which, unsigned long nr)
{
	pins -= nr;
}

unsigned int unpin_user_bvecs(struct bio_vec *bvecs, unsigned int nr, bool dirty)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		pins -= DIV_ROUND_UP(bvecs[i].bv_offset + bvecs[i].bv_len, PAGE_SIZE);
	return nr;
}

/* How stock's of 6.1 holds a page */
void get_page(struct page *page)
{
	pins++;
}

void put_page(struct page *page)
{
	pins--;
}

void memzero_page(struct page *page, size_t offset, size_t len)
{
	NOT_HERE(__func__);
}

void bio_set_pages_dirty(struct bio *bio)
{
}

struct folio *page_folio(struct page *page)
{
	return (struct folio *)page;
}

bool is_vmalloc_or_module_addr(const void *addr)
{
	NOT_HERE(__func__);
}

bool virt_addr_valid(const void *addr)
{
	NOT_HERE(__func__);
}

struct page *virt_to_page(const void *addr)
{
	NOT_HERE(__func__);
}

/* Iterators: one piece of user memory */

void iov_iter_advance(struct iov_iter *iter, size_t bytes)
{
	if (bytes > iter->count)
		wrong("advanced %zu of %zu bytes", bytes, iter->count);
	iter->count -= bytes;
	iter->iov_offset += bytes;
}

unsigned long iov_iter_alignment(const struct iov_iter *iter)
{
	return (unsigned long)iter->ubuf | iter->count;
}

ssize_t iov_iter_extract_pages(struct iov_iter *iter, struct page ***to, size_t most,
			       unsigned int nr, iov_iter_extraction_t flags, size_t *offset)
{
	unsigned long addr = (unsigned long)iter->ubuf + iter->iov_offset;
	size_t len;

	*offset = offset_in_page(addr);
	len = min3(iter->count, most, nr * PAGE_SIZE - *offset);
	pin_user_pages_fast(addr - *offset, DIV_ROUND_UP(*offset + len, PAGE_SIZE), 0, *to);
	iov_iter_advance(iter, len);
	return len;
}

/* Only stock's of 6.1 asks so. */
ssize_t iov_iter_get_pages2(struct iov_iter *iter, struct page **to, size_t most, unsigned int nr,
			    size_t *offset)
{
	return iov_iter_extract_pages(iter, &to, most, nr, 0, offset);
}

int iov_iter_npages(const struct iov_iter *iter, int most)
{
	unsigned long addr = (unsigned long)iter->ubuf + iter->iov_offset;

	return min_t(size_t, DIV_ROUND_UP(offset_in_page(addr) + iter->count, PAGE_SIZE), most);
}

/* Files */

void inode_lock_shared(struct inode *inode)
{
	locks++;
}

void inode_unlock_shared(struct inode *inode)
{
	locks--;
}

void inode_dio_begin(struct inode *inode)
{
	dios++;
}

void inode_dio_end(struct inode *inode)
{
	dios--;
}

int inode_trylock_shared(struct inode *inode)
{
	locks++;
	return 1;
}

int filemap_write_and_wait_range(struct address_space *mapping, loff_t start, loff_t end)
{
	return 0;
}

bool filemap_range_needs_writeback(struct address_space *mapping, loff_t start, loff_t end)
{
	return false;
}

void kiocb_invalidate_post_direct_write(struct kiocb *iocb, size_t count)
{
}

ssize_t generic_write_sync(struct kiocb *iocb, ssize_t count)
{
	return count;
}

struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags, int most, ...)
{
	return &queue;
}

/* The engine's, where it has one */
__attribute__((weak)) int sb_init_dio_done_wq(struct super_block *s)
{
	s->s_dio_done_wq = &queue;
	return 0;
}

void destroy_workqueue(struct workqueue_struct *wq)
{
}

void queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	NOT_HERE(__func__);
}

void schedule_work(struct work_struct *work)
{
	NOT_HERE(__func__);
}

void clean_bdev_aliases(struct block_device *bdev, sector_t block, sector_t len)
{
}

/* bios */

int bioset_init(struct bio_set *set, unsigned int pool, unsigned int front_pad, int flags)
{
	set->front_pad = front_pad;
	return 0;
}

int bioset_integrity_create(struct bio_set *set, int pool)
{
	return 0;
}

void bio_init(struct bio *bio, struct block_device *bdev, struct bio_vec *vecs, unsigned short nr,
	      blk_opf_t opf)
{
	*bio = (struct bio){
		.bi_bdev = bdev, .bi_opf = opf, .bi_max_vecs = nr, .bi_io_vec = vecs,
	};
}

void bio_uninit(struct bio *bio)
{
}

/* Of every other one the pattern is turned round: a byte written may be like one of the two. */
unsigned int mark_struct(u8 *memory, size_t bytes)
{
	unsigned int i, way = seen.structs++ % 2;

	if (bytes > MAX_STRUCT)
		wrong("a struct dio of %zu bytes", bytes);
	seen.dio_bytes = bytes;
	for (i = 0; i < bytes; i++)
		memory[i] = PATTERN(i + way);
	return way;
}

void look_at_struct(const u8 *memory, unsigned int way)
{
	unsigned int i;

	for (i = 0; i < seen.dio_bytes; i++)
		seen.touched[i] |= memory[i] != PATTERN(i + way);
}

struct bio *bio_alloc_bioset(struct block_device *bdev, unsigned short nr, blk_opf_t opf, gfp_t gfp,
			     struct bio_set *set)
{
	u8 *memory = malloc(set->front_pad + sizeof(struct bio) + nr * sizeof(struct bio_vec));
	struct bio *bio = (struct bio *)(memory + set->front_pad);

	if (!memory)
		wrong("no memory");
	bio_init(bio, bdev, (struct bio_vec *)(bio + 1), nr, opf);
	bio->memory = memory;
	bio->refs = set->front_pad ? mark_struct(memory, set->front_pad) : 0;
	live++;
	return bio;
}

struct bio *bio_alloc(struct block_device *bdev, unsigned short nr, blk_opf_t opf, gfp_t gfp)
{
	struct bio_set none = { 0 };

	return bio_alloc_bioset(bdev, nr, opf, gfp, &none);
}

void bio_get(struct bio *bio)
{
	NOT_HERE(__func__);
}

void bio_put(struct bio *bio)
{
	if (bio->memory != bio)
		look_at_struct(bio->memory, bio->refs);
	live--;
	free(bio->memory);
}

static void bio_moved(struct transfer *transfer)
{
	struct bio *bio = transfer->owner;

	free(transfer);
	bio->bi_end_io(bio);
}

void submit_bio(struct bio *bio)
{
	struct transfer *transfer;

	seen.bios++;
	seen.bytes += bio->bi_iter.bi_size;
	if (look_at_bio)
		look_at_bio(bio);
	if (!array) {
		bio->bi_end_io(bio);
		return;
	}
	transfer = malloc(sizeof(*transfer));
	if (!transfer)
		wrong("no memory");
	*transfer = (struct transfer){ .done = bio_moved, .owner = bio };
	array_submit(array, bio->bi_iter.bi_sector, bio->bi_iter.bi_size >> SECTOR_SHIFT,
		     bio->bi_opf & REQ_OP_WRITE, transfer);
}

bool bdev_wants_plug(struct block_device *bdev)
{
	return false;
}

void blk_start_plug(struct blk_plug *plug)
{
}

void blk_finish_plug(struct blk_plug *plug)
{
}

unsigned int blksize_bits(unsigned int size)
{
	return __builtin_ctz(size);
}

unsigned int bdev_logical_block_size(struct block_device *bdev)
{
	return SECTOR_SIZE;
}

/* One request */

void boot(void)
{
	dio_setup_at_boot();
}

/* As ext2 asks for it, but that holes are filled here and not by way of the page cache */
ssize_t direct_io(struct kiocb *iocb, struct inode *inode, bool write, size_t bytes,
		  get_block_t *get_block)
{
	struct iov_iter iter = {
		.iter_type = ITER_UBUF, .data_source = write, .count = bytes,
		.ubuf = (void *)USER_BASE,
	};

	inode->i_sb = &sb;
	inode->i_mapping = &mapping;
	opened.f_inode = inode;
	iocb->ki_filp = &opened;
	return __blockdev_direct_IO(iocb, inode, &the_disk, &iter, get_block, NULL, DIO_LOCKING);
}

void check_all_given_back(void)
{
	if (live || pins || dios || locks)
		wrong("left: %ld bios, %ld pins, %ld in i_dio_count, %ld locks", live, pins, dios,
		      locks);
}
