// SPDX-License-Identifier: GPL-2.0
// What failed is noticed at the end only.

@@ @@
 dio_walk(...) {
 <+...
-	ret = READ_ONCE(dio->error);
 ...+>
 }
