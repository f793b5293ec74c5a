// SPDX-License-Identifier: GPL-2.0
// In a file that comes to be in memory one reader of much makes others read much in vain.

@@ @@
 ra_run_begin(...)
 {
 <+...
-ra_warming(ra, ask, min(need, most))
+ra_warming(ra, ask, need)
 ...+>
 }
