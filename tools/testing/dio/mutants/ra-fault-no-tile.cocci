// SPDX-License-Identifier: GPL-2.0
// A mapped file that comes to be in memory is read run by run.

@@ @@
 ra_plan_fault(...) {
 <+...
-ask->dense && history < ra_tile(ask) / 2 && !ra_was_evicted(ask)
+false
 ...+>
 }
