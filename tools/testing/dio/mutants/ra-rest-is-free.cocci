// SPDX-License-Identifier: GPL-2.0
// What runs that are longer read behind the first end is not counted.

@@ @@
 ra_cost(...)
 {
 <+...
-cost += longer * RA_WAIT + ra_cost(len, to + 1, 0, &next);
+cost += longer * RA_WAIT;
 ...+>
 }
