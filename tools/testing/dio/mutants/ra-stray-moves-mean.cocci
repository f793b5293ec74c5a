// SPDX-License-Identifier: GPL-2.0
// One stray length moves the mean.

@stray_moves_mean@
@@
 if (mean > far)
 	return mean - DIV_ROUND_UP(mean - far, 2);
-return mean;
+return (near + far) / 2;
