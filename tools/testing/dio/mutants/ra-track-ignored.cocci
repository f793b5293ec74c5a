// SPDX-License-Identifier: GPL-2.0
// A stream among others begins anew at every miss.

@@ @@
 ra_plan_elsewhere(...) {
 <+...
-history <= ask->pages
+true
 ...+>
 }
