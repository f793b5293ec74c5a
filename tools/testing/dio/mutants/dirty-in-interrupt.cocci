// SPDX-License-Identifier: GPL-2.0
// Memory is marked dirty in an interrupt, which may not sleep.

@@ @@
 dio_end_io(...) {
 <+...
-	dio_redirty_later(dio, bio);
+	dio_redirty_bio(bio);
 ...+>
 }
