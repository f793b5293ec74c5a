// SPDX-License-Identifier: GPL-2.0
// The length of a run that ended with its first request is expected of the next one.

@@ @@
 ra_run_learn(...) {
 <+...
-if (ra->state == RA_RUN && ask->ended <= 1UL << ra->first)
-	len = 1;
 ...+>
 }
