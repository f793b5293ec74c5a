// SPDX-License-Identifier: GPL-2.0
// What the raw driver passes ioctls to; the kernel keeps these two in block/blk.h.

@declare_blkdev_ioctls@
symbol file, cmd, arg;
@@

+long blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
+long compat_blkdev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
 void printk_all_partitions(void);
