// SPDX-License-Identifier: GPL-2.0
// Memory is marked dirty in an interrupt, which may not sleep.

@@ @@
 dio_end_io(...) {
 <+...
-	if (!dio->dirty || dio_is_dirty(...))
-		dio_release_bio(dio, bio, false);
-	else
-		dio_redirty_later(...);
+	dio_release_bio(dio, bio, dio->dirty);
 ...+>
 }
