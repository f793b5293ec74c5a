// SPDX-License-Identifier: GPL-2.0
// A second caller of fat_cache_lookup() must not cost the first one: by itself gcc inlines only what
// is called once.

@inlined@
@@
-static int fat_cache_lookup(struct inode *inode, int fclus,
-			    struct fat_cache_id *cid,
-			    int *cached_fclus, int *cached_dclus)
+static inline int fat_cache_lookup(struct inode *inode, int fclus,
+				   struct fat_cache_id *cid,
+				   int *cached_fclus, int *cached_dclus)
 {
 	...
 }

@nowait depends on inlined@
@@
 int fat_bmap(...)
 {
 	...
 }
+
+/**
+ * fat_bmap_nowait() - where a block of a file is, if that is known without waiting
+ * @inode: a regular file, whose size does not change meanwhile
+ * @sector: the block, in blocks of the file system from the start of the file
+ * @phys: the block on the disk, or 0 behind the end of the file
+ * @mapped_blocks: so many, from @sector on, lie side by side on the disk
+ *
+ * What earlier walks along the file's chain have left in the inode's cache is all that is asked, so
+ * that nothing is read. A run of that cache is mapped at once, however many clusters it has.
+ *
+ * Context: any that may take the cache's spinlock.
+ * Return: 0, or -EAGAIN if the chain would have to be walked.
+ */
+int fat_bmap_nowait(struct inode *inode, sector_t sector, sector_t *phys,
+		    unsigned long *mapped_blocks)
+{
+	struct super_block *sb = inode->i_sb;
+	struct msdos_sb_info *sbi = MSDOS_SB(sb);
+	int cluster = sector >> (sbi->cluster_bits - sb->s_blocksize_bits);
+	int offset = sector & (sbi->sec_per_clus - 1);
+	int known = 0, at = MSDOS_I(inode)->i_start, more = 0;
+	sector_t blocks = DIV_ROUND_UP_ULL(i_size_read(inode), sb->s_blocksize);
+	struct fat_cache_id cid;
+
+	*phys = 0;
+	*mapped_blocks = 0;
+	if (sector >= blocks)
+		return 0;
+	if (cluster) {
+		if (fat_cache_lookup(inode, cluster, &cid, &known, &at) < 0 || known != cluster)
+			return -EAGAIN;
+		more = cid.fcluster + cid.nr_contig - cluster;
+	}
+	if (!fat_valid_entry(sbi, at))
+		return -EAGAIN;		/* who may wait reports it */
+
+	*phys = fat_clus_to_blknr(sbi, at) + offset;
+	*mapped_blocks = min_t(sector_t, (more + 1UL) * sbi->sec_per_clus - offset,
+			       blocks - sector);
+	return 0;
+}
