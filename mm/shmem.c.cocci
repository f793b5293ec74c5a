// SPDX-License-Identifier: GPL-2.0
// Who reads by one open file writes where the last read ended, with nothing held.

@prev_pos_told@
expression in, E;
@@
-	in->f_ra.prev_pos = E;
+	WRITE_ONCE(in->f_ra.prev_pos, E);
