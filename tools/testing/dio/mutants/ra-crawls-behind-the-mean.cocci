// SPDX-License-Identifier: GPL-2.0
// A run that is much longer than was expected is given as much again for ever.

@@ @@
 ra_run_next(...) {
 <+...
-ra_doubled(ra->size, ask->max)
+max(expect, ra_opening(ask->pages, ask->max))
 ...+>
 }
