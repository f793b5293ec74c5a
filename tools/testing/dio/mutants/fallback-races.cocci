// SPDX-License-Identifier: GPL-2.0
// A write goes on through the page cache while a direct write to the same block is on its way.

@@ @@
 dio_run(...) {
 <+...
-	inode_dio_wait(...);
+	;
 ...+>
 }
