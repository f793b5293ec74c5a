// SPDX-License-Identifier: GPL-2.0
/*
 * Raw devices: /dev/raw/rawN, a character device bound to a block device
 *
 * DOC: What it does
 *
 * A raw device moves data between user memory and a disk with no page cache and no inode lock
 * between. /dev/raw/rawctl binds minor N to a disk; whoever opens /dev/raw/rawN then holds that
 * disk exclusively, together with all other openers of raw devices.
 *
 * DOC: The life of one I/O
 *
 * raw_read_iter() or raw_write_iter() clips the request to the size of the disk, checks its
 * alignment and brings the disk's page cache in line if there is one. raw_bio_fill() pins user
 * memory (FOLL_PIN, so that a fork cannot divert the data) and puts it into a bio, one bio_vec for
 * each physically contiguous run. From there:
 *
 * - a synchronous request of up to RAW_INLINE_VECS pages has its bio and bio_vecs on the stack,
 *   waits, and unpins;
 * - any other lives in a struct raw_io around its first bio, sends as many bios as it needs, and
 *   is completed by whichever ends last. After a read, memory has to be marked dirty, which may
 *   sleep: a bio whose pages are not all dirty yet ends in a work item, but for the first bio of a
 *   synchronous request, which its submitter unpins.
 *
 * DOC: Locking and lifetime
 *
 * raw_lock guards the table of bindings and the open counts; no I/O takes it. A binding is a
 * number (dev_t) and the disk's sequence number: it keeps neither disk nor driver busy, and does
 * not lead to another disk that got the same number later. While rawN is open, its block device is
 * open too, so file->private_data stays valid for every I/O; a disk that was pulled fails them.
 * A raw_io has one reference for its submitter and one for each bio in flight; the last one frees
 * the first bio, and with it the raw_io.
 */

#define pr_fmt(fmt) "raw: " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/cdev.h>
#include <linux/compat.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/raw.h>
#include <linux/task_io_accounting_ops.h>
#include <linux/uio.h>
#include <linux/workqueue.h>
#include <xen/xen.h>

/* Pages of a request served from the stack: 256 bytes of bio_vecs. */
#define RAW_INLINE_VECS		16

/**
 * struct raw_binding - what /dev/raw/rawN leads to
 * @dev: number of the block device, 0 when unbound
 * @diskseq: sequence number of the disk that @dev meant when it was bound
 * @openers: open files; a binding in use cannot be changed
 */
struct raw_binding {
	dev_t dev;
	u64 diskseq;
	unsigned int openers;
};

/**
 * struct raw_io - a request that outlives its stack frame or needs several bios
 * @iocb: who is told when the request is asynchronous
 * @waiter: who is woken when it is not; NULL once all is done
 * @size: bytes sent to the disk
 * @ref: bios in flight, and the submitter
 * @status: an error of any bio; whichever, when several fail at once
 * @sync: @waiter is valid, not @iocb
 * @work: where this bio's memory is marked dirty if its end must not sleep
 * @bio: the first bio. Later ones come from the same pool and use only @work of theirs.
 */
struct raw_io {
	union {
		struct kiocb *iocb;
		struct task_struct *waiter;
	};
	size_t size;
	atomic_t ref;
	blk_status_t status;
	bool sync;
	struct work_struct work;
	struct bio bio;
};

static int max_raw_minors = CONFIG_MAX_RAW_DEVS;
module_param(max_raw_minors, int, 0444);
MODULE_PARM_DESC(max_raw_minors, "Number of raw minors, rawctl included (2-65536)");

static DEFINE_MUTEX(raw_lock);
static struct raw_binding *raw_bindings;
static struct bio_set raw_bio_set;
static struct class *raw_class;
static struct cdev raw_ctl_cdev;
static struct cdev raw_cdev;

/*
 * Memory
 */

