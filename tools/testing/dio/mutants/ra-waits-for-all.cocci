// SPDX-License-Identifier: GPL-2.0
// The first window of a long run is all of it, and so is what the program waits for.

@@ @@
 ra_run_begin(...) {
 <+...
-min3(need, ask->max, max(ask->pages, RA_WAIT_PAGES))
+min(need, ask->max)
 ...+>
 }
