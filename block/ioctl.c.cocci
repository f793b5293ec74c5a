// SPDX-License-Identifier: GPL-2.0
// The raw driver passes ioctls on to the block device, also when it is a module.

@export_blkdev_ioctl@
@@

long blkdev_ioctl(...)
{
	...
}
+EXPORT_SYMBOL_GPL(blkdev_ioctl);

@export_compat_blkdev_ioctl@
@@

long compat_blkdev_ioctl(...)
{
	...
}
+EXPORT_SYMBOL_GPL(compat_blkdev_ioctl);