static void raw_bio_unpin(struct bio *bio, bool dirty)
{
	struct bio_vec *bv;
	int i;

	/* Memory that came as bio_vecs belongs to the caller. */
	if (bio_flagged(bio, BIO_NO_PAGE_REF))
		return;

	bio_for_each_bvec_all(bv, bio, i)
		unpin_user_page_range_dirty_lock(bv->bv_page,
						 DIV_ROUND_UP(bv->bv_offset + bv->bv_len,
							      PAGE_SIZE), dirty);
}

/* Can the memory of a finished read be released without marking it dirty first? */
static bool raw_bio_all_dirty(struct bio *bio)
{
	struct folio_iter fi;

	if (bio_flagged(bio, BIO_NO_PAGE_REF))
		return true;

	bio_for_each_folio_all(fi, bio)
		if (!folio_test_dirty(fi.folio))
			return false;
	return true;
}

/* The rest of the first segment that is not empty. */
static unsigned long raw_iter_segment(struct iov_iter *iter, size_t *len)
{
	struct iovec iov;

	if (iter_is_ubuf(iter)) {
		*len = iov_iter_count(iter);
		return (unsigned long)iter->ubuf + iter->iov_offset;
	}

	iov_iter_advance(iter, 0);
	iov = iov_iter_iovec(iter);
	*len = iov.iov_len;
	return (unsigned long)iov.iov_base;
}

/*
 * Add @bytes that start @offset into the first of @pages, a bio_vec for each contiguous run. Every
 * pinned page is in the bio once for each pin, so that what unpins it needs no other record. The
 * caller pinned no more pages than there are bio_vecs free.
 */
static void raw_bio_add(struct bio *bio, struct page **pages, unsigned int offset, size_t bytes)
{
	struct bio_vec *bv = bio->bi_io_vec + bio->bi_vcnt;
	struct page *next = NULL;

	bio->bi_iter.bi_size += bytes;
	for (; bytes; pages++) {
		unsigned int len = min_t(size_t, bytes, PAGE_SIZE - offset);
		struct page *page = *pages;

		/* Side by side as struct pages and as memory; under Xen one cannot tell. */
		if (page == next && page_to_pfn(page) == page_to_pfn(page - 1) + 1 && !xen_domain())
			bv[-1].bv_len += len;
		else
			bvec_set_page(bv++, page, len, offset);
		next = page + 1;
		bytes -= len;
		offset = 0;
	}
	bio->bi_vcnt = bv - bio->bi_io_vec;
}

/*
 * Pin what @bio has room for of the first segment of @iter. The page pointers lie in the upper part
 * of the bio_vecs that are still free: each is read before a bio_vec reaches it.
 */
static int raw_bio_pin(struct bio *bio, struct iov_iter *iter)
{
	unsigned int room = bio->bi_max_vecs - bio->bi_vcnt;
	struct page **pages = (struct page **)(bio->bi_io_vec + bio->bi_max_vecs) - room;
	unsigned int gup = iov_iter_rw(iter) == READ ? FOLL_WRITE : 0;
	unsigned int offset, want;
	unsigned long addr;
	int pinned, used;
	size_t len;

	BUILD_BUG_ON(sizeof(struct bio_vec) < 2 * sizeof(struct page *));

	addr = raw_iter_segment(iter, &len);
	offset = offset_in_page(addr);
	want = min_t(size_t, room, DIV_ROUND_UP(offset + len, PAGE_SIZE));
	pinned = pin_user_pages_fast(addr & PAGE_MASK, want, gup, pages);
	if (unlikely(pinned <= 0))
		return pinned ? pinned : -EFAULT;

	/* A bad page, or the end of the bio, may leave part of a block: that part is not sent. */
	len = min_t(size_t, len, (size_t)pinned * PAGE_SIZE - offset);
	len = round_down(len, bdev_logical_block_size(bio->bi_bdev));
	used = len ? DIV_ROUND_UP(offset + len, PAGE_SIZE) : 0;
	if (unlikely(used < pinned))
		unpin_user_pages(pages + used, pinned - used);
	if (unlikely(!len))
		return -EFAULT;

	raw_bio_add(bio, pages, offset, len);
	iov_iter_advance(iter, len);
	return 0;
}

