// SPDX-License-Identifier: GPL-2.0
// Blocks behind the end of the file are read.

@@ @@
 __blockdev_direct_IO(...) {
 <+...
-	if (read)
-		cur.end = min_t(...);
 ...+>
 }
