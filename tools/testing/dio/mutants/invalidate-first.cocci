// SPDX-License-Identifier: GPL-2.0
// Cached pages are invalidated before end_io: what is read between is cached, and old.

@@ @@
 dio_complete(...) {
 ...
+	if (dio->write && ret > 0 && can_sleep)
+		kiocb_invalidate_post_direct_write(dio->iocb, ret);
 	if (dio->end_io) { ... }
 ...
-	if (dio->write && ret > 0 && can_sleep)
-		kiocb_invalidate_post_direct_write(...);
 ...
 }
