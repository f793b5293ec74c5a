// SPDX-License-Identifier: GPL-2.0
// The folio that has the mark begins with the window: the next one is read at once.

@@
@@
 ra_run_order(...)
 {
 <+...
-ilog2(before ? before : ra->size)
+ilog2(ra->size)
 ...+>
 }
