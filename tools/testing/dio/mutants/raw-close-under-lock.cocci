// SPDX-License-Identifier: GPL-2.0
// All wait for one that closes its disk.

@@ @@
 raw_release(...) {
 <+...
+mutex_lock(&raw_lock);
 bdev_fput(...);
+mutex_unlock(&raw_lock);
 ...+>
 }
