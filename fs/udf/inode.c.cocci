// SPDX-License-Identifier: GPL-2.0
// Each block was mapped by itself, and blocks have 512 bytes on most disks. To overwrite one, all
// extents of the file were gone through, under a lock that keeps everybody else out.

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

// places: 3
@overwrite depends on row@
@@
 udf_map_block(struct inode *inode, struct udf_map_rq *map)
 {
+	bool create = map->iflags & UDF_MAP_CREATE;
 	int ret;
 	...
 	map->oflags = 0;
-	if (!(map->iflags & UDF_MAP_CREATE)) {
+	/* A block that is there need not be made. Behind the size some may be preallocated. */
+	if (!create || (loff_t)(map->lblk + 1) << inode->i_blkbits <= i_size_read(inode)) {
 	...
 		brelse(epos.bh);
-		return ret;
+		if (ret < 0 || !create || map->oflags & UDF_BLK_MAPPED)
+			return ret;
 	}
 	...
 }
