// SPDX-License-Identifier: GPL-2.0
// Memory that was cleaned while the disk wrote into it stays clean.

@@ @@
 dio_end_io(...) {
 <+...
-	if (!dio->dirty || dio_is_dirty(...))
 		dio_release_bio(dio, bio, false);
-	else
-		dio_redirty_later(...);
 ...+>
 }
