// SPDX-License-Identifier: GPL-2.0
// Each block was mapped by itself, and blocks have 512 bytes on most disks.

@row@
@@
 struct udf_map_rq {
 	sector_t lblk;
 	udf_pblk_t pblk;
+	/* How many blocks lie in a row on the disk, from pblk on */
+	unsigned int len;
 	int iflags;
 	int oflags;
 };

@row_of_extent depends on row@
@@
+/*
+ * How many blocks of an extent of @elen bytes lie in a row on the disk, from block @offset on?
+ * Not known where a table of partition @part has the place of each, or metadata is kept twice.
+ */
+static unsigned int udf_row(struct super_block *sb, int part, unsigned int elen, sector_t offset)
+{
+	struct udf_sb_info *sbi = UDF_SB(sb);
+
+	if (part >= sbi->s_partitions || sbi->s_partmaps[part].s_partition_func)
+		return 1;
+	return DIV_ROUND_UP(elen, sb->s_blocksize) - offset;
+}
+
 static int udf_map_block(struct inode *inode, struct udf_map_rq *map)
 {
 	...
 }

@row_found depends on row@
@@
 udf_map_block(...)
 {
 <+...
 			map->pblk = udf_get_lb_pblock(inode->i_sb, &eloc,
 						      offset);
+			map->len = udf_row(inode->i_sb, eloc.partitionReferenceNum, elen, offset);
 ...+>
 }

// places: 3
@row_told depends on row@
identifier bh_result;
@@
 __udf_get_block(struct inode *inode, sector_t block, struct buffer_head *bh_result, int flags)
 {
+	size_t want = bh_result->b_size;
 	int err;
 	struct udf_map_rq map = {
 		.lblk = block,
+		.len = 1,
 		.iflags = flags,
 	};
 	...
 	if (map.oflags & UDF_BLK_MAPPED) {
 		map_bh(bh_result, inode->i_sb, map.pblk);
+		if (map.len > 1)
+			bh_result->b_size = min(want, (size_t)map.len << inode->i_blkbits);
 		...
 	}
 	...
 }

// io_uring gave every direct read to a worker thread, for want of a file system that says when it
// would have to wait.

@nowait@
@@
+/* Where the extents of a file go on in a block of their own: if that is in memory, 0. */
+static int udf_next_descs_nowait(struct inode *inode, struct extent_position *pos,
+				 struct kernel_lb_addr *eloc)
+{
+	/* Such a partition has a table, which may be on the disk. */
+	if (UDF_SB(inode->i_sb)->s_partmaps[eloc->partitionReferenceNum].s_partition_func)
+		return -EAGAIN;
+	brelse(pos->bh);
+	pos->bh = sb_find_get_block(inode->i_sb, udf_get_lb_pblock(inode->i_sb, eloc, 0));
+	pos->offset = 0;
+	return pos->bh && buffer_uptodate(pos->bh) ? 0 : -EAGAIN;
+}
+
+/* For reads that may not wait. Whoever may finds what is wrong with an extent, and says so. */
+static int udf_map_nowait(struct inode *inode, sector_t block, struct buffer_head *bh, int create)
+{
+	loff_t offset = (loff_t)block << inode->i_blkbits, end = 0;
+	struct udf_inode_info *iinfo = UDF_I(inode);
+	struct extent_position pos = {};
+	int err = -EAGAIN, blocks = 16;
+	struct kernel_lb_addr eloc;
+	u32 elen = 0;
+	size_t want;
+	s8 etype = 0;
+
+	if (create || !down_read_trylock(&iinfo->i_data_sem))
+		return -EAGAIN;
+	while (end <= offset) {
+		if (udf_current_aext(inode, &pos, &eloc, &elen, &etype, 1) <= 0)
+			goto unlock;
+		if (etype != EXT_NEXT_EXTENT_ALLOCDESCS >> 30)
+			end += elen;
+		else if (!blocks-- || udf_next_descs_nowait(inode, &pos, &eloc))
+			goto unlock;
+	}
+	err = 0;
+	if (etype != EXT_RECORDED_ALLOCATED >> 30)
+		goto unlock;
+	err = -EAGAIN;
+	if (UDF_SB(inode->i_sb)->s_partmaps[eloc.partitionReferenceNum].s_partition_func)
+		goto unlock;
+	err = 0;
+	want = min_t(u64, bh->b_size, round_up((u64)(end - offset), i_blocksize(inode)));
+	offset -= end - elen;
+	map_bh(bh, inode->i_sb, udf_get_lb_pblock(inode->i_sb, &eloc, offset >> inode->i_blkbits));
+	bh->b_size = want;
+unlock:
+	up_read(&iinfo->i_data_sem);
+	brelse(pos.bh);
+	return err;
+}
+
 static ssize_t udf_direct_IO(struct kiocb *iocb, struct iov_iter *iter)
 {
 	...
 }

// places: 2
@direct depends on nowait@
@@
 udf_direct_IO(struct kiocb *iocb, ...)
 {
+	get_block_t *get_block = iocb->ki_flags & IOCB_NOWAIT ? udf_map_nowait : udf_get_block;
 	...
-	blockdev_direct_IO(iocb, inode, iter, udf_get_block)
+	blockdev_direct_IO(iocb, inode, iter, get_block)
 	...
 }
