// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants. Writes go through the page cache, and want nothing.

@statx@
symbol nilfs_file_inode_operations;
@@
 const struct inode_operations nilfs_file_inode_operations = {
+	.getattr	= block_getattr,
 	.setattr	= nilfs_setattr,
 };
