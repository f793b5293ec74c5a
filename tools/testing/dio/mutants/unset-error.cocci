// SPDX-License-Identifier: GPL-2.0
// dio->error is read before anybody has set it.

@@ @@
 dio_init(...) {
 <+...
-	dio->error = 0;
 ...+>
 }