/**
 * raw_bio_fill() - put the next part of a request into a bio
 * @bio: an empty bio
 * @iter: the request; advanced past what went in
 *
 * Return: 0 if the bio carries whole logical blocks (not always all of @iter), else -EFAULT or
 * -ENOMEM, with nothing pinned.
 */
static int raw_bio_fill(struct bio *bio, struct iov_iter *iter)
{
	int ret;

	if (iov_iter_is_bvec(iter))
		return bio_iov_iter_get_pages(bio, iter);

	do {
		ret = raw_bio_pin(bio, iter);
	} while (!ret && iov_iter_count(iter) && bio->bi_vcnt < bio->bi_max_vecs);

	return bio->bi_vcnt ? 0 : ret;
}

/*
 * Requests
 */

/*
 * A bio that would have to wait for a tag fails at once only if its error can go to a caller that
 * is still there: io_uring tries a late -EAGAIN again for files and block devices, not for us.
 */
static blk_opf_t raw_opf(struct kiocb *iocb, struct iov_iter *iter)
{
	bool nowait = is_sync_kiocb(iocb) && (iocb->ki_flags & IOCB_NOWAIT);
	blk_opf_t opf = nowait ? REQ_NOWAIT : 0;

	if (iov_iter_rw(iter) == READ)
		return opf | REQ_OP_READ;
	if (iocb_is_dsync(iocb))
		opf |= REQ_FUA;
	return opf | REQ_OP_WRITE | REQ_SYNC | REQ_IDLE;
}

/* Where the I/O stands: at @done bytes from where @iocb began. */
static void raw_bio_start(struct bio *bio, struct kiocb *iocb, size_t done)
{
	bio->bi_iter.bi_sector = (iocb->ki_pos + done) >> SECTOR_SHIFT;
	bio->bi_ioprio = iocb->ki_ioprio;
}

static ssize_t raw_rw_stack(struct kiocb *iocb, struct iov_iter *iter, unsigned int nr_vecs)
{
	struct block_device *bdev = iocb->ki_filp->private_data;
	struct bio_vec vecs[RAW_INLINE_VECS];
	struct bio bio;
	ssize_t ret;

	bio_init(&bio, bdev, vecs, nr_vecs, raw_opf(iocb, iter));
	raw_bio_start(&bio, iocb, 0);

	ret = raw_bio_fill(&bio, iter);
	if (unlikely(ret))
		goto out;
	ret = bio.bi_iter.bi_size;
	if (iov_iter_rw(iter) == WRITE)
		task_io_account_write(ret);

	submit_bio_wait(&bio);

	raw_bio_unpin(&bio, iov_iter_rw(iter) == READ);
	if (unlikely(bio.bi_status))
		ret = blk_status_to_errno(bio.bi_status);
	else
		iocb->ki_pos += ret;
out:
	bio_uninit(&bio);
	return ret;
}

static ssize_t raw_io_result(struct raw_io *io)
{
	return io->status ? blk_status_to_errno(io->status) : io->size;
}

static void raw_io_put(struct raw_io *io)
{
	struct task_struct *waiter;
	struct kiocb *iocb;
	ssize_t ret;

	if (!atomic_dec_and_test(&io->ref))
		return;

	if (io->sync) {
		waiter = io->waiter;
		/* The waiter frees @io, and may be gone itself, as soon as it sees this. */
		rcu_read_lock();
		WRITE_ONCE(io->waiter, NULL);
		blk_wake_io_task(waiter);
		rcu_read_unlock();
		return;
	}

	iocb = io->iocb;
	ret = raw_io_result(io);
	bio_put(&io->bio);
	if (ret > 0)
		iocb->ki_pos += ret;
	iocb->ki_complete(iocb, ret);
}

static void raw_bio_done(struct bio *bio)
{
	struct raw_io *io = bio->bi_private;

	if (bio != &io->bio)
		bio_put(bio);
	raw_io_put(io);
}

static void raw_dirty_work(struct work_struct *work)
{
	struct bio *bio = &container_of(work, struct raw_io, work)->bio;

	raw_bio_unpin(bio, true);
	raw_bio_done(bio);
}

