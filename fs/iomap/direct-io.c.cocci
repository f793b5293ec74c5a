// SPDX-License-Identifier: GPL-2.0
// A polled request that is waited for here, as ext4 and XFS have it for parts of new blocks, was sent to
// a queue that nobody polls then. So was the first bio of one that has several mappings, of which a
// later one makes the submitter wait (-ENOTBLK, or bad memory).

@not_polled@
identifier iomi, ops, dio, iocb, wait_for_completion, ret, m;
@@
 __iomap_dio_rw(struct kiocb *iocb, ...)
 {
 	...
 	bool wait_for_completion = ...;
 	...
 	while ((ret = iomap_iter(&iomi, ops)) > 0) {
+		/* Who waits here does not poll; who has several mappings may have to wait. */
+		if (wait_for_completion || iomap_length(&iomi) < iomi.len)
+			iocb->ki_flags &= ~IOCB_HIPRI;
 		iomi.m = iomap_dio_iter(&iomi, dio);
 		...
 	}
 	...
 }

// The simple path is to take writes, too: its name says reads no more.

@rename depends on not_polled@
identifier iocb, iter, iomi;
@@
-__iomap_dio_read_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi)
+__iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi)
 { ... }

@exported depends on rename@
declarer name EXPORT_SYMBOL_GPL;
@@
-EXPORT_SYMBOL_GPL(__iomap_dio_read_simple);
+EXPORT_SYMBOL_GPL(__iomap_dio_simple);

// The bio of a simple read was sent without a plug. blk-mq leaves such a bio to kblockd where the disk has
// a scheduler, and md leaves a write to its thread.

@submit depends on exported@
identifier f = iomap_dio_simple_end_io;
@@
+/* The plug ends before anybody waits: what going to sleep takes out of one is left to threads. */
+static void iomap_dio_send_plugged(struct bio *bio, void *priv)
+{
+	struct blk_plug own;
+
+	blk_start_plug(&own);
+	submit_bio(bio);
+	blk_finish_plug(&own);
+}
+
 static void f(...)
 { ... }

@plugged depends on submit@
identifier bio;
@@
 __iomap_dio_simple(...)
 {
	<+...
-	submit_bio_wait(bio);
+	bio_await(bio, NULL, iomap_dio_send_plugged);
 	...+>
 }

// A write over a block that is mapped and was written needs no more than a read of it does.

// places: 4
@write depends on plugged exists@
typedef bool, gfp_t;
identifier iocb, iter, iomi, gfp, sr, bio;
expression init, vecs, pool, mapped;
@@
 __iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi)
 {
 	gfp_t gfp = init;
+	bool write = iov_iter_rw(iter) == WRITE;
+	blk_opf_t opf = write ? REQ_OP_WRITE | REQ_SYNC | REQ_IDLE : REQ_OP_READ;
 	...
 	if (mapped ||
-	    (iomi->iomap.flags & IOMAP_F_INTEGRITY)
+	    (iomi->iomap.flags & IOMAP_F_INTEGRITY) ||
+	    (write && (iomi->iomap.flags & (IOMAP_F_NEW | IOMAP_F_SHARED)))
 	    ) { ... }
 	...
 	bio = bio_alloc_bioset(iomi->iomap.bdev, vecs,
-			       REQ_OP_READ,
+			       opf,
 			       gfp, pool);
 	...
+	if (write) {
+		sr->dio_flags = IOMAP_DIO_WRITE;
+		bio->bi_write_hint = iomi->inode->i_write_hint;
+		task_io_account_write(sr->size);
+	}
 	if (
-	    user_backed_iter(iter)
+	    !write && user_backed_iter(iter)
 	    ) {
		...
		sr->dio_flags |= ...;
 	}
 	...
 }

// places: 2
@by_flags depends on write@
identifier dio;
@@
 iomap_dio_err_type(
-	const struct iomap_dio *dio
+	unsigned int flags
 ) {
 	<+...
-	dio->flags
+	flags
 	...+>
 }

// places: 2
@err_type depends on by_flags@
identifier dio, sr;
@@
(
-	iomap_dio_err_type(dio)
+	iomap_dio_err_type(dio->flags)
|
	fserror_report_io(...,
-			  FSERR_DIRECTIO_READ,
+			  iomap_dio_err_type(sr->dio_flags),
			  ..., sr->size, ...)
)

@dropped depends on err_type@
identifier sr, iocb;
expression bytes;
@@
 iomap_dio_simple_complete(struct iomap_dio_simple *sr)
 {
 	<+...
+	if (sr->dio_flags & IOMAP_DIO_WRITE)
+		kiocb_invalidate_post_direct_write(iocb, sr->size);
 	iocb->ki_pos += bytes;
 	...+>
 }
