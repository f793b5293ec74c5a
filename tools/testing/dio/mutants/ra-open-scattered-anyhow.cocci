// SPDX-License-Identifier: GPL-2.0
// Opens whose runs differ a little in length read much more than any of them.

@@ @@
 ra_run_next(...)
 {
 <+...
-min(expect, ask->max / RA_SCATTERED)
+(ask->max / RA_SCATTERED)
 ...+>
 }
