// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants.

@statx@
identifier inode, stat, mask;
@@
 fat_getattr(..., struct kstat *stat, u32 mask, ...)
 {
 	...
 	struct inode *inode = d_inode(...);
 	...
 	generic_fillattr(...);
+	block_statx_dio(inode, mask, stat);
 	...
 }

// Reads can say that they would have to wait; a write, which may allocate clusters, always may.

@open@
@@
+static int fat_file_open(struct inode *inode, struct file *file)
+{
+	file->f_mode |= FMODE_NOWAIT;
+	return 0;
+}
+
 static int fat_file_release(struct inode *inode, struct file *filp)
 {
 	...
 }

@write@
@@
+static ssize_t fat_file_write_iter(struct kiocb *iocb, struct iov_iter *from)
+{
+	/* It may take the inode's lock, read the FAT and go on in the page cache. */
+	if (iocb->ki_flags & IOCB_NOWAIT)
+		return -EAGAIN;
+	return generic_file_write_iter(iocb, from);
+}
+
 static int fat_file_release(struct inode *inode, struct file *filp)
 {
 	...
 }

// places: 2
@operations depends on open && write@
symbol fat_file_operations;
@@
 const struct file_operations fat_file_operations = {
+	.open		= fat_file_open,
 	.llseek		= generic_file_llseek,
-	.write_iter	= generic_file_write_iter,
+	.write_iter	= fat_file_write_iter,
 };
