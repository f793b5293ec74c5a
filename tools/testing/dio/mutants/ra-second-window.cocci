// SPDX-License-Identifier: GPL-2.0
// 2.6.6: a second window is opened with the first, also on random access.

@@ @@
 ra_run_begin(...) {
 <+...
-ra->async_size = 0;
+ra->async_size = ra->size;
 ...+>
 }
