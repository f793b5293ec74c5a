// SPDX-License-Identifier: GPL-2.0
// The contract of a mapping: what get_block is asked, and what its answer means. The long form is
// in Documentation/dio-boundary.txt.

@statx@
@@
+void block_statx_dio(const struct inode *inode, u32 request_mask, struct kstat *stat);
+int block_getattr(struct mnt_idmap *idmap, const struct path *path, struct kstat *stat,
+		  u32 request_mask, unsigned int query_flags);
 int block_truncate_page(...);

@tell_boundary depends on statx@
@@
 enum bh_state_bits {
 	...,
+	/*
+	 * Of a mapping of several blocks: its last block is followed by metadata on the disk
+	 * that is about to be read. Data up to and with that block is sent before; nothing acts
+	 * on the flag earlier.
+	 */
 	BH_Boundary,
 	...
 };

@add_request@
identifier bh, sb, block;
@@
+/**
+ * map_bh_request() - make a buffer_head ready to ask get_block for a mapping
+ * @bh: b_state, b_page, b_blocknr, b_size and b_bdev are set, which is all that a get_block may
+ *	look at but for b_private: that is NULL at the first mapping of a request, and then left
+ *	alone
+ * @bytes: how much is wanted, a multiple of the file's block size; more may not be mapped
+ */
+static inline void
+map_bh_request(struct buffer_head *bh, size_t bytes)
+{
+	bh->b_state = 0;
+	bh->b_page = NULL;
+	bh->b_blocknr = 0;
+	bh->b_size = bytes;
+	bh->b_bdev = NULL;
+}
+
 static inline void
 map_bh(struct buffer_head *bh, struct super_block *sb, sector_t block)
 { ... }
