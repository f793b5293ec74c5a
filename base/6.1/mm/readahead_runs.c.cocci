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

// There is no order in the state until 6.15 to begin anew.

@no_order_is_kept@
expression state;
@@
-WRITE_ONCE(state->order, 0);
