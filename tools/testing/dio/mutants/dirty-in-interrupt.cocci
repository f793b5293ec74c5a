// SPDX-License-Identifier: GPL-2.0
// Memory is marked dirty in an interrupt, which may not sleep.

@@ @@
 dio_end_io(...) {
 <+...
-	if (!dio->dirty || dio_all_dirty(...))
-		dio_free_bio(dio, bio, false);
-	else if (dio_dirty_later(...))
-		return;
+	dio_free_bio(dio, bio, dio->dirty);
 ...+>
 }
