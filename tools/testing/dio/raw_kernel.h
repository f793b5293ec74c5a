/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What drivers/char/raw.c needs of the kernel besides kernel.h. Included in front of the real
 * source by the compiler's command line, as that is.
 */
#ifndef RAW_KERNEL_H
#define RAW_KERNEL_H

#include "kernel.h"
#include <stdio.h>
#include <sys/ioctl.h>

typedef uint32_t u32;
typedef unsigned short umode_t;
#define dev_t			u32
#define MKDEV(major, minor)	((u32)(major) << 20 | (u32)(minor))
#define MAJOR(dev)		((u32)(dev) >> 20)
#define MINOR(dev)		((u32)(dev) & ((1U << 20) - 1))
#define RAW_MAJOR		162
#define CONFIG_MAX_RAW_DEVS	8

#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)
#define round_down(n, to)	((n) & ~((__typeof__(n))(to) - 1))
#define IS_ERR(p)		((uintptr_t)(p) >= (uintptr_t)-4095)
#define ERR_PTR(e)		((void *)(intptr_t)(e))
#define PTR_ERR(p)		((long)(intptr_t)(p))
#define __exit
#define THIS_MODULE		NULL
#define module_param(name, type, mode)	int *raw_param_##name = &name
#define MODULE_PARM_DESC(name, text)	extern int described_##name
#define MODULE_DESCRIPTION(text)	extern int module_description
#define MODULE_ALIAS_CHARDEV_MAJOR(n)	extern int module_alias
#define MODULE_LICENSE(text)		extern int module_license
#define module_init(f)		int f##_called(void) { return f(); } extern int f##_called(void)
#define module_exit(f)		void f##_called(void) { f(); } extern void f##_called(void)
void pr_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define cpu_relax()		do { } while (0)

/* Locks */
struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

/* Files and devices */
#define FMODE_READ	0x1
#define FMODE_WRITE	0x2
#define FMODE_NDELAY	0x40
#define FMODE_EXCL	0x80
#define FMODE_NOWAIT	0x8000000

struct gendisk {
	u64 diskseq;
	bool live;
};

struct module;
struct io_comp_batch;
struct file_operations {
	struct module *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *iter);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *iter);
	int (*iopoll)(struct kiocb *iocb, struct io_comp_batch *batch, unsigned int flags);
	int (*fsync)(struct file *file, loff_t start, loff_t end, int datasync);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
};

struct cdev {
	const struct file_operations *ops;
	struct module *owner;
	dev_t dev;
	unsigned int count;
};

struct device {
	dev_t dev;
	char name[16];
};

struct class {
	char *(*devnode)(struct device *dev, umode_t *mode);
};

#define CAP_SYS_ADMIN	21
bool capable(int cap);
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
unsigned long copy_to_user(void *to, const void *from, unsigned long n);
unsigned int iminor(const struct inode *inode);
int nonseekable_open(struct inode *inode, struct file *file);
loff_t no_llseek(struct file *file, loff_t offset, int whence);
loff_t fixed_size_llseek(struct file *file, loff_t offset, int whence, loff_t size);
long compat_ptr_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
long blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
int filemap_sample_wb_err(struct address_space *mapping);
void *kvcalloc(size_t n, size_t size, gfp_t gfp);
void kvfree(void *memory);
char *kasprintf(gfp_t gfp, const char *fmt, ...);
const char *dev_name(const struct device *dev);
struct class *class_create(struct module *owner, const char *name);
void class_destroy(struct class *class);
struct device *device_create(struct class *class, struct device *parent, dev_t dev, void *data,
			     const char *fmt, ...);
void device_destroy(struct class *class, dev_t dev);
int register_chrdev_region(dev_t from, unsigned int count, const char *name);
void unregister_chrdev_region(dev_t from, unsigned int count);
void cdev_init(struct cdev *cdev, const struct file_operations *fops);
int cdev_add(struct cdev *cdev, dev_t dev, unsigned int count);
void cdev_del(struct cdev *cdev);
void bioset_exit(struct bio_set *set);

/* Disks */
struct block_device *blkdev_get_by_dev(dev_t dev, unsigned int mode, void *holder);
void blkdev_put(struct block_device *bdev, unsigned int mode);
int blkdev_issue_flush(struct block_device *bdev);
bool bdev_nowait(struct block_device *bdev);
bool disk_live(struct gendisk *disk);
static inline loff_t bdev_nr_bytes(struct block_device *bdev)
{
	return bdev->bytes;
}

static inline bool bdev_read_only(struct block_device *bdev)
{
	return bdev->read_only;
}

bool bdev_iter_is_aligned(struct block_device *bdev, struct iov_iter *iter);

/* The page cache */
enum { PAGECACHE_TAG_DIRTY, PAGECACHE_TAG_WRITEBACK };
bool mapping_tagged(struct address_space *mapping, int tag);
int invalidate_inode_pages2_range(struct address_space *mapping, unsigned long start,
				  unsigned long end);

/* bios */
#define BLK_STS_OK		0
#define BIO_NO_PAGE_REF		0
#define bio_flagged(bio, bit)	((bio)->bi_flags >> (bit) & 1)
#define bio_op(bio)		((bio)->bi_opf & 0xff)
int blk_status_to_errno(blk_status_t status);
int submit_bio_wait(struct bio *bio);
int bio_iov_iter_get_pages(struct bio *bio, struct iov_iter *iter);
int bio_iov_vecs_to_alloc(struct iov_iter *iter, int most);
void iov_iter_truncate(struct iov_iter *iter, u64 count);
void iov_iter_reexpand(struct iov_iter *iter, size_t count);

struct folio_iter {
	struct folio *folio;
	unsigned int vec, page;
};

void folio_iter_at(struct folio_iter *fi, struct bio *bio);
#define bio_for_each_folio_all(fi, bio) \
	for ((fi) = (struct folio_iter){ 0 }, folio_iter_at(&(fi), bio); (fi).folio; \
	     (fi).page++, folio_iter_at(&(fi), bio))
#define folio_test_dirty(folio)	PageDirty(&(folio)->page)

#endif
