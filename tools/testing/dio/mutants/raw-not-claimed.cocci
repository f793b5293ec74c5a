// SPDX-License-Identifier: GPL-2.0
// The disk is anybody's while it is open.

@@ @@
 raw_open_disk(...) {
 <+...
-&raw_bindings
+NULL
 ...+>
 }
