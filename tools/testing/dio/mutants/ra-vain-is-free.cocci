// SPDX-License-Identifier: GPL-2.0
// Pages that are read in vain cost nothing: the longest run is read.

@@ @@
 ra_cost(...)
 {
 <+...
-cost += to - max(len[k], have);
+cost += 0;
 ...+>
 }
