// SPDX-License-Identifier: GPL-2.0
// The first mark behind a loss gives back what the loss has taken.

@@
identifier missed, ra;
@@
 ra_hold_less(...)
 {
 <+...
-missed || ra->async_size == ra->size
+true
 ...+>
 }
