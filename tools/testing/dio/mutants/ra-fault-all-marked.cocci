// SPDX-License-Identifier: GPL-2.0
// Each run of faults has marks, which take a fault each, however much lengths scatter.

@@ @@
 ra_is_looked_at(...) {
 <+...
-ra->first <= RA_DIFFERED
+true
 ...+>
 }
