// SPDX-License-Identifier: GPL-2.0
// Opens whose runs differ in length are all believed to be as long as the mean.

@@ @@
 ra_run_next(...)
 {
 <+...
-size = max(size, min(expect, ask->max / RA_SCATTERED));
 ...+>
 }
