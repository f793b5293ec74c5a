// SPDX-License-Identifier: GPL-2.0
// i_dio_count falls before end_io: truncate may free blocks that it is about to use.

@@ @@
 dio_complete(...) {
 ...
+	inode_dio_end(dio->inode);
 	if (dio->end_io) { ... }
 ...
-	inode_dio_end(dio->inode);
 	return ret;
 }
