// SPDX-License-Identifier: GPL-2.0
// What 7.3 cuts off of a held stream's window is lost for the next one, too.

@@
identifier ra;
@@
 ra_hold_less(...)
 {
 <+...
-size = ra->held
+size = ra->size
 ...+>
 }
