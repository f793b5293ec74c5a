// SPDX-License-Identifier: GPL-2.0
// Each mark of a stream makes all runs of faults have marks again.

@@ @@
 ra_forget_request(...) {
 <+...
-before == RA_RUN
+true
 ...+>
 }
