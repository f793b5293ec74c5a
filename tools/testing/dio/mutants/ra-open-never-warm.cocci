// SPDX-License-Identifier: GPL-2.0
// In a file that comes to be in memory an open reads no more than a guess may be.

@@ @@
 ra_run_begin(...)
 {
 <+...
-min(ra_warming(ra, ask, min(need, most)), ra_left(ask))
+min3(ra_warming(ra, ask, need), most, ra_left(ask))
 ...+>
 }
