// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants.

@include_bh@
@@
+#include <linux/buffer_head.h>
 #include <linux/posix_acl.h>

@statx depends on include_bh@
symbol jfs_file_inode_operations;
@@
 const struct inode_operations jfs_file_inode_operations = {
+	.getattr	= block_getattr,
 	.listxattr	= jfs_listxattr,
 };

// Reads can say that they would have to wait; a write, which may allocate blocks, always may.

@open@
@@
 jfs_open(struct inode *inode, struct file *file)
 {
 	...
+	file->f_mode |= FMODE_NOWAIT;
 	return 0;
 }

@write depends on open@
@@
+static ssize_t jfs_write_iter(struct kiocb *iocb, struct iov_iter *from)
+{
+	/* It may take the inode's lock, begin a transaction and go on in the page cache. */
+	if (iocb->ki_flags & IOCB_NOWAIT)
+		return -EAGAIN;
+	return generic_file_write_iter(iocb, from);
+}
+
 int jfs_setattr(...)
 {
 	...
 }

@operations depends on write@
symbol jfs_file_operations;
@@
 const struct file_operations jfs_file_operations = {
-	.write_iter	= generic_file_write_iter,
+	.write_iter	= jfs_write_iter,
 };
