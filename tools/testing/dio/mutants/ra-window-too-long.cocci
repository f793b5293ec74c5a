// SPDX-License-Identifier: GPL-2.0
// A window may be longer than it may.

@window_too_long@
@@
 ra_run_next(...)
 {
 <+...
-min3(size, ask->max, max(2UL * ra->size, RA_WAIT_PAGES))
+size
 ...+>
 }
