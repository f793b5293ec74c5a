// SPDX-License-Identifier: GPL-2.0
// Two long runs are believed at once: of 64, 64, 1, 1 the short ones read 64 pages.

@@ @@
 ra_run_mean(...) {
 <+...
-agreed ? far : min(far, 4 * mean)
+far
 ...+>
 }
