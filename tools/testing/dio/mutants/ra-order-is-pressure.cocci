// SPDX-License-Identifier: GPL-2.0
// A request that came late counts as a page that memory could not keep.

@@ @@
 ra_plan_adjacent(...) {
 <+...
-ra_was_evicted(ask)
+true
 ...+>
 }
