// SPDX-License-Identifier: GPL-2.0
/**
 * DOC: What it does
 *
 * A raw device, /dev/raw/rawN, is a character device that /dev/raw/rawctl binds to a disk. Whoever
 * opens it has that disk to themselves, together with all other openers of raw devices; what they
 * read and write goes as by O_DIRECT.
 */

/**
 * DOC: The life of one I/O
 *
 * raw_open() opens the disk as a file, which private_data keeps, and gives the raw file the disk's
 * page cache: from f_mapping the block layer learns which disk a file is of. So a call goes on to
 * the same call of the disk's file, with the raw file as its argument. No request is copied, split
 * or completed here; nothing of ours is left when the call ends. The raw file stays in the kiocb,
 * where io_uring has its only reference to it. Whatever becomes of O_DIRECT, I/O is direct.
 *
 * Whoever may not wait is refused (RWF_NOWAIT) or sent to a thread (io_uring): what fails later for
 * want of a tag io_uring tries again for block devices only, and our users would get an EAGAIN that
 * they did not ask for. For the same reason rings that poll are served by interrupt.
 */

/**
 * DOC: Locking and lifetime
 *
 * raw_lock guards the table of bindings and the open counts. No disk is opened or closed under it:
 * one that hangs keeps only its own openers. A binding is a number (dev_t) and the disk's sequence
 * number. It keeps neither disk nor driver busy, and does not lead to another disk that got the
 * number later. The disk's file is open as long as the raw file, which an I/O in flight holds.
 */

#define pr_fmt(fmt) "raw: " fmt

#include <linux/blkdev.h>
#include <linux/compat.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/raw.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uio.h>

/* What /dev/raw/rawN leads to */
struct raw_binding {
	dev_t dev;		/* 0 when unbound */
	u64 diskseq;		/* of the disk that dev meant when it was bound */
	unsigned int openers;	/* files open, or being opened: the binding stays as it is */
};

static int max_raw_minors = CONFIG_MAX_RAW_DEVS;
module_param(max_raw_minors, int, 0444);
MODULE_PARM_DESC(max_raw_minors, "Number of raw minors, rawctl included (2-65536)");

static DEFINE_MUTEX(raw_lock);
static struct raw_binding *raw_bindings;

static const struct file_operations *raw_ops(struct file *file)
{
	struct file *disk = file->private_data;

	return disk->f_op;
}

static int raw_open_disk(struct file *file, dev_t dev, u64 diskseq)
{
	blk_mode_t mode = 0;
	struct file *disk;

	if (file->f_mode & FMODE_READ)
		mode |= BLK_OPEN_READ;
	if (file->f_mode & FMODE_WRITE)
		mode |= BLK_OPEN_WRITE;
	/* Access mode 3 is for ioctls alone, and those may read and write. */
	disk = bdev_file_open_by_dev(dev, mode ?: BLK_OPEN_READ | BLK_OPEN_WRITE, &raw_bindings,
				     NULL);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	if (file_bdev(disk)->bd_disk->diskseq != diskseq) {
		bdev_fput(disk);
		return -ENXIO;
	}
	file->private_data = disk;
	file->f_mapping = disk->f_mapping;
	file->f_mode |= disk->f_mode & FMODE_CAN_ODIRECT;
	return 0;
}

/* Opening it shows that the device is there, and tells the disk's sequence number. */
static int raw_find_disk(dev_t dev, u64 *diskseq)
{
	struct file *disk = bdev_file_open_by_dev(dev, BLK_OPEN_READ | BLK_OPEN_NDELAY, NULL, NULL);

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	*diskseq = file_bdev(disk)->bd_disk->diskseq;
	bdev_fput(disk);
	return 0;
}

