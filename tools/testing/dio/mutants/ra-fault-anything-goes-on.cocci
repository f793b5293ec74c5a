// SPDX-License-Identifier: GPL-2.0
// A run of faults goes on wherever the next one is.

@@ @@
 ra_runs_fault(...)
 {
 <+...
-index - view.end <= gap
+true
 ...+>
 }
