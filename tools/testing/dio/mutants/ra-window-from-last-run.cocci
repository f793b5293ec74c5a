// SPDX-License-Identifier: GPL-2.0
// 2.6.6: the next window comes from the last run, not from the mean.

@window_from_last_run@
@@
 ra_run_begin(...)
 {
 <+...
-ask->expect
+(unsigned long)ra->last
 ...+>
 }
