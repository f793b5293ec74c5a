// SPDX-License-Identifier: GPL-2.0
// The last page of a directory is no part of its run.

@@ @@
 ra_prev_end(...) {
 <+...
-ask->directory ? PAGE_SIZE : PAGE_SIZE - 1
+PAGE_SIZE - 1
 ...+>
 }