static void raw_bio_end_io(struct bio *bio)
{
	struct raw_io *io = bio->bi_private;

	if (bio->bi_status && !READ_ONCE(io->status))
		WRITE_ONCE(io->status, bio->bi_status);

	/* Whoever waits can sleep, and has the first bio until it is done. */
	if (io->sync && bio == &io->bio) {
		raw_io_put(io);
		return;
	}

	if (bio_op(bio) == REQ_OP_READ && !raw_bio_all_dirty(bio)) {
		struct raw_io *self = container_of(bio, struct raw_io, bio);

		INIT_WORK(&self->work, raw_dirty_work);
		schedule_work(&self->work);
		return;
	}

	raw_bio_unpin(bio, false);
	raw_bio_done(bio);
}

static struct bio *raw_bio_alloc(struct kiocb *iocb, struct iov_iter *iter, unsigned int nr_vecs,
				 size_t done)
{
	struct block_device *bdev = iocb->ki_filp->private_data;
	struct bio *bio;

	bio = bio_alloc_bioset(bdev, nr_vecs, raw_opf(iocb, iter), GFP_KERNEL, &raw_bio_set);
	raw_bio_start(bio, iocb, done);
	bio->bi_end_io = raw_bio_end_io;
	return bio;
}

static void raw_io_wait(struct raw_io *io)
{
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (!READ_ONCE(io->waiter))
			break;
		blk_io_schedule();
	}
	__set_current_state(TASK_RUNNING);
}

static ssize_t raw_rw_queue(struct kiocb *iocb, struct iov_iter *iter, unsigned int nr_vecs)
{
	bool sync = is_sync_kiocb(iocb);
	struct bio *bio = raw_bio_alloc(iocb, iter, bio_max_segs(nr_vecs), 0);
	struct raw_io *io = container_of(bio, struct raw_io, bio);
	struct blk_plug plug;
	ssize_t ret;

	if (sync)
		io->waiter = current;
	else
		io->iocb = iocb;
	io->sync = sync;
	io->status = BLK_STS_OK;
	io->size = 0;
	atomic_set(&io->ref, 1);

	blk_start_plug(&plug);
	for (;;) {
		ret = raw_bio_fill(bio, iter);
		if (unlikely(ret))
			break;
		bio->bi_private = io;
		io->size += bio->bi_iter.bi_size;
		if (bio_op(bio) == REQ_OP_WRITE)
			task_io_account_write(bio->bi_iter.bi_size);
		atomic_inc(&io->ref);
		submit_bio(bio);

		nr_vecs = bio_iov_vecs_to_alloc(iter, BIO_MAX_VECS);
		if (!nr_vecs)
			break;
		bio = raw_bio_alloc(iocb, iter, nr_vecs, io->size);
	}
	blk_finish_plug(&plug);

	if (unlikely(ret)) {
		/* Bad memory ends the request; what went before it counts. */
		bio_put(bio);
		if (bio == &io->bio)
			return ret;
	}

	raw_io_put(io);
	if (!sync)
		return -EIOCBQUEUED;

	raw_io_wait(io);
	raw_bio_unpin(&io->bio, iov_iter_rw(iter) == READ);
	ret = raw_io_result(io);
	if (ret > 0)
		iocb->ki_pos += ret;
	bio_put(&io->bio);
	return ret;
}

static ssize_t raw_rw(struct kiocb *iocb, struct iov_iter *iter)
{
	struct block_device *bdev = iocb->ki_filp->private_data;
	unsigned int nr_vecs;

	if (unlikely(!user_backed_iter(iter) && !iov_iter_is_bvec(iter)))
		return -EINVAL;
	if (unlikely((iocb->ki_pos & (bdev_logical_block_size(bdev) - 1)) ||
		     !bdev_iter_is_aligned(bdev, iter)))
		return -EINVAL;

	nr_vecs = bio_iov_vecs_to_alloc(iter, BIO_MAX_VECS + 1);
	if (is_sync_kiocb(iocb) && nr_vecs <= RAW_INLINE_VECS)
		return raw_rw_stack(iocb, iter, nr_vecs);

	/* A part might go out before another part finds that it would have to wait. */
	if (is_sync_kiocb(iocb) && nr_vecs > BIO_MAX_VECS && (iocb->ki_flags & IOCB_NOWAIT))
		return -EAGAIN;
	return raw_rw_queue(iocb, iter, nr_vecs);
}

