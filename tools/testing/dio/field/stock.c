// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: What else stock calls
 *
 * As world.c, for the functions that the base's own engine needs and ours does not.
 */
#include <stdlib.h>
#include "stock.h"
#include "../world.h"

struct kmem_cache {
	size_t size;
};

int dio_init_at_boot(void);

int dio_setup_at_boot(void)
{
	return dio_init_at_boot();
}

struct kmem_cache *dio_cache_of(size_t size)
{
	static struct kmem_cache cache;

	cache.size = size;
	return &cache;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	void *memory = malloc(cache->size);

	if (!memory)
		wrong("no memory");
	return memset(memory, c.poison, cache->size);
}

void kmem_cache_free(struct kmem_cache *cache, void *memory)
{
	on_free(memory, cache->size);
	free(memory);
}

void unpin_user_pages(struct page **pages, unsigned long nr)
{
	while (nr--)
		unpin_user_page(pages[nr]);
}

#ifdef STOCK_SUBMIT_IO
#undef __blockdev_direct_IO
ssize_t blockdev_direct_IO_of_6_1(struct kiocb *iocb, struct inode *inode,
				  struct block_device *bdev, struct iov_iter *iter,
				  get_block_t *get_block, dio_iodone_t *end_io,
				  dio_submit_t *submit_io, int flags);

ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode, struct block_device *bdev,
			     struct iov_iter *iter, get_block_t *get_block, dio_iodone_t *end_io,
			     int flags)
{
	return blockdev_direct_IO_of_6_1(iocb, inode, bdev, iter, get_block, end_io, NULL, flags);
}
#endif

int bio_add_page(struct bio *bio, struct page *page, unsigned int len, unsigned int offset)
{
	struct bio_vec *bv = &bio->bi_io_vec[bio->bi_vcnt];
	unsigned int end = bio->bi_vcnt ? bv[-1].bv_offset + bv[-1].bv_len : 0;

	if (end && bv[-1].bv_page + end / PAGE_SIZE == page && offset_in_page(end) == offset) {
		bv[-1].bv_len += len;
	} else {
		if (bio->bi_vcnt == bio->bi_max_vecs)
			return 0;
		bvec_set_page(bv, page, len, offset);
		bio->bi_vcnt++;
	}
	bio->bi_iter.bi_size += len;
	return len;
}

void bio_release_pages(struct bio *bio, bool dirty)
{
	struct bio_vec *bv;
	unsigned int i, k;

	bio_for_each_bvec_all(bv, bio, i)
		for (k = 0; k < DIV_ROUND_UP(bv->bv_offset + bv->bv_len, PAGE_SIZE); k++)
			put_page(bv->bv_page + k);
}

void bio_check_pages_dirty(struct bio *bio)
{
	bio_release_pages(bio, false);
	bio_put(bio);
}

int blk_status_to_errno(blk_status_t status)
{
	return status ? -EIO : 0;
}
