// SPDX-License-Identifier: GPL-2.0
// A stream is learnt as a run of its whole length.

@@ @@
-min3(ask->ended, 4 * ask->max, RA_RUN_MAX + 0UL)
+min(ask->ended, RA_RUN_MAX + 0UL)
