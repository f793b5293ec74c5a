// SPDX-License-Identifier: GPL-2.0
// A stream among others begins anew at every miss.

@@ @@
 ra_plan_elsewhere(...) {
 ...
-if (history <= ask->pages || history < min(ask->expect, ask->max)) {
+{
 	ra_run_begin(ra, ask);
 	return;
 }
 ...
 }
