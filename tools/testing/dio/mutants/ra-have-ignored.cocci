// SPDX-License-Identifier: GPL-2.0
// What is read already is not.

@@ @@
 ra_cost(...)
 {
 <+...
-max(len[i], have)
+len[i]
 ...+>
 }
