// SPDX-License-Identifier: GPL-2.0
// Memory that direct I/O reads into was held by references. After a fork between submission and
// completion, what the disk read was in the child's copy of a page that the parent wrote to. Pages
// that are pinned are copied at fork instead.

@let_go@
@@
+/* Let go of a page that bio_iov_iter_get_pages() took for @bio. */
+static void bio_release_page(struct bio *bio, struct page *page)
+{
+	if (bio_flagged(bio, BIO_PAGE_PINNED))
+		unpin_user_page(page);
+	else
+		put_page(page);
+}
+
 void __bio_release_pages(...)
 { ... }

// places: 2
@release depends on let_go@
identifier fi, nr;
@@
 __bio_release_pages(...)
 {
 <+...
 	size_t nr;
+	struct page *page;
 	...
-	folio_put_refs(fi.folio, nr);
+	page = folio_page(fi.folio, fi.offset / PAGE_SIZE);
+	if (bio_flagged(bio, BIO_PAGE_PINNED))
+		unpin_user_page_range_dirty_lock(page, nr, false);
+	else
+		folio_put_refs(fi.folio, nr);
 ...+>
 }

// places: 3
@not_added depends on release@
identifier add != bio_release_page, bio;
expression page;
@@
 add(struct bio *bio, ...)
 {
 <+...
-	put_page(page);
+	bio_release_page(bio, page);
 ...+>
 }

// places: 2
@take depends on not_added@
expression size, iter, pages, nr, offset;
@@
 __bio_iov_iter_get_pages(...)
 {
+	size_t max = UINT_MAX - bio->bi_iter.bi_size;
 <+...
-	size = iov_iter_get_pages2(iter, pages, UINT_MAX - bio->bi_iter.bi_size, nr, offset);
+	if (bio_flagged(bio, BIO_PAGE_PINNED))
+		size = iov_iter_extract_pages(iter, &pages, max, nr, 0, offset);
+	else
+		size = iov_iter_get_pages2(iter, pages, max, nr, offset);
 ...+>
 }

@pin depends on take@
identifier ret;
@@
 bio_iov_iter_get_pages(...)
 {
	int ret = 0;
+
+	/* A fork would divert what the disk writes into memory that is only referenced. */
+	bio_set_flag(bio, BIO_PAGE_PINNED);
	...
 }

@pin_reads depends on pin@
@@
-	bio_set_flag(bio, BIO_PAGE_PINNED);
+	if (iov_iter_rw(iter) == READ && iov_iter_extract_will_pin(iter))
+		bio_set_flag(bio, BIO_PAGE_PINNED);

// What direct I/O read into must be marked dirty, and let go in the end. Each page was locked for
// that, though memory that is used again is dirty from the last time.

// rules of block/bio.c.cocci: mark set

// Pages were visited to see that they are dirty, and again to be let go.

// places: 3
@at_once depends on set@
identifier bio, mark_dirty, fi, nr, page;
@@
 void __bio_release_pages(struct bio *bio, bool mark_dirty)
 {
 	...
 	if (mark_dirty)
 		bio_set_pages_dirty(bio);
+	if (bio_flagged(bio, BIO_PAGE_PINNED)) {
+		unpin_user_bvecs(bio->bi_io_vec, bio->bi_vcnt, false);
+		return;
+	}
 	<+...
-	struct page *page;
 	...
-	page = folio_page(fi.folio, fi.offset / PAGE_SIZE);
-	if (bio_flagged(bio, BIO_PAGE_PINNED))
-		unpin_user_page_range_dirty_lock(page, nr, false);
-	else
-		folio_put_refs(fi.folio, nr);
+	folio_put_refs(fi.folio, nr);
 	...+>
 }

// rules of block/bio.c.cocci: check rest
