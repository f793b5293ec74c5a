// SPDX-License-Identifier: GPL-2.0
// Streams that take turns of as many pages as are expected of a run are taken for runs.

@@ @@
 ra_plan_elsewhere(...) {
 <+...
-history < min(ask->expect, ask->max)
+history <= ask->expect
 ...+>
 }
