// SPDX-License-Identifier: GPL-2.0
// What a read has asked for counts as runs of faults that differed.

@@ @@
 ra_forget_request(...) {
 <+...
-before == RA_RUN
+false
 ...+>
 }
