/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The kernel as fs/direct-io.c sees it
 *
 * Included in front of the real source by the compiler's command line; the kernel headers that the
 * source names are empty files. Everything is as in the kernel but for its scale: a page has 64
 * bytes, a sector 8, so that one number fills a sector and a case takes microseconds. There is one
 * thread; what other CPUs would do happens inside calls (world.c). field/ moves no data, and has
 * the kernel's scale (DIO_TRUE_SCALE).
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include "steps.h"

typedef uint8_t u8;
typedef uint64_t u64;
typedef uint64_t sector_t;
typedef unsigned long pgoff_t;
typedef unsigned int gfp_t, blk_opf_t, iov_iter_extraction_t;

#ifdef DIO_TRUE_SCALE
#define PAGE_SHIFT	12
#define SECTOR_SHIFT	9
#define BIO_MAX_VECS	256U

/* The engine clears memory by memset() only: it is counted. */
void *count_memset(void *to, int byte, size_t bytes);
#ifdef FIELD_ENGINE
#define memset	count_memset
#endif
#else
#define PAGE_SHIFT	6
#define SECTOR_SHIFT	3

/* What a bio can carry; in reach of a case, as BIO_MAX_VECS is. */
#undef UINT_MAX
#define UINT_MAX	6000U
#define BIO_MAX_VECS	64U
#endif
#define PAGE_SIZE	(1UL << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define SECTOR_SIZE	(1U << SECTOR_SHIFT)
#define BIO_POOL_SIZE	2

#define EIOCBQUEUED	529
#ifndef ENOTBLK
#define ENOTBLK		15
#endif

#define __user
#define __init
#define __ro_after_init
#define __uninitialized		__attribute__((__uninitialized__))
#define noinline		__attribute__((noinline))
#define unlikely(x)		(x)
#define likely(x)		(x)
#define offsetofend(t, m)	(offsetof(t, m) + sizeof(((t *)0)->m))
#define container_of(p, t, m)	((t *)((char *)(p) - offsetof(t, m)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))(y) - 1)) + 1)
#define offset_in_page(p)	((unsigned long)(p) & ~PAGE_MASK)
#define min(a, b)		({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max(a, b)		({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })
#define min_t(t, a, b)		min((t)(a), (t)(b))
#define max_t(t, a, b)		max((t)(a), (t)(b))
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define xchg(p, v)		({ __auto_type p_ = (p); __auto_type o_ = *p_; *p_ = (v); o_; })
#define smp_load_acquire(p)	({ others_run(); *(p); })
#define smp_store_release(p, v)	({ *(p) = (v); others_saw(p); })
#define cmpxchg(p, o, n)	({ __auto_type p_ = (p); __auto_type was_ = *p_; \
				   *p_ = was_ == (o) ? (n) : was_; was_; })
#define try_cmpxchg(p, o, n)	({ __auto_type p_ = (p); bool ok_ = *p_ == *(o); \
				   *(ok_ ? p_ : (o)) = ok_ ? (n) : *p_; ok_; })
#define static_assert(x)	_Static_assert(x, #x)
#define EXPORT_SYMBOL(x)	extern int exported_##x
#define EXPORT_SYMBOL_GPL	EXPORT_SYMBOL
#define fs_initcall(f)		int f##_at_boot(void) { return f(); } extern int f##_at_boot(void)
#define WARN_ON_ONCE(x)		({ bool bad_ = (x); if (bad_) wrong("WARN_ON(%s)", #x); bad_; })

