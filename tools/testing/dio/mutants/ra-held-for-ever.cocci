// SPDX-License-Identifier: GPL-2.0
// A held stream never gets its full windows back.

@held_for_ever@
@@
 ra_hold_less(...)
 {
 <+...
-ra->size + ra->size / 8 + 1
+ra->size + 0
 ...+>
 }
