// SPDX-License-Identifier: GPL-2.0
// What is still to come of a run of faults is not read, but what lies behind the window is.

@@ @@
 ra_faults_warm(...) {
 <+...
-ra->async_size
+false
 ...+>
 }
