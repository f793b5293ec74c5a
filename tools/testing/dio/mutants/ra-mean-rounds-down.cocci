// SPDX-License-Identifier: GPL-2.0
// 2.6.6: halves are rounded down, and the mean stays short of the runs.

@mean_rounds_down@
expression mean, near;
@@
-mean + DIV_ROUND_UP(near - mean, 2)
+mean + (near - mean) / 2
