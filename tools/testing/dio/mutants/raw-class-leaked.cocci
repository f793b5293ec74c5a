// SPDX-License-Identifier: GPL-2.0
// Loading fails, and the class stays.

@@ @@
 raw_init(...) {
 <+...
-class_unregister(&raw_class);
 ...+>
 }
