// SPDX-License-Identifier: GPL-2.0
// What is read behind a run of faults has single pages.

@@ @@
 ra_run_order(...) {
 <+...
-ask->first && !ask->waits
+false
 ...+>
 }
