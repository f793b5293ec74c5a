// SPDX-License-Identifier: GPL-2.0
// The folio that has the mark begins before it: the next window is read sooner than was meant.

@@
expression order, mark;
@@
 ra_run_order(...)
 {
 <+...
-order = min_t(unsigned int, order, __ffs(mark));
+order = order;
 ...+>
 }