static __always_inline ssize_t raw_rw(struct kiocb *iocb, struct iov_iter *iter, bool write)
{
	ssize_t ret;

	iocb->ki_flags |= IOCB_DIRECT;
	if (!is_sync_kiocb(iocb))
		iocb->ki_flags &= ~IOCB_HIPRI;
	ret = write ? raw_ops(iocb->ki_filp)->write_iter(iocb, iter) :
		      raw_ops(iocb->ki_filp)->read_iter(iocb, iter);
	/*
	 * A pulled disk has no size any more: that is not the end of the file. (What is queued may
	 * be over and gone by now; this is not.)
	 */
	if (unlikely(ret == (write ? -ENOSPC : 0)) &&
	    !disk_live(I_BDEV(iocb->ki_filp->f_mapping->host)->bd_disk))
		return -ENODEV;
	return ret;
}

static ssize_t raw_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	return raw_rw(iocb, iter, false);
}

static ssize_t raw_write_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	return raw_rw(iocb, iter, true);
}

static loff_t raw_llseek(struct file *file, loff_t offset, int whence)
{
	return raw_ops(file)->llseek(file, offset, whence);
}

static int raw_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	return raw_ops(file)->fsync(file, start, end, datasync);
}

/* For loop, to which a file with a disk's page cache is a disk's */
static long raw_fallocate(struct file *file, int mode, loff_t offset, loff_t len)
{
	return raw_ops(file)->fallocate(file, mode, offset, len);
}

static long raw_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return raw_ops(file)->unlocked_ioctl(file, cmd, arg);
}

static long __maybe_unused raw_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return raw_ops(file)->compat_ioctl(file, cmd, arg);
}

static void raw_unuse(struct inode *inode)
{
	guard(mutex)(&raw_lock);
	raw_bindings[iminor(inode)].openers--;
}

static int raw_open(struct inode *inode, struct file *file)
{
	struct raw_binding bound;
	int ret;

	mutex_lock(&raw_lock);
	raw_bindings[iminor(inode)].openers++;
	bound = raw_bindings[iminor(inode)];
	mutex_unlock(&raw_lock);
	ret = bound.dev ? raw_open_disk(file, bound.dev, bound.diskseq) : -ENXIO;
	if (ret) {
		raw_unuse(inode);
		return ret;
	}
	file->f_flags |= O_DIRECT;
	file->f_wb_err = filemap_sample_wb_err(file->f_mapping);
	return 0;
}

static int raw_release(struct inode *inode, struct file *file)
{
	bdev_fput(file->private_data);
	raw_unuse(inode);
	return 0;
}

static const struct file_operations raw_fops = {
	.owner		= THIS_MODULE,
	.open		= raw_open,
	.release	= raw_release,
	.llseek		= raw_llseek,
	.read_iter	= raw_read_iter,
	.write_iter	= raw_write_iter,
	.splice_read	= copy_splice_read,
	.splice_write	= iter_file_splice_write,
	.iopoll		= iocb_bio_iopoll,
	.fsync		= raw_fsync,
	.fallocate	= raw_fallocate,
	.unlocked_ioctl	= raw_ioctl,
#ifdef CONFIG_COMPAT
	.compat_ioctl	= raw_compat_ioctl,
#endif
};

/* Bindings */

static char *raw_devnode(const struct device *dev, umode_t *mode)
{
	return kasprintf(GFP_KERNEL, "raw/%s", dev_name(dev));
}

static struct class raw_class = { .name = "raw", .devnode = raw_devnode };

static int raw_set_binding(unsigned int minor, dev_t dev)
{
	struct raw_binding *binding = &raw_bindings[minor];
	u64 diskseq = 0;
	int ret = dev ? raw_find_disk(dev, &diskseq) : 0;

	if (ret)
		return ret;
	guard(mutex)(&raw_lock);
	if (binding->openers)
		return -EBUSY;
	if (dev && !binding->dev)
		ret = PTR_ERR_OR_ZERO(device_create(&raw_class, NULL, MKDEV(RAW_MAJOR, minor), NULL,
						    "raw%u", minor));
	else if (!dev && binding->dev)
		device_destroy(&raw_class, MKDEV(RAW_MAJOR, minor));
	if (!ret)
		*binding = (struct raw_binding){ .dev = dev, .diskseq = diskseq };
	return ret;
}

