// SPDX-License-Identifier: GPL-2.0
// A truncate goes on while pages are still being thrown out.

@@ @@
 dio_complete(...) {
 ...
+inode_dio_end(dio->inode);
 if (dio->write && ret > 0 && can_sleep)
 	kiocb_invalidate_post_direct_write(...);
-inode_dio_end(dio->inode);
 ...
 }
