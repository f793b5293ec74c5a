// SPDX-License-Identifier: GPL-2.0
// Tables of sysctls were not const until 6.13.

@writable_table@
identifier table;
@@
-static const struct ctl_table table[] = {
+static struct ctl_table table[] = {
 	...
 };

// There is no order in the state until 6.15 to begin anew.

@no_order_is_kept@
expression state;
@@
-WRITE_ONCE(state->order, 0);
