/* SPDX-License-Identifier: GPL-2.0 */
/* What drivers/char/raw.c needs besides kernel.h; the functions are in raw_test.c. */
#ifndef RAW_KERNEL_H
#define RAW_KERNEL_H

#include "kernel.h"
#include <stdlib.h>
#include <linux/types.h>
#include <sys/ioctl.h>

typedef uint32_t u32;
typedef unsigned int fmode_t, blk_mode_t;
typedef unsigned short umode_t;

#define dev_t			u32
#define MKDEV(major, minor)	((u32)(major) << 20 | (u32)(minor))
#define MAJOR(dev)		((u32)(dev) >> 20)
#define MINOR(dev)		((u32)(dev) & ((1U << 20) - 1))
#define RAW_MAJOR		162
#define CONFIG_MAX_RAW_DEVS	8
#define CONFIG_COMPAT
#define O_DIRECT		040000

#define __exit
#define __maybe_unused	__attribute__((unused))
#define PTR_ERR_OR_ZERO(p)	({ void *p_ = (p); IS_ERR(p_) ? PTR_ERR(p_) : 0; })
#define THIS_MODULE	NULL
#define module_param(name, type, mode)	int *raw_param_##name = &name
#define MODULE_PARM_DESC(name, text)	extern int described_##name
#define MODULE_DESCRIPTION(text)	extern int module_description
#define MODULE_ALIAS_CHARDEV_MAJOR(n)	extern int module_alias
#define MODULE_LICENSE(text)		extern int module_license
#define module_init(f)	int f##_called(void) { return f(); } extern int f##_called(void)
#define module_exit(f)	void f##_called(void) { f(); } extern void f##_called(void)
void pr_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Locks */
struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

static inline void guard_drop(struct mutex **lock)
{
	mutex_unlock(*lock);
}

#define guard(kind)		guard_##kind
#define guard_mutex(lock) \
	struct mutex *taken_ __attribute__((cleanup(guard_drop))) = (mutex_lock(lock), (lock))

/* Files */
#define FMODE_READ		0x1
#define FMODE_WRITE		0x2
#define FMODE_NOWAIT		0x8000000
#define FMODE_CAN_ODIRECT	0x400000
#define IOCB_DIRECT		(1 << 17)
#define IOCB_ALLOC_CACHE	(1 << 21)
#define IOCB_AIO_RW		(1 << 22)

struct module;
struct io_comp_batch;
struct pipe_inode_info;
struct file_operations {
	struct module *owner;
	int (*open)(struct inode *inode, struct file *file);
	int (*release)(struct inode *inode, struct file *file);
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *iter);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *iter);
	ssize_t (*splice_read)(struct file *file, loff_t *pos, struct pipe_inode_info *pipe,
			       size_t len, unsigned int flags);
	ssize_t (*splice_write)(struct pipe_inode_info *pipe, struct file *file, loff_t *pos,
				size_t len, unsigned int flags);
	int (*iopoll)(struct kiocb *iocb, struct io_comp_batch *batch, unsigned int flags);
	int (*fsync)(struct file *file, loff_t start, loff_t end, int datasync);
	long (*fallocate)(struct file *file, int mode, loff_t offset, loff_t len);
	long (*unlocked_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
	long (*compat_ioctl)(struct file *file, unsigned int cmd, unsigned long arg);
};

ssize_t copy_splice_read(struct file *file, loff_t *pos, struct pipe_inode_info *pipe, size_t len,
			 unsigned int flags);
ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *file, loff_t *pos,
			       size_t len, unsigned int flags);
int iocb_bio_iopoll(struct kiocb *iocb, struct io_comp_batch *batch, unsigned int flags);
int nonseekable_open(struct inode *inode, struct file *file);
int filemap_sample_wb_err(struct address_space *mapping);
#define iminor(inode)	MINOR((inode)->i_rdev)

/* Who calls */
#define CAP_SYS_ADMIN	21
extern bool admin, compat, ia32;
#define capable(cap)				((cap) == CAP_SYS_ADMIN && admin)
#define in_compat_syscall()			compat
#define compat_need_64bit_alignment_fixup()	ia32
#define compat_ptr(pointer)	((void *)(uintptr_t)(u32)(pointer))
unsigned long copy_user(void *to, const void *from, unsigned long n, const char *user);
#define copy_from_user(to, from, n)	copy_user(to, from, n, (const char *)(from))
#define copy_to_user(to, from, n)	copy_user(to, from, n, (const char *)(to))

/* Devices */
struct device {
	dev_t dev;
	char name[16];
};

struct class {
	const char *name;
	char *(*devnode)(const struct device *dev, umode_t *mode);
};

void *kvcalloc(size_t n, size_t size, gfp_t gfp);
void kvfree(void *memory);
char *kasprintf(gfp_t gfp, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define dev_name(device)	((device)->name)
int class_register(struct class *class);
void class_unregister(struct class *class);
struct device *device_create(struct class *class, struct device *parent, dev_t dev, void *data,
			     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void device_destroy(struct class *class, dev_t dev);
int __register_chrdev(unsigned int major, unsigned int first, unsigned int count,
		      const char *name, const struct file_operations *fops);
void __unregister_chrdev(unsigned int major, unsigned int first, unsigned int count,
			 const char *name);

/* Disks */
#define BLK_OPEN_READ	0x1
#define BLK_OPEN_WRITE	0x2
#define BLK_OPEN_NDELAY	0x8

struct gendisk {
	u64 diskseq;
	bool live;
};

struct blk_holder_ops;
struct file *bdev_file_open_by_dev(dev_t dev, blk_mode_t mode, void *holder,
				   const struct blk_holder_ops *ops);
void bdev_fput(struct file *file);
struct block_device *file_bdev(struct file *file);
struct block_device *I_BDEV(struct inode *inode);
#define disk_live(disk)	((disk)->live)

#endif
