// SPDX-License-Identifier: GPL-2.0
// 2.6.6: a window is as long as what was used of the last one, and a page.

@one_page_too_long@
expression want, most, wait;
@@
 ra_run_begin(...)
 {
 <+...
-min3(want, most, wait)
+min3(want + 1, most, wait)
 ...+>
 }
