// SPDX-License-Identifier: GPL-2.0
// After a fault of the memory, what was mapped is filled with zeros. Blocks that were there before
// need none: the write is short there.

// places: 3
@refill@
// comment: but the filesystem has some outstanding => but the filesystem has some new
identifier dio, sdio, op;
@@
 dio_refill_pages(struct dio *dio, struct dio_submit *sdio
+			, struct buffer_head *bh
 )
 {
 <+...
-	if (ret < 0 && sdio->blocks_available && op == REQ_OP_WRITE) {
+	if (ret < 0 && sdio->blocks_available && buffer_new(bh) && op == REQ_OP_WRITE) {
 	...
 	}
 ...+>
 }

// places: 2
@get depends on refill@
identifier dio, sdio;
@@
 dio_get_page(struct dio *dio, struct dio_submit *sdio
+	     , struct buffer_head *bh
 )
 {
 <+...
-	dio_refill_pages(dio, sdio)
+	dio_refill_pages(dio, sdio, bh)
 ...+>
 }

@walk depends on get@
identifier dio, sdio, map_bh;
@@
 do_direct_IO(struct dio *dio, struct dio_submit *sdio, struct buffer_head *map_bh)
 {
 <+...
-	dio_get_page(dio, sdio)
+	dio_get_page(dio, sdio, map_bh)
 ...+>
 }
