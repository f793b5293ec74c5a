// SPDX-License-Identifier: GPL-2.0
// Memory that was cleaned while the disk wrote into it stays clean.

@@ @@
 dio_unpin(...) {
 <+...
-	unpin_user_bvecs(bio->bi_io_vec, done, dio->dirty)
+	unpin_user_bvecs(bio->bi_io_vec, done, false)
 ...+>
 }
