// SPDX-License-Identifier: GPL-2.0
// fsync, which takes the inode lock, runs in front of completions that the lock's holder waits for.

@@ @@
 dio_complete_async(...) {
 <+...
-	queue_work(dio_sync_wq, &dio->work);
+	queue_work(dio->inode->i_sb->s_dio_done_wq, &dio->work);
 ...+>
 }
