/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: The kernel as drivers/char/raw.c sees it
 *
 * Included in front of the real source by the compiler's command line; the kernel headers that the
 * source names are empty files. There is one thread; what other CPUs would do happens inside calls
 * (raw_test.c).
 */
#ifndef RAW_KERNEL_H
#define RAW_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned int gfp_t, fmode_t, blk_mode_t;
typedef unsigned short umode_t;

#define dev_t			u32
#define MKDEV(major, minor)	((u32)(major) << 20 | (u32)(minor))
#define MAJOR(dev)		((u32)(dev) >> 20)
#define MINOR(dev)		((u32)(dev) & ((1U << 20) - 1))
#define RAW_MAJOR		162
#define CONFIG_MAX_RAW_DEVS	8
#define CONFIG_COMPAT

#define EIOCBQUEUED	529
#define GFP_KERNEL	0xcc0
#define O_DIRECT	040000

#define __user
#define __init
#define __exit
#define __maybe_unused	__attribute__((unused))
#define noinline	__attribute__((noinline))
#define unlikely(x)	(x)
#define IS_ERR(p)	((uintptr_t)(p) >= (uintptr_t)-4095)
#define ERR_PTR(e)	((void *)(intptr_t)(e))
#define PTR_ERR(p)	((long)(intptr_t)(p))
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

static inline struct mutex *guard_take(struct mutex *lock)
{
	mutex_lock(lock);
	return lock;
}

static inline void guard_drop(struct mutex **lock)
{
	mutex_unlock(*lock);
}

#define guard(kind)		guard_##kind
#define guard_mutex(lock) \
	struct mutex *taken_ __attribute__((cleanup(guard_drop))) = guard_take(lock)

/* Files */
#define FMODE_READ		0x1
#define FMODE_WRITE		0x2
#define FMODE_NOWAIT		0x8000000
#define FMODE_CAN_ODIRECT	0x400000
#define READ			0
#define WRITE			1

struct address_space {
	struct inode *host;
};

struct inode {
	struct address_space i_data;
	dev_t i_rdev;
};

struct file {
	const struct file_operations *f_op;
	struct address_space *f_mapping;
	void *private_data;
	fmode_t f_mode;
	unsigned int f_flags;
	int f_wb_err;
};

struct kiocb {
	struct file *ki_filp;
	loff_t ki_pos;
	void (*ki_complete)(struct kiocb *iocb, long ret);
	int ki_flags;
};

#define IOCB_HIPRI		(1 << 0)
#define IOCB_DSYNC		(1 << 1)
#define IOCB_DIRECT		(1 << 17)
#define IOCB_WRITE		(1 << 18)
#define IOCB_ALLOC_CACHE	(1 << 21)
#define IOCB_AIO_RW		(1 << 22)
#define is_sync_kiocb(k)	(!(k)->ki_complete)

struct iov_iter {
	bool data_source;
	size_t count;
};

#define iov_iter_rw(i)		((i)->data_source ? WRITE : READ)
#define iov_iter_count(i)	((i)->count)

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
unsigned int iminor(const struct inode *inode);

/* Who calls */
#define CAP_SYS_ADMIN	21
bool capable(int cap);
bool in_compat_syscall(void);
bool compat_need_64bit_alignment_fixup(void);
void *compat_ptr(u32 pointer);
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
unsigned long copy_to_user(void *to, const void *from, unsigned long n);

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
const char *dev_name(const struct device *dev);
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

struct block_device {
	struct gendisk *bd_disk;
	struct inode inode;
};

struct blk_holder_ops;
struct file *bdev_file_open_by_dev(dev_t dev, blk_mode_t mode, void *holder,
				   const struct blk_holder_ops *ops);
void bdev_fput(struct file *file);
struct block_device *file_bdev(struct file *file);
struct block_device *I_BDEV(struct inode *inode);
bool disk_live(struct gendisk *disk);

#endif
