// SPDX-License-Identifier: GPL-2.0
// A scan that leaves pages out comes back for them.

@@ @@
 ra_warm_end(...)
 {
 <+...
-index - view->prev_end < max
+false
 ...+>
 }
