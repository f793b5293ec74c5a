// SPDX-License-Identifier: GPL-2.0
// A read behind the end of the file goes on.

@@ @@
 __blockdev_direct_IO(...) {
 <+...
-	if (read && iocb->ki_pos >= i_size)
-		goto unlock;
 ...+>
 }
