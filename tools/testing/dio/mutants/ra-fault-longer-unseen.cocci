// SPDX-License-Identifier: GPL-2.0
// A run of faults that is longer than the habit tells nobody.

@@ @@
 ra_marks_end(...) {
 <+...
-ra_run_expected(ra->mean) + 1
+ra_run_expected(ra->mean)
 ...+>
 }
