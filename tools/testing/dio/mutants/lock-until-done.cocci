// SPDX-License-Identifier: GPL-2.0
// A read keeps the inode lock until its data is there.

@@ @@
 dio_run(...) {
 <+...
-	if ((flags & DIO_LOCKING) && !dio->write)
-		inode_unlock_shared(inode);
 ...+>
 }

@@ @@
 dio_run(...) {
 <+...
 	if (!dio_is_queued(...))
 		dio_wait(dio);
 	else if (!atomic_dec_and_test(...))
-		return -EIOCBQUEUED;
+	{
+		if ((flags & DIO_LOCKING) && !dio->write)
+			inode_unlock_shared(inode);
+		return -EIOCBQUEUED;
+	}
+	if ((flags & DIO_LOCKING) && !dio->write)
+		inode_unlock_shared(inode);
 ...+>
 }
