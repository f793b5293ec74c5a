// SPDX-License-Identifier: GPL-2.0
// An AIO read is not done before its pages are dirty: one that waits for a page holds up all others.

@@ @@
 dio_dirty_later(...) {
 ...
-	bool wait = !dio->async;
+	bool wait = true;
 ...
 }
