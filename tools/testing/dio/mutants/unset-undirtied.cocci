// SPDX-License-Identifier: GPL-2.0
// dio->undirtied is read before anybody has set it.

@@ @@
 dio_init(...) {
 <+...
-	dio->undirtied = NULL;
 ...+>
 }
