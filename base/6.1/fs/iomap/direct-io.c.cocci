// SPDX-License-Identifier: GPL-2.0
// A request that one bio serves, as nearly all small ones are, was plugged for others to join it, of
// which there were none.

@wants_plug@
typedef bool;
identifier start = __iomap_dio_rw;
@@
+/*
+ * Is a plug of use for what @iter has mapped? If in doubt: yes. It is where the request takes more
+ * than one bio, as those do that end elsewhere, or are not of whole blocks so that zeros may go in
+ * front or behind; and where it is of use for one. A file system that sends bios may cut them.
+ */
+static bool iomap_dio_wants_plug(const struct iomap_iter *iter, const struct iomap_dio *dio)
+{
+	struct block_device *bdev = iter->iomap.bdev;
+	const struct iov_iter *mem = dio->submit.iter;
+
+	if (iomap_length(iter) < iter->len || !bdev || (dio->dops && dio->dops->submit_io))
+		return true;
+	if ((iter->pos | iter->len) & (i_blocksize(iter->inode) - 1))
+		return true;
+	/* Pieces of memory may be more than a bio has room for, but where it takes their table. */
+	if (iter->len > BIO_MAX_VECS * PAGE_SIZE || (mem->nr_segs > 1 && !iov_iter_is_bvec(mem)))
+		return true;
+	return iter->len >> SECTOR_SHIFT > queue_max_sectors(bdev_get_queue(bdev)) ||
+	       bdev_wants_plug(bdev);
+}
+
 struct iomap_dio *start(...)
 { ... }

// places: 3
@one_plug depends on wants_plug@
identifier plug, iomi, ops, ret;
@@
-blk_start_plug(&plug);
 while ((ret = iomap_iter(&iomi, ops)) > 0) {
+	if (!plugged && iomap_dio_wants_plug(&iomi, dio)) {
+		blk_start_plug(&plug);
+		plugged = true;
+	}
 	...
 }
-blk_finish_plug(&plug);
+if (plugged)
+	blk_finish_plug(&plug);

@declare depends on one_plug@
identifier plug;
@@
 struct blk_plug plug;
+bool plugged = false;
