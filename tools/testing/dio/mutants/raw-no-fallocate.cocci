// SPDX-License-Identifier: GPL-2.0
// Loop finds no fallocate, and calls it.

@@ @@
 raw_fallocate(...) {
-return raw_ops(file)->fallocate(file, mode, offset, len);
+return -EOPNOTSUPP;
 }
