// SPDX-License-Identifier: GPL-2.0
// Runs that were shorter than this one are what it may become.

@@ @@
 ra_cost(...)
 {
 <+...
-len[i] < need || len[i] == RA_LONG
+len[i] == RA_LONG
 ...+>
 }
