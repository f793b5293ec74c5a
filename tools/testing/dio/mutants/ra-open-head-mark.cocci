// SPDX-License-Identifier: GPL-2.0
// Behind the head of a file, as long as others have read, more is read for nothing.

@@
identifier ra, ask;
@@
 ra_plan_miss(struct ra_view *ra, struct ra_ask *ask)
 {
 <+...
-if (ask->guess && ra->agreed && ra->size == ask->expect)
-	ra->async_size = 0;
 ...+>
 }
