// SPDX-License-Identifier: GPL-2.0
// Tables of sysctls end with an empty entry until 6.11, and were not const until 6.13.

// places: 2
@end_of_table@
identifier table;
@@
-static const struct ctl_table table[] = {
+static struct ctl_table table[] = {
 	...,
+	{}
 };

// The order is an argument until 6.15, and one that is not yet RA_ORDER_STEP larger.

@order_is_told@
identifier order;
expression ra;
@@
-WRITE_ONCE(ra->order, order);
-page_cache_ra_order(ractl, ra);
+page_cache_ra_order(ractl, ra, order > RA_ORDER_STEP ? order - RA_ORDER_STEP : 0);
