// SPDX-License-Identifier: GPL-2.0
// Memory that was cleaned while the disk wrote into it stays clean.

@@ @@
 dio_end_io(...) {
 <+...
-	if (!dio->dirty || dio_all_dirty(...))
 		dio_free_bio(dio, bio, false);
-	else if (dio_dirty_later(...))
-		return;
 ...+>
 }
