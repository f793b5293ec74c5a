// SPDX-License-Identifier: GPL-2.0
// A program waits for all of a long run at once.

@@ @@
 ra_runs_miss(...)
 {
 <+...
-min(max, max(pages, RA_AT_ONCE))
+max
 ...+>
 }
