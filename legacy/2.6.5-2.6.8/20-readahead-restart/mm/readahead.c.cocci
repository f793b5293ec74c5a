// SPDX-License-Identifier: GPL-2.0

@restart_mean@
symbol ra, max;
@@

 ra->next_size = max;
 ra->size = max;
 ra->ahead_start = 0;
 ra->ahead_size = 0;
+/* The runs of before are over. */
+ra->average = max / 2;
