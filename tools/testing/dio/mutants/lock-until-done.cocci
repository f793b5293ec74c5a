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
-	if (ret == -EIOCBQUEUED)
+	if (ret == -EIOCBQUEUED) {
+		if ((flags & DIO_LOCKING) && !dio->write)
+			inode_unlock_shared(inode);
 		return ret;
+	}
 ...+>
 }

@@ @@
 dio_run(...) {
 <+...
+	if ((flags & DIO_LOCKING) && !dio->write)
+		inode_unlock_shared(inode);
 	if (!async && cur->first_used)
 		dio_free_bio(...);
 ...+>
 }