void panic(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* What the other CPUs do between two lines of the engine, and after it let go of something */
void others_run(void);
void others_saw(const void *where);

typedef struct { int counter; } atomic_t;
#define atomic_set(a, v)	((a)->counter = (v))
#define atomic_read_acquire(a)	((a)->counter)
#define atomic_inc(a)		((a)->counter++)
bool atomic_dec_and_test(atomic_t *a);

/* Tasks */
struct task_struct;
extern struct task_struct *current;
#define TASK_RUNNING		0
#define TASK_UNINTERRUPTIBLE	2
void set_current_state(int state);
#define __set_current_state	set_current_state
void blk_io_schedule(void);
void blk_wake_io_task(struct task_struct *task);
void rcu_read_lock(void);
void rcu_read_unlock(void);
void task_io_account_write(size_t bytes);

/* Memory */
struct page {
	struct page *head;	/* of its folio */
	unsigned int pins, refs;
	bool dirty;
	char *data;
};

struct folio {
	struct page page;
};

#define FOLL_WRITE	0x01
#define FOLL_NOFAULT	0x20
#define GFP_KERNEL	0xcc0
#define GFP_NOWAIT	0x800
extern struct page *zero_page;
#define ZERO_PAGE(addr)	zero_page
unsigned long page_to_pfn(struct page *page);
int pin_user_pages_fast(unsigned long start, int nr, unsigned int gup, struct page **pages);
void folio_add_pin(struct folio *folio);
void unpin_user_page_range_dirty_lock(struct page *page, unsigned long nr, bool dirty);
struct bio_vec;
unsigned int unpin_user_bvecs(struct bio_vec *bvecs, unsigned int nr, bool only_dirty);
void put_page(struct page *page);
void memzero_page(struct page *page, size_t offset, size_t len);
#define page_folio(p)	((struct folio *)(p)->head)
bool virt_addr_valid(const void *addr);
bool is_vmalloc_or_module_addr(const void *addr);
struct page *virt_to_page(const void *addr);
extern bool on_xen, with_kmsan;
#define xen_domain()	on_xen
#define CONFIG_KMSAN	with_kmsan
#define CONFIG_SPARSEMEM		1	/* memmap has seams, see page_to_pfn() */
#define CONFIG_SPARSEMEM_VMEMMAP	0
#define IS_ENABLED(option)	(option)

/* Iterators */
#define READ	0
#define WRITE	1

struct iovec {
	void *iov_base;
	size_t iov_len;
};

struct kvec {
	void *iov_base;
	size_t iov_len;
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len, bv_offset;
};

enum iter_type { ITER_IOVEC, ITER_KVEC, ITER_BVEC, ITER_PIPE, ITER_UBUF };

struct iov_iter {
	u8 iter_type;
	bool nofault, data_source;
	size_t iov_offset, count;
	union {
		const struct iovec *iov;
		const struct kvec *kvec;
		const struct bio_vec *bvec;
		void *ubuf;
	};
	unsigned long nr_segs;
};

#define iov_iter_rw(i)		((i)->data_source ? WRITE : READ)
#define iov_iter_count(i)	((i)->count)
#define iter_is_iovec(i)		((i)->iter_type == ITER_IOVEC)
#define iter_is_ubuf(i)		((i)->iter_type == ITER_UBUF)
#define iov_iter_is_bvec(i)	((i)->iter_type == ITER_BVEC)
#define iov_iter_is_kvec(i)	((i)->iter_type == ITER_KVEC)
#define iov_iter_is_pipe(i)	((i)->iter_type == ITER_PIPE)
#define user_backed_iter(i)	((i)->iter_type == ITER_UBUF || (i)->iter_type == ITER_IOVEC)
void iov_iter_advance(struct iov_iter *iter, size_t bytes);
unsigned long iov_iter_alignment(const struct iov_iter *iter);
ssize_t iov_iter_get_pages2(struct iov_iter *iter, struct page **pages, size_t max,
			    unsigned int nr, size_t *offset);
ssize_t iov_iter_extract_pages(struct iov_iter *iter, struct page ***pages, size_t max,
			       unsigned int nr, iov_iter_extraction_t flags, size_t *offset);
#define iov_iter_extract_will_pin(i)	user_backed_iter(i)
#define iov_iter_is_xarray(i)	(false)

/* Files */
struct workqueue_struct;
struct work_struct {
	void (*func)(struct work_struct *work);
};

struct block_device;
struct super_block {
	struct workqueue_struct *s_dio_done_wq;
	char s_id[8];
	struct block_device *s_bdev;
	struct backing_dev_info *s_bdi;
};

int sb_init_dio_done_wq(struct super_block *sb);

struct address_space {
	unsigned long nrpages;
	struct inode *host;
	struct xarray {
		uint16_t *present;	/* of each page what ra_kernel.h says, or 0 */
		pgoff_t pages;
	} i_pages;
};

struct block_device {
	unsigned int lbits;
};

struct inode {
	unsigned int i_blkbits;
	struct super_block *i_sb;
	struct address_space *i_mapping;
	loff_t i_size;
	u8 i_write_hint;
};

struct file {
	struct address_space *f_mapping;
	struct inode *f_inode;
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
	void (*ki_complete)(struct kiocb *iocb, long ret);
	int ki_flags;
	unsigned short ki_ioprio;
};

#define IOCB_NOWAIT	0x08
#define IOCB_DSYNC	0x02
#define WQ_MEM_RECLAIM	8
#define WQ_UNBOUND	2
#define DIO_LOCKING	1
#define DIO_SKIP_HOLES	2
#define is_sync_kiocb(k)	(!(k)->ki_complete)
#define iocb_is_dsync(k)	(!!((k)->ki_flags & IOCB_DSYNC))
#define i_size_read(i)		((i)->i_size)
void inode_lock_shared(struct inode *inode);
int inode_trylock_shared(struct inode *inode);
void inode_unlock_shared(struct inode *inode);
void inode_dio_begin(struct inode *inode);
void inode_dio_end(struct inode *inode);
int filemap_write_and_wait_range(struct address_space *mapping, loff_t start, loff_t end);
bool filemap_range_needs_writeback(struct address_space *mapping, loff_t start, loff_t end);
void kiocb_invalidate_post_direct_write(struct kiocb *iocb, size_t count);
ssize_t generic_write_sync(struct kiocb *iocb, ssize_t count);
struct workqueue_struct *alloc_workqueue(const char *fmt, unsigned int flags, int max, ...);
void destroy_workqueue(struct workqueue_struct *wq);
void queue_work(struct workqueue_struct *wq, struct work_struct *work);
void schedule_work(struct work_struct *work);
#define INIT_WORK(w, f)	((w)->func = (f))
#define DECLARE_WORK(w, f)	struct work_struct w = { f }

/* Mappings */
enum bh_state_bits { BH_Mapped, BH_New, BH_Boundary, BH_Defer_Completion };

struct buffer_head {
	unsigned long b_state;
	struct page *b_page;
	sector_t b_blocknr;
	size_t b_size;
	struct block_device *b_bdev;
	void *b_private;
};

#define BH_FLAG(name, bit) \
static inline bool buffer_##name(const struct buffer_head *bh) \
{ return bh->b_state >> (bit) & 1; } \
static inline void set_buffer_##name(struct buffer_head *bh) \
{ bh->b_state |= 1UL << (bit); }
BH_FLAG(mapped, BH_Mapped)
BH_FLAG(new, BH_New)
BH_FLAG(boundary, BH_Boundary)
BH_FLAG(defer_completion, BH_Defer_Completion)

struct bio;
typedef int get_block_t(struct inode *inode, sector_t block, struct buffer_head *bh, int create);
typedef int dio_iodone_t(struct kiocb *iocb, loff_t pos, ssize_t bytes, void *private);
void clean_bdev_aliases(struct block_device *bdev, sector_t block, sector_t len);

/* bios */
#define REQ_OP_READ	0U
#define REQ_OP_WRITE	1U
#define REQ_SYNC	(1U << 11)
#define REQ_IDLE	(1U << 15)
#define REQ_NOWAIT	(1U << 20)
#define BLK_STS_AGAIN	12
#define BLK_STS_IOERR	10
#define BIOSET_NEED_BVECS	1
#define BIOSET_PERCPU_CACHE	4

struct bvec_iter {
	sector_t bi_sector;
	unsigned int bi_size;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	unsigned short bi_ioprio;
	u8 bi_write_hint, bi_status;
	struct bvec_iter bi_iter;
	void (*bi_end_io)(struct bio *bio);
	void *bi_private;
	unsigned short bi_vcnt, bi_max_vecs;
	bool in_cgroup;			/* it is of the task's */
	int refs;			/* 0: on the stack */
	struct bio_vec *bi_io_vec;
	void *memory;			/* what free() wants */
};

struct bio_set {
	unsigned int front_pad;
	bool integrity;
};

struct blk_plug {
	int depth;
};

void bio_init(struct bio *bio, struct block_device *bdev, struct bio_vec *vecs, unsigned short nr,
	      blk_opf_t opf);
void bio_uninit(struct bio *bio);
struct bio *bio_alloc_bioset(struct block_device *bdev, unsigned short nr, blk_opf_t opf, gfp_t gfp,
			     struct bio_set *set);
struct bio *bio_alloc(struct block_device *bdev, unsigned short nr, blk_opf_t opf, gfp_t gfp);
int bioset_init(struct bio_set *set, unsigned int pool, unsigned int front_pad, int flags);
int bioset_integrity_create(struct bio_set *set, int pool);
void bio_get(struct bio *bio);
void bio_put(struct bio *bio);
void bio_set_pages_dirty(struct bio *bio);
void submit_bio(struct bio *bio);
void blk_start_plug(struct blk_plug *plug);
void blk_finish_plug(struct blk_plug *plug);
#define blksize_bits(size)		__builtin_ctz(size)
#define bdev_logical_block_size(bdev)	(1U << (bdev)->lbits)
#define bio_set_dev(bio, bdev)	((bio)->bi_bdev = (bdev), (bio)->in_cgroup = true)
#define bio_end_sector(bio) \
	((bio)->bi_iter.bi_sector + ((bio)->bi_iter.bi_size >> SECTOR_SHIFT))
#define bio_max_segs(nr)	min_t(unsigned int, nr, BIO_MAX_VECS)
#define bvec_set_page(bv, page, len, offset) \
	(*(bv) = (struct bio_vec){ .bv_page = (page), .bv_len = (len), .bv_offset = (offset) })

#endif