/*
 * The page cache of the disk, which others may have filled. No page of it is ever used here, but a
 * read must see what was written there before, and later buffered reads what is written here.
 */

static int raw_write_back(struct kiocb *iocb, size_t len)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;

	if (likely(!mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) &&
		   !mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK)))
		return 0;
	if (iocb->ki_flags & IOCB_NOWAIT)
		return -EAGAIN;
	return filemap_write_and_wait_range(mapping, iocb->ki_pos, iocb->ki_pos + len - 1);
}

static void raw_invalidate(struct kiocb *iocb, loff_t pos, size_t len)
{
	struct address_space *mapping = iocb->ki_filp->f_mapping;

	/* A page that stays is in use by a buffered writer, who races with us and may win. */
	if (mapping->nrpages)
		invalidate_inode_pages2_range(mapping, pos >> PAGE_SHIFT,
					      (pos + len - 1) >> PAGE_SHIFT);
}

static ssize_t raw_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct block_device *bdev = iocb->ki_filp->private_data;
	loff_t left = bdev_nr_bytes(bdev) - iocb->ki_pos;
	size_t cut = 0;
	ssize_t ret;

	if (unlikely(!iov_iter_count(iter)))
		return 0;
	/* A pulled disk has no size any more: that is not the end of the file. */
	if (unlikely(left <= 0))
		return disk_live(bdev->bd_disk) ? 0 : -ENODEV;
	if (unlikely(iov_iter_count(iter) > left)) {
		cut = iov_iter_count(iter) - left;
		iov_iter_truncate(iter, left);
	}

	ret = raw_write_back(iocb, iov_iter_count(iter));
	if (likely(!ret))
		ret = raw_rw(iocb, iter);

	if (unlikely(cut))
		iov_iter_reexpand(iter, iov_iter_count(iter) + cut);
	return ret;
}

static ssize_t raw_write_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	struct block_device *bdev = iocb->ki_filp->private_data;
	loff_t pos = iocb->ki_pos, left = bdev_nr_bytes(bdev) - pos;
	size_t cut = 0;
	ssize_t ret;

	if (bdev_read_only(bdev))
		return -EPERM;
	if (unlikely(!iov_iter_count(iter)))
		return 0;
	if (unlikely(left <= 0))
		return disk_live(bdev->bd_disk) ? -ENOSPC : -ENODEV;
	if (unlikely(iov_iter_count(iter) > left)) {
		cut = iov_iter_count(iter) - left;
		iov_iter_truncate(iter, left);
	}

	ret = raw_write_back(iocb, iov_iter_count(iter));
	if (unlikely(ret))
		goto out;
	raw_invalidate(iocb, pos, iov_iter_count(iter));
	ret = raw_rw(iocb, iter);
	/* Readers may have filled the cache anew meanwhile. */
	if (ret > 0)
		raw_invalidate(iocb, pos, ret);
out:
	if (unlikely(cut))
		iov_iter_reexpand(iter, iov_iter_count(iter) + cut);
	return ret;
}

static loff_t raw_llseek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, bdev_nr_bytes(file->private_data));
}

/*
 * Rings that poll may be used, but what they wait for ends by interrupt: a polled bio must not wait
 * for a tag, and its -EAGAIN would reach the user (see raw_opf()).
 */
static int raw_iopoll(struct kiocb *iocb, struct io_comp_batch *batch, unsigned int flags)
{
	cpu_relax();
	return 0;
}

static int raw_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	int ret = blkdev_issue_flush(file->private_data);

	/* No cache to flush is as good as a flushed one. */
	return ret == -EOPNOTSUPP ? 0 : ret;
}

/*
 * Bindings
 */

