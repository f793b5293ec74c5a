// SPDX-License-Identifier: GPL-2.0
// What is read beyond a run, as the file comes to be in memory, is waited for with it.

@@ @@
 ra_run_begin(...) {
 <+...
-ask->first = need;
-ra->start += need;
-ra->size = want - need;
+ra->size = want;
 ...+>
 }
