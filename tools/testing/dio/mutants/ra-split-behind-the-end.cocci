// SPDX-License-Identifier: GPL-2.0
// What is read beyond a run is sought behind the end of the file.

@@ @@
 ra_run_begin(...) {
 <+...
-min3(ra_warming(ra, ask, need), most, ra_left(ask))
+min(ra_warming(ra, ask, need), most)
 ...+>
 }
