// SPDX-License-Identifier: GPL-2.0
// 2.6: the window stays as the mean says until the run has ended.

@crawls_after_random@
expression size;
@@
 ra_run_next(...)
 {
 <+...
-return min(size, ask->max);
+return min(expect, ask->max);
 ...+>
 }
