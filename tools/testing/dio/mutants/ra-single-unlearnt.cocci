// SPDX-License-Identifier: GPL-2.0
// Runs that end with their first request are not learnt.

@@ @@
 ra_learn(...)
 {
 <+...
-if (view->state == RA_UNKNOWN)
+if (view->state <= RA_SINGLE)
 	return;
 ...+>
 }
