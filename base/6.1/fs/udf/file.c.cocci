// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants; the rest of trunk's rules: base/6.1/omit.

// places: 2
@statx@
symbol udf_file_inode_operations;
@@
+static int udf_getattr(struct user_namespace *mnt_userns, const struct path *path,
+		       struct kstat *stat, u32 request_mask, unsigned int flags)
+{
+	/* What lies in the inode goes through the page cache. */
+	if (UDF_I(d_inode(path->dentry))->i_alloc_type == ICBTAG_FLAG_AD_IN_ICB)
+		request_mask &= ~STATX_DIOALIGN;
+	return block_getattr(mnt_userns, path, stat, request_mask, flags);
+}
+
 const struct inode_operations udf_file_inode_operations = {
+	.getattr		= udf_getattr,
 	.setattr		= udf_setattr,
 };
