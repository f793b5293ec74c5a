// SPDX-License-Identifier: GPL-2.0
// dio->waiter is read before anybody has set it.

@@ @@
 dio_init(...) {
 <+...
-	dio->waiter = NULL;
 ...+>
 }
