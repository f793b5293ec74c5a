// SPDX-License-Identifier: GPL-2.0
// As on 7.3: block/blk-mq.c.cocci

@at_once@
@@
 blk_mq_submit_bio(...)
 {
 	<+...
-	blk_mq_sched_insert_request(rq, false, true, true);
+	/* Somebody waits for it. As from a plug, and as without a scheduler. */
+	blk_mq_sched_insert_request(rq, false, true, !is_sync);
 	...+>
 }
