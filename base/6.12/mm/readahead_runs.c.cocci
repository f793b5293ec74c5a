// SPDX-License-Identifier: GPL-2.0
// Tables of sysctls were not const until 6.13.

@writable_table@
identifier table;
@@
-static const struct ctl_table table[] = {
+static struct ctl_table table[] = {
 	...
 };
