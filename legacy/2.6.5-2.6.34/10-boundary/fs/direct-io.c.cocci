// SPDX-License-Identifier: GPL-2.0
// A boundary is the last block of a mapping, and acts once that block is in the bio: not at each
// block (last_block), not before it was added (not_before), and not on the next bio's account
// (keep_*: a bio that ends for another reason takes the flag with it).

@last_block@
symbol map_bh, this_chunk_blocks;
@@

 BUG_ON(...);
-DIO->boundary = buffer_boundary(map_bh);
+if (DIO->blocks_available == this_chunk_blocks)
+	DIO->boundary = buffer_boundary(map_bh);

@not_before@
@@

 if (DIO->bio) {
 	...
(
-	if (DIO->boundary)
-		SUBMIT;
|
 	if (...)
 		SUBMIT;
-	else if (DIO->boundary)
-		SUBMIT;
)
 }

@keep_at_new_bio@
@@

 dio_new_bio(...)
 {
 ...
-DIO->boundary = 0;
 ...
 }

@keep_at_submit@
@@

 dio_bio_submit(...)
 {
 ...
-DIO->boundary = 0;
 ...
 }

// The line above the comment goes and comes back: so the comment goes with it.
@act_once@
symbol len, ret, out;
@@

-DIO->cur_page_len += len;
-if (DIO->boundary) {
-	ret = SEND;
-	page_cache_release(DIO->cur_page);
-	DIO->cur_page = NULL;
-}
+DIO->cur_page_len += len;
 goto out;

@act_after@
symbol ret;
@@

 submit_page_section(...)
 {
 ...
+/*
+	 * The last block of a boundary mapping is in. The file system reads
+	 * metadata next, and that lies behind what was gathered: send it now.
+	 */
+if (ret == 0 && DIO->boundary) {
+	DIO->boundary = 0;
+	ret = SEND;
+	page_cache_release(DIO->cur_page);
+	DIO->cur_page = NULL;
+	if (DIO->bio)
+		SUBMIT;
+}
 return ret;
 }
