// SPDX-License-Identifier: GPL-2.0
// A pulled disk looks like one that ends here.

@@ @@
 raw_rw(...) {
 <+...
-return -ENODEV;
+return ret;
 ...+>
 }
