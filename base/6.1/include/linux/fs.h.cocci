// SPDX-License-Identifier: GPL-2.0
// No file system sends the bios of direct I/O itself any more.

@submit@
typedef get_block_t;
typedef dio_iodone_t;
typedef dio_submit_t;
identifier iocb, inode, bdev, iter, get_block, end_io, submit_io, flags;
@@
 ssize_t __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode,
 			     struct block_device *bdev, struct iov_iter *iter,
 			     get_block_t get_block, dio_iodone_t end_io,
-			     dio_submit_t submit_io,
 			     int flags);

@no_submit depends on submit@
expression list[4] first;
expression get_block;
@@
 blockdev_direct_IO(...)
 {
 <+...
 __blockdev_direct_IO(first, get_block, NULL,
-			NULL,
 			DIO_LOCKING | DIO_SKIP_HOLES)
 ...+>
 }