static int raw_open(struct inode *inode, struct file *file)
{
	struct raw_binding *binding = &raw_bindings[iminor(inode)];
	struct block_device *bdev;
	int ret = 0;

	/* Lets the block device's ioctls know that this file owns it. */
	file->f_mode |= FMODE_EXCL;

	mutex_lock(&raw_lock);
	if (!binding->dev) {
		ret = -ENXIO;
		goto out;
	}
	bdev = blkdev_get_by_dev(binding->dev, file->f_mode, &raw_bindings);
	if (IS_ERR(bdev)) {
		ret = PTR_ERR(bdev);
		goto out;
	}
	if (bdev->bd_disk->diskseq != binding->diskseq) {
		blkdev_put(bdev, file->f_mode);
		ret = -ENXIO;
		goto out;
	}

	binding->openers++;
	file->private_data = bdev;
	file->f_mapping = bdev->bd_inode->i_mapping;
	file->f_wb_err = filemap_sample_wb_err(file->f_mapping);
	if (bdev_nowait(bdev))
		file->f_mode |= FMODE_NOWAIT;
out:
	mutex_unlock(&raw_lock);
	return ret;
}

static int raw_release(struct inode *inode, struct file *file)
{
	blkdev_put(file->private_data, file->f_mode);

	mutex_lock(&raw_lock);
	raw_bindings[iminor(inode)].openers--;
	mutex_unlock(&raw_lock);
	return 0;
}

static const struct file_operations raw_fops = {
	.owner		= THIS_MODULE,
	.open		= raw_open,
	.release	= raw_release,
	.llseek		= raw_llseek,
	.read_iter	= raw_read_iter,
	.write_iter	= raw_write_iter,
	.iopoll		= raw_iopoll,
	.fsync		= raw_fsync,
	.unlocked_ioctl	= blkdev_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl	= compat_blkdev_ioctl,
#endif
};

/* Opening it shows that the device is there, and tells the disk's sequence number. */
static int raw_find_disk(dev_t dev, u64 *diskseq)
{
	struct block_device *bdev;

	bdev = blkdev_get_by_dev(dev, FMODE_READ | FMODE_NDELAY, NULL);
	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	*diskseq = bdev->bd_disk->diskseq;
	blkdev_put(bdev, FMODE_READ | FMODE_NDELAY);
	return 0;
}

static int raw_set_binding(unsigned int minor, dev_t dev)
{
	struct raw_binding *binding = &raw_bindings[minor];
	u64 diskseq = 0;
	int ret = 0;

	if (dev) {
		ret = raw_find_disk(dev, &diskseq);
		if (ret)
			return ret;
	}

	mutex_lock(&raw_lock);
	if (binding->openers) {
		ret = -EBUSY;
		goto out;
	}
	if (dev && !binding->dev) {
		struct device *node;

		node = device_create(raw_class, NULL, MKDEV(RAW_MAJOR, minor), NULL, "raw%u",
				     minor);
		if (IS_ERR(node)) {
			ret = PTR_ERR(node);
			goto out;
		}
	} else if (!dev && binding->dev) {
		device_destroy(raw_class, MKDEV(RAW_MAJOR, minor));
	}
	binding->dev = dev;
	binding->diskseq = diskseq;
out:
	mutex_unlock(&raw_lock);
	return ret;
}

static dev_t raw_get_binding(unsigned int minor)
{
	dev_t dev;

	mutex_lock(&raw_lock);
	dev = raw_bindings[minor].dev;
	mutex_unlock(&raw_lock);
	return dev;
}

static long raw_ctl_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct raw_config_request __user *user = (void __user *)arg;
	struct raw_config_request req;
	dev_t dev;

	if (cmd != RAW_SETBIND && cmd != RAW_GETBIND)
		return -ENOTTY;
	if (cmd == RAW_SETBIND && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	if (req.raw_minor <= 0 || req.raw_minor >= max_raw_minors)
		return -EINVAL;

	if (cmd == RAW_SETBIND) {
		dev = MKDEV(req.block_major, req.block_minor);
		if (MAJOR(dev) != req.block_major || MINOR(dev) != req.block_minor)
			return -EINVAL;
		if (dev && !req.block_major)
			return -EINVAL;
		return raw_set_binding(req.raw_minor, dev);
	}

	dev = raw_get_binding(req.raw_minor);
	req.block_major = MAJOR(dev);
	req.block_minor = MINOR(dev);
	return copy_to_user(user, &req, sizeof(req)) ? -EFAULT : 0;
}

