// SPDX-License-Identifier: GPL-2.0
// Pages behind a fault have no marks.

@@ @@
 ra_runs_read(...)
 {
 <+...
-view.state == RA_FAULTS
+false
 ...+>
 }
