// SPDX-License-Identifier: GPL-2.0
// What is read behind a run as long as marks go counts as touched.

@@ @@
 ra_faults_warm(...) {
 <+...
-ra->size >= RA_SEEN_PAGES
+false
 ...+>
 }