static const struct file_operations raw_ctl_fops = {
	.owner		= THIS_MODULE,
	.open		= nonseekable_open,
	.unlocked_ioctl	= raw_ctl_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.llseek		= no_llseek,
};

static char *raw_devnode(struct device *dev, umode_t *mode)
{
	return kasprintf(GFP_KERNEL, "raw/%s", dev_name(dev));
}

static int __init raw_add_cdev(struct cdev *cdev, const struct file_operations *fops,
			       unsigned int minor, unsigned int count)
{
	cdev_init(cdev, fops);
	cdev->owner = THIS_MODULE;
	return cdev_add(cdev, MKDEV(RAW_MAJOR, minor), count);
}

static int __init raw_init(void)
{
	struct device *node;
	int ret;

	if (max_raw_minors < 2 || max_raw_minors > 65536) {
		pr_warn("max_raw_minors=%d is not within 2-65536: using %d\n", max_raw_minors,
			CONFIG_MAX_RAW_DEVS);
		max_raw_minors = CONFIG_MAX_RAW_DEVS;
	}

	raw_bindings = kvcalloc(max_raw_minors, sizeof(*raw_bindings), GFP_KERNEL);
	if (!raw_bindings)
		return -ENOMEM;
	ret = bioset_init(&raw_bio_set, BIO_POOL_SIZE, offsetof(struct raw_io, bio),
			  BIOSET_NEED_BVECS);
	if (ret)
		goto free_bindings;
	raw_class = class_create(THIS_MODULE, "raw");
	if (IS_ERR(raw_class)) {
		ret = PTR_ERR(raw_class);
		goto free_bio_set;
	}
	raw_class->devnode = raw_devnode;

	ret = register_chrdev_region(MKDEV(RAW_MAJOR, 0), max_raw_minors, "raw");
	if (ret)
		goto free_class;
	ret = raw_add_cdev(&raw_cdev, &raw_fops, 1, max_raw_minors - 1);
	if (ret)
		goto free_region;
	ret = raw_add_cdev(&raw_ctl_cdev, &raw_ctl_fops, 0, 1);
	if (ret)
		goto free_cdev;
	node = device_create(raw_class, NULL, MKDEV(RAW_MAJOR, 0), NULL, "rawctl");
	if (IS_ERR(node)) {
		ret = PTR_ERR(node);
		goto free_ctl_cdev;
	}
	return 0;

free_ctl_cdev:
	cdev_del(&raw_ctl_cdev);
free_cdev:
	cdev_del(&raw_cdev);
free_region:
	unregister_chrdev_region(MKDEV(RAW_MAJOR, 0), max_raw_minors);
free_class:
	class_destroy(raw_class);
free_bio_set:
	bioset_exit(&raw_bio_set);
free_bindings:
	kvfree(raw_bindings);
	return ret;
}

static void __exit raw_exit(void)
{
	int minor;

	for (minor = 1; minor < max_raw_minors; minor++)
		if (raw_bindings[minor].dev)
			device_destroy(raw_class, MKDEV(RAW_MAJOR, minor));
	device_destroy(raw_class, MKDEV(RAW_MAJOR, 0));
	cdev_del(&raw_ctl_cdev);
	cdev_del(&raw_cdev);
	unregister_chrdev_region(MKDEV(RAW_MAJOR, 0), max_raw_minors);
	class_destroy(raw_class);
	bioset_exit(&raw_bio_set);
	kvfree(raw_bindings);
}

module_init(raw_init);
module_exit(raw_exit);

MODULE_DESCRIPTION("Raw character devices bound to block devices");
MODULE_ALIAS_CHARDEV_MAJOR(RAW_MAJOR);
MODULE_LICENSE("GPL");
