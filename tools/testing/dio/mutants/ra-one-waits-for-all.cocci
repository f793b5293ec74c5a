// SPDX-License-Identifier: GPL-2.0
// Runs that are longer share one wait.

@@ @@
 ra_cost(...)
 {
 <+...
-cost += longer * RA_WAIT + ra_cost(len, to + 1, 0, &next);
+cost += RA_WAIT + ra_cost(len, to + 1, 0, &next);
 ...+>
 }
