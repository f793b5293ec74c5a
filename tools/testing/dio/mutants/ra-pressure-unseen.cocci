// SPDX-License-Identifier: GPL-2.0
// Pages that had to go are read again beyond a run.

@@ @@
 ra_warm_end(...)
 {
 <+...
-xa_is_value(entry)
+false
 ...+>
 }
