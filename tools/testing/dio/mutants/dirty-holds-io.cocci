// SPDX-License-Identifier: GPL-2.0
// An I/O is not done before its pages are dirty: one that waits for a page lock holds up all others.

@@ @@
 dio_dirty_all(...) {
 <+...
+	dio_put(bio->bi_private);
 	bio_put(bio);
 ...+>
 }

@@ @@
 dio_end_io(...) {
 <+...
-	if (dio->dirty && !dio_all_dirty(...))
-		dio_dirty_later(...);
-	else
-		dio_free_bio(dio, bio, false);
+	if (dio->dirty && !dio_all_dirty(bio, false)) {
+		dio_dirty_later(dio, bio);
+		return;
+	}
+	dio_free_bio(dio, bio, false);
 ...+>
 }
