// SPDX-License-Identifier: GPL-2.0
// io_uring gave every direct read to a worker thread, for want of a file system that says when it
// would have to wait: half of what such a read cost. The root of a file's tree of extents, 18 of
// them from 6.1 on, is in the inode.

@nowait@
@@
+/* For reads that may not wait: nothing but the root is looked at, which is in memory. */
+static int jfs_map_nowait(struct inode *ip, sector_t block, struct buffer_head *bh, int create)
+{
+	s32 xlen = bh->b_size >> ip->i_blkbits;
+	int xflag = 0, rc = -EAGAIN;
+	s64 xaddr;
+
+	if (create || !down_read_trylock(&JFS_IP(ip)->rdwrlock))
+		return -EAGAIN;
+	if (!(JFS_IP(ip)->i_xtroot.header.flag & BT_LEAF))
+		goto unlock;
+	rc = xtLookup(ip, block, xlen, &xflag, &xaddr, &xlen, 0);
+	if (rc || !xaddr || xflag & XAD_NOTRECORDED)
+		goto unlock;
+	map_bh(bh, ip->i_sb, xaddr);
+	bh->b_size = xlen << ip->i_blkbits;
+unlock:
+	IREAD_UNLOCK(ip);
+	return rc;
+}
+
 static ssize_t jfs_direct_IO(struct kiocb *iocb, struct iov_iter *iter)
 {
 	...
 }

// places: 2
@direct depends on nowait@
@@
 jfs_direct_IO(struct kiocb *iocb, ...)
 {
+	get_block_t *get_block = iocb->ki_flags & IOCB_NOWAIT ? jfs_map_nowait : jfs_get_block;
 	...
-	blockdev_direct_IO(iocb, inode, iter, jfs_get_block)
+	blockdev_direct_IO(iocb, inode, iter, get_block)
 	...
 }
