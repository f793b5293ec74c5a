// SPDX-License-Identifier: GPL-2.0
// dio->private is read before anybody has set it.

@@ @@
 dio_init(...) {
 <+...
-	dio->private = NULL;
 ...+>
 }
