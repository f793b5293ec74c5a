/* SPDX-License-Identifier: GPL-2.0 */
/* What drivers/char/raw.c needs besides kernel.h; raw_test.c has the functions, and includes it. */
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
#define module_param(name, type, mode)	extern int parameter_##name
#define MODULE_PARM_DESC(name, text)	extern int described_##name
#define MODULE_DESCRIPTION(text)	extern int module_description
#define MODULE_ALIAS_CHARDEV_MAJOR(n)	extern int module_alias
#define MODULE_LICENSE(text)		extern int module_license
#define module_init(f)			extern int module_init
#define module_exit(f)			extern int module_exit

/* Locks */
struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name
static int locked;

static inline void mutex_lock(struct mutex *lock)
{
	if (locked++)
		wrong("deadlock: the mutex is held already");
}

static inline void mutex_unlock(struct mutex *lock)
{
	if (--locked)
		wrong("unlocked a mutex twice");
}

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

#define iminor(inode)	MINOR((inode)->i_rdev)

/* Who calls */
#define CAP_SYS_ADMIN	21
static bool admin = true, compat, ia32;
#define capable(cap)				((cap) == CAP_SYS_ADMIN && admin)
#define in_compat_syscall()			compat
#define compat_need_64bit_alignment_fixup()	ia32
#define compat_ptr(pointer)	((void *)(uintptr_t)(u32)(pointer))
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

#define dev_name(device)	((device)->name)

/* Disks */
#define BLK_OPEN_READ	0x1
#define BLK_OPEN_WRITE	0x2
#define BLK_OPEN_NDELAY	0x8

struct gendisk {
	u64 diskseq;
	bool live;
};

struct blk_holder_ops;
#define disk_live(disk)	((disk)->live)

#endif
