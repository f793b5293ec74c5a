// SPDX-License-Identifier: GPL-2.0
// A length is kept that its field has no room for.

@length_overflows@
@@
 ra_run_learn(...)
 {
 <+...
-min3(ask->ended, 4 * ask->max, RA_RUN_MAX + 0UL)
+min(ask->ended, 4 * ask->max)
 ...+>
 }
