// SPDX-License-Identifier: GPL-2.0
// A window that a fault has moved is taken for the last one of the run.

@@ @@
 ra_load(...) {
 <+...
-packed.check == ra_check(view->start) ? packed.state : RA_UNKNOWN
+packed.state
 ...+>
 }
