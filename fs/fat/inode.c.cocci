// SPDX-License-Identifier: GPL-2.0
// io_uring gave every direct read to a worker thread, for want of a file system that says when it
// would have to wait: half of what such a read cost.

@nowait@
@@
+/* For reads that may not wait. */
+static int fat_map_nowait(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
+{
+	unsigned long max_blocks = bh->b_size >> inode->i_blkbits;
+	unsigned long mapped_blocks;
+	sector_t phys;
+	int err;
+
+	if (create)
+		return -EAGAIN;
+	err = fat_bmap_nowait(inode, block, &phys, &mapped_blocks);
+	if (err || !phys)
+		return err;
+	map_bh(bh, inode->i_sb, phys);
+	bh->b_size = min(mapped_blocks, max_blocks) << inode->i_blkbits;
+	return 0;
+}
+
 static ssize_t fat_direct_IO(struct kiocb *iocb, struct iov_iter *iter)
 {
 	...
 }

// places: 2
@direct depends on nowait@
@@
 fat_direct_IO(struct kiocb *iocb, ...)
 {
+	get_block_t *get_block = iocb->ki_flags & IOCB_NOWAIT ? fat_map_nowait : fat_get_block;
 	...
-	blockdev_direct_IO(iocb, inode, iter, fat_get_block)
+	blockdev_direct_IO(iocb, inode, iter, get_block)
 	...
 }
