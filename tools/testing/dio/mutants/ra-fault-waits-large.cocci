// SPDX-License-Identifier: GPL-2.0
// What is read behind a run has large folios, though the open file's window is that of another.

@@ @@
 ra_run_order(...) {
 <+...
-!ask->waits
+true
 ...+>
 }
