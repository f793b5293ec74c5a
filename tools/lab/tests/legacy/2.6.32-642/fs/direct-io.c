/* SPDX-License-Identifier: GPL-2.0 */
/* The shape of fs/direct-io.c where submission has a struct of its own. */

struct dio_submit {
	struct bio *bio;
	int boundary;
	unsigned head;
};

struct dio {
	int rw;

	struct page *pages[DIO_PAGES];	/* not cleared */
} ____cacheline_aligned_in_smp;

static inline void dio_bio_submit(struct dio *dio, struct dio_submit *sdio)
{
	struct bio *bio = sdio->bio;

	if (sdio->submit_io)
		sdio->submit_io(dio->rw, bio);
	else
		submit_bio(dio->rw, bio);

	sdio->bio = NULL;
	sdio->boundary = 0;
	sdio->logical_offset_in_bio = 0;
}

static inline int dio_new_bio(struct dio *dio, struct dio_submit *sdio,
		sector_t start, struct buffer_head *map_bh)
{
	int ret;

	ret = dio_bio_reap(dio, sdio);
	if (ret)
		goto out;
	dio_bio_alloc(dio, sdio, map_bh->b_bdev, start, nr_pages);
	sdio->boundary = 0;
out:
	return ret;
}

static inline int dio_send_cur_page(struct dio *dio, struct dio_submit *sdio,
		struct buffer_head *map_bh)
{
	int ret = 0;

	if (sdio->bio) {
		loff_t next = sdio->logical_offset_in_bio + sdio->bio->bi_size;

		/* does it follow? */
		if (sdio->final_block_in_bio != sdio->cur_page_block ||
		    sdio->cur_page_fs_offset != next)
			dio_bio_submit(dio, sdio);
		/*
		 * This comment belongs to what goes away.
		 */
		else if (sdio->boundary)
			dio_bio_submit(dio, sdio);
	}

	if (sdio->bio == NULL) {
		ret = dio_new_bio(dio, sdio, sdio->cur_page_block, map_bh);
		if (ret)
			goto out;
	}
	dio_bio_add_page(sdio);
out:
	return ret;
}

static inline int
submit_page_section(struct dio *dio, struct dio_submit *sdio, struct page *page,
		    unsigned offset, unsigned len, sector_t blocknr,
		    struct buffer_head *map_bh)
{
	int ret = 0;

	if (sdio->cur_page == page && sdio->cur_page_end == offset) {
		sdio->cur_page_len += len;

		/*
		 * This one too.
		 */
		if (sdio->boundary) {
			ret = dio_send_cur_page(dio, sdio, map_bh);
			page_cache_release(sdio->cur_page);
			sdio->cur_page = NULL;
		}
		goto out;
	}

	if (sdio->cur_page) {
		ret = dio_send_cur_page(dio, sdio, map_bh);
		page_cache_release(sdio->cur_page);
		sdio->cur_page = NULL;
		if (ret)
			goto out;
	}

	page_cache_get(page);
	sdio->cur_page = page;
	sdio->cur_page_len = len;
	sdio->cur_page_block = blocknr;
out:
	return ret;
}

static int do_direct_IO(struct dio *dio, struct dio_submit *sdio,
			struct buffer_head *map_bh)
{
	struct page *page;
	int ret = 0;

	while (sdio->block_in_file < sdio->final_block_in_request) {
		unsigned this_chunk_blocks = sdio->blocks_available;
		unsigned bytes = this_chunk_blocks << sdio->blkbits;

		page = dio_get_page(dio, sdio);
		BUG_ON(bytes == 0);

		sdio->boundary = buffer_boundary(map_bh);
		ret = submit_page_section(dio, sdio, page, 0, bytes,
					  sdio->next_block, map_bh);
		if (ret)
			goto out;
		sdio->blocks_available -= this_chunk_blocks;
	}
out:
	return ret;
}

ssize_t __blockdev_direct_IO(int rw, struct inode *inode)
{
	struct dio_submit sdio = { 0, };
	struct buffer_head map_bh = { 0, };
	struct dio *dio;

	dio = kmem_cache_alloc(dio_cache, GFP_KERNEL);
	if (!dio)
		return -ENOMEM;
	memset(dio, 0, offsetof(struct dio, pages));
	return do_direct_IO(dio, &sdio, &map_bh);
}
