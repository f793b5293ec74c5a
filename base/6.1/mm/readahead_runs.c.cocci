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

// rules of base/6.12/mm/readahead_runs.c.cocci: no_order_is_kept
