// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct writes of one block that is mapped and was written before
 */

/**
 * DOC: Overwriting a block
 *
 * iomap_dio_rw() is made for any request: it has memory of its own for each, goes from mapping to
 * mapping, counts the bios in flight, and knows of blocks to be zeroed or converted, and of files
 * that grow. A synchronous write of a block that is mapped and was written needs none of that, and
 * it is what databases and virtual disks do once their files are full.
 *
 * Such a write begins as any does: what is cached of the block is written and dropped, and the
 * inode counts one more direct I/O, which truncation waits for. The file system maps the block as
 * for a read, so that it allocates nothing. If the block is what this is for, its memory is pinned
 * by a bio on the stack, which the task waits for; then the pins are dropped, the file system is
 * told, and what was cached in the meantime is dropped again. If it is not, or anything fails on
 * the way to the disk, iomap_dio_rw() does it all from the beginning, and tells of the error.
 *
 * The caller holds inode->i_rwsem, for reading at least, until the disk has answered: so the block
 * stays mapped, and no other file comes to share it.
 */

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/fserror.h>
#include <linux/iomap.h>
#include <linux/task_io_accounting_ops.h>
#include <linux/uio.h>

#include "internal.h"
#include "trace.h"

/* A block whose memory is in more pieces is left to iomap_dio_rw(). */
#define OVERWRITE_VECS	4

/* Is it a block, or a part of it, that a write leaves where and what it is? */
static bool is_overwrite(const struct iomap *iomap, loff_t pos, size_t len)
{
	if (iomap->type != IOMAP_MAPPED)
		return false;
	if (iomap->flags & (IOMAP_F_NEW | IOMAP_F_SHARED | IOMAP_F_INTEGRITY))
		return false;
	if (iomap->offset + iomap->length < pos + len)
		return false;
	return !((pos | len) & (bdev_logical_block_size(iomap->bdev) - 1));
}

/*
 * Pin all of the block's memory. Where that fails nothing is pinned: iomap_dio_rw() finds out why,
 * or has room for more pieces.
 */
static bool pin_block(struct bio *bio, struct iov_iter *iter)
{
	struct block_device *bdev = bio->bi_bdev;
	size_t len = iov_iter_count(iter);
	int err;

	err = bio_iov_iter_get_pages(bio, iter, bdev_dma_alignment(bdev),
				     bdev_logical_block_size(bdev) - 1);
	if (likely(!err && bio->bi_iter.bi_size == len))
		return true;
	iov_iter_revert(iter, bio->bi_iter.bi_size);
	bio_release_pages(bio, false);
	return false;
}

static ssize_t write_block(struct kiocb *iocb, struct iov_iter *iter, const struct iomap *iomap,
			   const struct iomap_dio_ops *dops)
{
	struct bio_vec vecs[OVERWRITE_VECS] __uninitialized;
	struct inode *inode = file_inode(iocb->ki_filp);
	size_t len = iov_iter_count(iter);
	loff_t pos = iocb->ki_pos;
	struct bio bio __uninitialized;
	ssize_t ret = -ENOTBLK;
	int err;

	bio_init(&bio, iomap->bdev, vecs, OVERWRITE_VECS, REQ_OP_WRITE | REQ_SYNC | REQ_IDLE);
	bio.bi_iter.bi_sector = iomap_sector(iomap, pos);
	bio.bi_write_hint = inode->i_write_hint;
	bio.bi_ioprio = iocb->ki_ioprio;
	trace_iomap_dio_rw_begin(iocb, iter, 0, 0);
	if (unlikely(!pin_block(&bio, iter)))
		goto out;

	task_io_account_write(len);
	err = submit_bio_wait(&bio);
	bio_release_pages(&bio, false);

	ret = err;
	if (dops && dops->end_io)
		ret = dops->end_io(iocb, len, err, 0);
	if (unlikely(err))
		fserror_report_io(inode, FSERR_DIRECTIO_WRITE, pos, len, err, GFP_NOFS);
	else
		kiocb_invalidate_post_direct_write(iocb, len);
	if (!ret) {
		ret = len;
		iocb->ki_pos += len;
	}
	trace_iomap_dio_complete(iocb, err, ret);
out:
	bio_uninit(&bio);
	return ret;
}

/**
 * __iomap_dio_overwrite() - the part of iomap_dio_overwrite() behind the mapping
 * @iocb: the request
 * @iter: the memory; as it was if -ENOTBLK is returned
 * @iomap: where the block lies
 * @dops: whose end_io is called; or NULL
 *
 * Context: may sleep; inode_dio_begin() was called, and what it began is ended here.
 * Return: as iomap_dio_overwrite() does.
 */
ssize_t __iomap_dio_overwrite(struct kiocb *iocb, struct iov_iter *iter,
			      const struct iomap *iomap, const struct iomap_dio_ops *dops)
{
	ssize_t ret = -ENOTBLK;

	if (is_overwrite(iomap, iocb->ki_pos, iov_iter_count(iter)))
		ret = write_block(iocb, iter, iomap, dops);
	inode_dio_end(file_inode(iocb->ki_filp));
	return ret;
}
EXPORT_SYMBOL_GPL(__iomap_dio_overwrite);
