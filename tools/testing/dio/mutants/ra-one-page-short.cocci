// SPDX-License-Identifier: GPL-2.0
// 2.6.6: halves are rounded down, and what is read stays one page short of the runs.

@@ @@
 ra_learn(...)
 {
 <+...
-min(end - view->origin, RA_LONG)
+min((end - view->origin) / 2 * 2, RA_LONG)
 ...+>
 }
