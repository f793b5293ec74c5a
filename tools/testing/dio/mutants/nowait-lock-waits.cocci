// SPDX-License-Identifier: GPL-2.0
// IOCB_NOWAIT waits for the inode's lock.

@@ @@
 dio_lock(...) {
 <+...
-		return inode_trylock_shared(inode);
+		;
 ...+>
 }
