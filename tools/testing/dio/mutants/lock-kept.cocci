// SPDX-License-Identifier: GPL-2.0
// A read keeps the inode lock.

@@ @@
 dio_run(...) {
 <+...
-	inode_unlock_shared(inode);
+	;
 ...+>
 }
