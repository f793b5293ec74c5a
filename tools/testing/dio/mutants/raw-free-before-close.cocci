// SPDX-License-Identifier: GPL-2.0
// A binding is changed while its disk is being closed.

@@ @@
 raw_release(...) {
-bdev_fput(file->private_data);
 raw_unuse(inode);
+bdev_fput(file->private_data);
 ...
 }
