// SPDX-License-Identifier: GPL-2.0
// What is read beyond a run is sought behind the end of the file.

@@ @@
 ra_run_begin(...) {
 <+...
-min(ra_warming(ra, ask, min(need, most)), ra_left(ask))
+ra_warming(ra, ask, min(need, most))
 ...+>
 }
