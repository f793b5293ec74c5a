// SPDX-License-Identifier: GPL-2.0
// The size may change before the lock is had.

@@ @@
+i_size = i_size_read(inode);
 if (lock && !dio_lock(iocb, inode))
 	return -EAGAIN;
-i_size = i_size_read(inode);
