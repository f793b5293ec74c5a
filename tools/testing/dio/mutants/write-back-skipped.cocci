// SPDX-License-Identifier: GPL-2.0
// A read goes past data that is still in the page cache.

@@ @@
 __blockdev_direct_IO(...) {
 <+...
-	ret = dio_write_back(...);
+	ret = 0;
 ...+>
 }
