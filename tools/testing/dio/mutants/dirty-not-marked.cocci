// SPDX-License-Identifier: GPL-2.0
// What the disk wrote into is not marked dirty.

@@ @@
 dio_init(...) {
 <+...
-	dio->dirty = !dio->write && dio->pinned;
+	dio->dirty = false;
 ...+>
 }
