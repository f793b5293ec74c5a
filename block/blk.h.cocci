// SPDX-License-Identifier: GPL-2.0
// These two are declared in include/linux/blkdev.h now.

@drop_blkdev_ioctl@
@@

-long blkdev_ioctl(...);

@drop_compat_blkdev_ioctl@
@@

-long compat_blkdev_ioctl(...);
