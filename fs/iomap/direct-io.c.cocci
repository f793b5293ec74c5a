// SPDX-License-Identifier: GPL-2.0
// A polled request that is waited for here, as ext4 and XFS have it for parts of new blocks, was sent to
// a queue that nobody polls then. So was the first bio of one that has several mappings.

@not_polled@
identifier iomi, ops, dio, iocb, wait_for_completion, ret, m;
@@
 __iomap_dio_rw(struct kiocb *iocb, ...)
 {
 	...
 	bool wait_for_completion = ...;
 	...
 	while ((ret = iomap_iter(&iomi, ops)) > 0) {
+		/* Who waits here does not poll, and of several bios one at most is found. */
+		if (wait_for_completion || iomap_length(&iomi) < iomi.len)
+			iocb->ki_flags &= ~IOCB_HIPRI;
 		iomi.m = iomap_dio_iter(&iomi, dio);
 		...
 	}
 	...
 }

// A request that one bio serves, as nearly all small ones are, was plugged: its bio waited in the
// plug's list for others, of which there were none.

@one_bio depends on not_polled@
typedef bool;
identifier start = __iomap_dio_rw;
@@
+/*
+ * Will one bio do for what @iter has mapped, uncut by the block layer, and is that all of it? If in
+ * doubt: no. A file system that sends bios itself may cut them.
+ */
+static bool iomap_dio_is_one_bio(const struct iomap_iter *iter, const struct iomap_dio *dio)
+{
+	struct block_device *bdev = iter->iomap.bdev;
+
+	if (iomap_length(iter) < iter->len || !bdev)
+		return false;
+	if (iter->len >> SECTOR_SHIFT > queue_max_sectors(bdev_get_queue(bdev)))
+		return false;
+	if ((iter->pos | iter->len) & (i_blocksize(iter->inode) - 1))
+		return false;
+	if (dio->dops && dio->dops->submit_io)
+		return false;
+	return iov_iter_npages(dio->submit.iter, BIO_MAX_VECS + 1) <= BIO_MAX_VECS;
+}
+
 struct iomap_dio *start(...)
 { ... }

// places: 3
@one_plug depends on one_bio@
identifier plug, iomi, ops, ret;
@@
-	blk_start_plug(&plug);
 	while ((ret = iomap_iter(&iomi, ops)) > 0) {
+		if (!plugged && !iomap_dio_is_one_bio(&iomi, dio)) {
+			blk_start_plug(&plug);
+			plugged = true;
+		}
 		...
 	}
-	blk_finish_plug(&plug);
+	if (plugged)
+		blk_finish_plug(&plug);

@declare depends on one_plug@
identifier plug;
@@
 struct blk_plug plug;
+bool plugged = false;
