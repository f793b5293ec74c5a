// SPDX-License-Identifier: GPL-2.0
// A request for a disk with an I/O scheduler was left to kblockd, unless it came out of a plug: two
// switches of tasks, and half again as many instructions as an I/O costs.

@at_once@
@@
 blk_mq_submit_bio(...)
 {
 	<+...
 	blk_mq_insert_request(rq, 0);
-	blk_mq_run_hw_queue(hctx, true);
+	/* Somebody waits for it. As from a plug, and as without a scheduler. */
+	blk_mq_run_hw_queue(hctx, !is_sync);
 	...+>
 }
