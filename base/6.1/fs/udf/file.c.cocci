// SPDX-License-Identifier: GPL-2.0
// statx() tells what direct I/O wants; the rest of trunk's rules: base/6.1/omit.

@statx@
symbol udf_file_inode_operations;
@@
 const struct inode_operations udf_file_inode_operations = {
+	.getattr		= block_getattr,
 	.setattr		= udf_setattr,
 };