static long raw_ctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	/* To i386 nothing is between the int and the 64-bit numbers: it aligns them to 4 bytes. */
	size_t at = compat_need_64bit_alignment_fixup() ? sizeof(int) :
		    offsetof(struct raw_config_request, block_major);
	void __user *user = in_compat_syscall() ? compat_ptr(arg) : (void __user *)arg;
	u64 disk[2];
	dev_t dev;
	int minor;

	if (cmd != RAW_SETBIND && cmd != RAW_GETBIND)
		return -ENOTTY;
	if (cmd == RAW_SETBIND && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&minor, user, sizeof(minor)) ||
	    copy_from_user(disk, user + at, sizeof(disk)))
		return -EFAULT;
	if (minor <= 0 || minor >= max_raw_minors)
		return -EINVAL;

	if (cmd == RAW_SETBIND) {
		dev = MKDEV(disk[0], disk[1]);
		if (MAJOR(dev) != disk[0] || MINOR(dev) != disk[1] || (dev && !disk[0]))
			return -EINVAL;
		return raw_set_binding(minor, dev);
	}
	mutex_lock(&raw_lock);
	dev = raw_bindings[minor].dev;
	mutex_unlock(&raw_lock);
	disk[0] = MAJOR(dev);
	disk[1] = MINOR(dev);
	return copy_to_user(user + at, disk, sizeof(disk)) ? -EFAULT : 0;
}

static const struct file_operations raw_ctl_fops = {
	.owner		= THIS_MODULE,
	.open		= nonseekable_open,
	.unlocked_ioctl	= raw_ctl,
	.compat_ioctl	= raw_ctl,
};

static int __init raw_init(void)
{
	int ret;

	if (max_raw_minors < 2 || max_raw_minors > 65536) {
		pr_warn("max_raw_minors is to be within 2-65536: using %d\n", CONFIG_MAX_RAW_DEVS);
		max_raw_minors = CONFIG_MAX_RAW_DEVS;
	}
	raw_bindings = kvcalloc(max_raw_minors, sizeof(*raw_bindings), GFP_KERNEL);
	if (!raw_bindings)
		return -ENOMEM;
	ret = class_register(&raw_class);
	if (ret)
		goto free_bindings;
	ret = __register_chrdev(RAW_MAJOR, 0, 1, "raw", &raw_ctl_fops);
	if (ret)
		goto free_class;
	ret = __register_chrdev(RAW_MAJOR, 1, max_raw_minors - 1, "raw", &raw_fops);
	if (ret)
		goto free_ctl;
	ret = PTR_ERR_OR_ZERO(device_create(&raw_class, NULL, MKDEV(RAW_MAJOR, 0), NULL, "rawctl"));
	if (!ret)
		return 0;

	__unregister_chrdev(RAW_MAJOR, 1, max_raw_minors - 1, "raw");
free_ctl:
	__unregister_chrdev(RAW_MAJOR, 0, 1, "raw");
free_class:
	class_unregister(&raw_class);
free_bindings:
	kvfree(raw_bindings);
	return ret;
}

static void __exit raw_exit(void)
{
	int minor;

	for (minor = 0; minor < max_raw_minors; minor++)
		if (!minor || raw_bindings[minor].dev)
			device_destroy(&raw_class, MKDEV(RAW_MAJOR, minor));
	__unregister_chrdev(RAW_MAJOR, 1, max_raw_minors - 1, "raw");
	__unregister_chrdev(RAW_MAJOR, 0, 1, "raw");
	class_unregister(&raw_class);
	kvfree(raw_bindings);
}

module_init(raw_init);
module_exit(raw_exit);
MODULE_DESCRIPTION("Raw character devices bound to block devices");
MODULE_ALIAS_CHARDEV_MAJOR(RAW_MAJOR);
MODULE_LICENSE("GPL");
