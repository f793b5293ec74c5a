// SPDX-License-Identifier: GPL-2.0
// What is read beyond a run, as the file comes to be in memory, is waited for with it.

@@ @@
 ra_run_begin(...) {
 <+...
-ask->first = ra->size;
-ra->start += ra->size;
-ra->size = want - ra->size;
+ra->size = want;
 ...+>
 }
