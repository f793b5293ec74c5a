// SPDX-License-Identifier: GPL-2.0
// A read takes the inode lock to keep truncates and allocation away, not other reads.

// places: 4
@shared@
// comment: taken and dropped again before returning. => taken shared and dropped again before returning.
identifier inode;
@@
 __blockdev_direct_IO(struct kiocb *iocb, struct inode *inode, ...)
 {
 <+...
(
-	inode_lock(inode)
+	inode_lock_shared(inode)
|
-	inode_unlock(inode)
+	inode_unlock_shared(inode)
|
-	inode_unlock(dio->inode)
+	inode_unlock_shared(dio->inode)
)
 ...+>
 }
