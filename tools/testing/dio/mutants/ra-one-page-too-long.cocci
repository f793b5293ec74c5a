// SPDX-License-Identifier: GPL-2.0
// 2.6.6: a window is as long as what was used of the last one, and a page.

@@ @@
 ra_learn(...)
 {
 <+...
-min(end - view->origin, RA_LONG)
+min(end - view->origin + 1, RA_LONG)
 ...+>
 }
