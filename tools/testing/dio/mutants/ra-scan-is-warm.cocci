// SPDX-License-Identifier: GPL-2.0
// A scan that leaves pages out is taken for a file that comes to be in memory.

@@ @@
 ra_warming(...) {
 <+...
-ask->index - seen <= ask->max
+false
 ...+>
 }
