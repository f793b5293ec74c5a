// SPDX-License-Identifier: GPL-2.0
// A write that meets a hole fails instead of going on through the page cache.

@@ @@
 dio_submit_all(...) {
 <+...
-	if (ret == -ENOTBLK)
-		ret = 0;
 ...+>
 }
