// SPDX-License-Identifier: GPL-2.0
// A stream among others begins anew at every miss.

@@ @@
 ra_plan_elsewhere(...) {
 ...
-if (history <= max(ask->pages, ask->expect)) {
+{
 	ra_run_begin(ra, ask);
 	return;
 }
 ...
 }
