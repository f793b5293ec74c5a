// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants.

// places: 2
@statx@
symbol udf_file_inode_operations;
@@
+static int udf_getattr(struct mnt_idmap *idmap, const struct path *path, struct kstat *stat,
+		       u32 request_mask, unsigned int flags)
+{
+	/* What lies in the inode goes through the page cache. */
+	if (UDF_I(d_inode(path->dentry))->i_alloc_type == ICBTAG_FLAG_AD_IN_ICB)
+		request_mask &= ~STATX_DIOALIGN;
+	return block_getattr(idmap, path, stat, request_mask, flags);
+}
+
 const struct inode_operations udf_file_inode_operations = {
+	.getattr		= udf_getattr,
 	.setattr		= udf_setattr,
 };

// Reads can say that they would have to wait; a write, which may allocate blocks, always may.

@open@
@@
+static int udf_file_open(struct inode *inode, struct file *file)
+{
+	file->f_mode |= FMODE_NOWAIT;
+	return generic_file_open(inode, file);
+}
+
 static int udf_release_file(struct inode *inode, struct file *filp)
 {
 	...
 }

@write@
identifier iocb, from, iinfo, inode;
@@
 udf_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
 {
 	...
 	struct udf_inode_info *iinfo = UDF_I(inode);
+
+	/* It may take locks, read extents and go on in the page cache. */
+	if (iocb->ki_flags & IOCB_NOWAIT)
+		return -EAGAIN;
 	...
 }

@operations depends on open && write@
symbol udf_file_operations;
@@
 const struct file_operations udf_file_operations = {
-	.open			= generic_file_open,
+	.open			= udf_file_open,
 };
