/* SPDX-License-Identifier: GPL-2.0 */

struct dio {
	/* the bio */
	struct bio *bio;
	int boundary;		/* of the block before */

	/* memory */
	int total_pages;	/* stays */
	unsigned long curr_user_address;/* moves */

	/*
	 * The pages, somewhere in the middle.
	 */
	struct page *pages[DIO_PAGES];	/* of user memory */
	unsigned head;			/* next one */
	unsigned tail;			/* last one */

	/* completion */
	spinlock_t bio_lock;
	ssize_t result;                 /* of all */
};

static void dio_bio_submit(struct dio *dio)
{
	struct bio *bio = dio->bio;

	bio->bi_private = dio;
	submit_bio(dio->rw, bio);

	dio->bio = NULL;
	dio->boundary = 0;
}

static int dio_new_bio(struct dio *dio, sector_t start, int nr_pages)
{
	int ret;

	ret = dio_bio_alloc(dio, dio->map_bh.b_bdev, start, nr_pages);
	dio->boundary = 0;
	return ret;
}

static int dio_send_cur_page(struct dio *dio)
{
	int ret = 0;

	if (dio->bio) {
		/* does it follow? */
		if (dio->final_block_in_bio != dio->cur_page_block)
			dio_bio_submit(dio);
		/*
		 * This comment belongs to what goes away.
		 */
		if (dio->boundary)
			dio_bio_submit(dio);
	}

	if (dio->bio == NULL) {
		ret = dio_new_bio(dio, dio->cur_page_block, 16);
		if (ret)
			goto out;
	}
	dio_bio_add_page(dio);
out:
	return ret;
}

static int
submit_page_section(struct dio *dio, struct page *page,
		unsigned offset, unsigned len, sector_t blocknr)
{
	int ret = 0;

	if (dio->cur_page == page && dio->cur_page_end == offset) {
		dio->cur_page_len += len;

		/*
		 * This one too.
		 */
		if (dio->boundary) {
			ret = dio_send_cur_page(dio);
			page_cache_release(dio->cur_page);
			dio->cur_page = NULL;
		}
		goto out;
	}

	if (dio->cur_page) {
		ret = dio_send_cur_page(dio);
		page_cache_release(dio->cur_page);
		dio->cur_page = NULL;
		if (ret)
			goto out;
	}

	page_cache_get(page);
	dio->cur_page = page;
	dio->cur_page_len = len;
	dio->cur_page_block = blocknr;
out:
	return ret;
}

static int do_direct_IO(struct dio *dio)
{
	struct buffer_head *map_bh = &dio->map_bh;
	struct page *page;
	int ret = 0;

	while (dio->block_in_file < dio->final_block_in_request) {
		unsigned this_chunk_blocks = dio->blocks_available;
		unsigned bytes = this_chunk_blocks << dio->blkbits;

		page = dio_get_page(dio);
		BUG_ON(bytes == 0);

		dio->boundary = buffer_boundary(map_bh);
		ret = submit_page_section(dio, page, 0, bytes, dio->next_block);
		if (ret)
			goto out;
		dio->blocks_available -= this_chunk_blocks;
	}
out:
	return ret;
}

static ssize_t direct_io_worker(int rw, struct inode *inode, struct dio *dio)
{
	dio->blocks_available = 0;
	dio->cur_page = NULL;

	dio->boundary = 0;
	dio->result = 0;
	return do_direct_IO(dio);
}

ssize_t __blockdev_direct_IO(int rw, struct inode *inode)
{
	ssize_t retval = -EINVAL;
	struct dio *dio;

	dio = kmalloc(sizeof(*dio), GFP_KERNEL);
	retval = -ENOMEM;
	if (!dio)
		goto out;

	retval = direct_io_worker(rw, inode, dio);
out:
	return retval;
}
