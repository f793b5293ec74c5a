/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the base's own fs/direct-io.c needs besides field.h: it is compiled as it is, from the
 * unpacked kernel, to be the "stock" of the field reports.
 */
#ifndef FIELD_STOCK_H
#define FIELD_STOCK_H

#include "field.h"

#define __read_mostly
#define ____cacheline_aligned_in_smp
#define ALIGN(x, to)		round_up(x, to)
#define module_init(f)		int f##_at_boot(void) { return f(); }

/* One thread; RCU does not end under a spinlock */
typedef int spinlock_t;
#define spin_lock_init(l)		((void)(l))
#define spin_lock_irqsave(l, f)		((void)(l), (f) = 0, rcu_read_lock())
#define spin_unlock_irqrestore(l, f)	((void)(l), (void)(f), rcu_read_unlock())
#define wake_up_process			blk_wake_io_task
#define inode_lock			inode_lock_shared
#define inode_unlock			inode_unlock_shared

enum req_op { NO_REQ_OP };
#define REQ_OP_MASK		0xffU

struct kmem_cache;
#define SLAB_PANIC		0
#define KMEM_CACHE(name, flags)	dio_cache_of(sizeof(struct name))
struct kmem_cache *dio_cache_of(size_t size);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp);
void kmem_cache_free(struct kmem_cache *cache, void *memory);

#define zero_user		memzero_page
#define unpin_user_page(page)	unpin_user_page_range_dirty_lock(page, 1, false)
void unpin_user_pages(struct page **pages, unsigned long nr);
#define iov_iter_npages(iter, most) \
	min_t(size_t, DIV_ROUND_UP((iter)->count, PAGE_SIZE), most)
#define generic_write_sync(iocb, count)	(count)

/* 6.1 holds a page where later ones pin it. */
#define get_page(page)			folio_add_pin((struct folio *)(page))
#define put_page(page)			unpin_user_page(page)
#define iov_iter_get_pages2(iter, pages, most, nr, from) \
	({ struct page **to_ = (pages); iov_iter_extract_pages(iter, &to_, most, nr, 0, from); })
typedef void dio_submit_t(struct bio *bio, struct inode *inode, loff_t pos);
#ifdef STOCK_SUBMIT_IO
#define __blockdev_direct_IO	blockdev_direct_IO_of_6_1
#endif

/* Later */
#define BIO_PAGE_PINNED		0
#define bio_set_flag(bio, flag)	((void)(bio))
#define file_inode(file)	((file)->f_inode)

int bio_add_page(struct bio *bio, struct page *page, unsigned int len, unsigned int offset);
void bio_release_pages(struct bio *bio, bool dirty);
void bio_check_pages_dirty(struct bio *bio);
int blk_status_to_errno(blk_status_t status);

#endif
