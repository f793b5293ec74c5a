// SPDX-License-Identifier: GPL-2.0
// A run of faults that is longer than expected gets all of the window at once.

@@ @@
 ra_run_next(...) {
 <+...
-min(ask->max, max(RA_TILE, 4 * done))
+ask->max
 ...+>
 }
