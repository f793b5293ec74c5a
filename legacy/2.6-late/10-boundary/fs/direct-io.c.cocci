// SPDX-License-Identifier: GPL-2.0
// A boundary is the last block of a mapping, and acts once that block is in the bio: not at each
// block (last_block), not before it was added (not_before), and not on the next bio's account
// (keep_*: a bio that ends for another reason takes the flag with it).

@last_block@
symbol dio, map_bh, this_chunk_blocks;
@@

 BUG_ON(...);
-dio->boundary = buffer_boundary(map_bh);
+if (dio->blocks_available == this_chunk_blocks)
+	dio->boundary = buffer_boundary(map_bh);

@not_before@
symbol dio;
@@

 if (dio->bio) {
 	...
-	if (dio->boundary)
-		dio_bio_submit(dio);
 }

@keep_at_new_bio@
symbol dio, ret;
@@

 ret = dio_bio_alloc(...);
-dio->boundary = 0;

@keep_at_submit@
symbol dio;
@@

 submit_bio(...);
 ...
 dio->bio = NULL;
-dio->boundary = 0;

// The line above the comment goes and comes back: so the comment goes with it.
@act_once@
symbol dio, len, ret, out;
@@

-dio->cur_page_len += len;
-if (dio->boundary) {
-	ret = dio_send_cur_page(dio);
-	page_cache_release(dio->cur_page);
-	dio->cur_page = NULL;
-}
+dio->cur_page_len += len;
 goto out;

@act_after@
symbol dio, ret;
@@

 submit_page_section(...)
 {
 ...
+/*
+	 * The last block of a boundary mapping is in. The file system reads
+	 * metadata next, and that lies behind what was gathered: send it now.
+	 */
+if (ret == 0 && dio->boundary) {
+	dio->boundary = 0;
+	ret = dio_send_cur_page(dio);
+	page_cache_release(dio->cur_page);
+	dio->cur_page = NULL;
+	if (dio->bio)
+		dio_bio_submit(dio);
+}
 return ret;
 }
