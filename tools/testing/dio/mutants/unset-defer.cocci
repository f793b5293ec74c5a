// SPDX-License-Identifier: GPL-2.0
// dio->defer is read before anybody has set it.

@@ @@
 dio_init(...) {
 <+...
-	dio->defer = false;
 ...+>
 }
