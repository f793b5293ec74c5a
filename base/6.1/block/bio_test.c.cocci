// SPDX-License-Identifier: GPL-2.0
// Here pins of a large folio are counted elsewhere, and what is not pinned has references, but for
// what is the owner's to keep.

// places: 2
@count@
expression folio;
@@
-&folio->_pincount
+folio_pincount_ptr(folio)

// places: 2
@kept depends on count@
expression bio;
@@
 release_not_pinned(...)
 {
 ...
-bio_clear_flag(bio, BIO_PAGE_PINNED);
+bio_set_flag(bio, BIO_NO_PAGE_REF);
 ...
-bio_set_flag(bio, BIO_PAGE_PINNED);
+bio_clear_flag(bio, BIO_NO_PAGE_REF);
 ...
 }

// Where our engine is not, bios hold references, whose pages are dirtied again, too.

@references depends on kept@
@@
+static void check_references(struct kunit *test)
+{
+	struct bio *bio = bio_alloc(NULL, VECS, REQ_OP_READ, GFP_KERNEL);
+	struct bio_test *t = test->priv;
+
+	folio_clear_dirty(page_folio(t->pages + 3));
+	folio_get(page_folio(t->pages + 3));
+	bvec_set_page(bio->bi_io_vec, t->pages + 3, PAGE_SIZE, 0);
+	bio->bi_vcnt = 1;
+	bio_check(t, bio);
+	KUNIT_EXPECT_TRUE(test, folio_test_dirty(page_folio(t->pages + 3)));
+}
+
 static void release(...)
 { ... }

@check depends on references@
identifier test;
@@
 check(struct kunit *test)
 {
 	...
+	check_references(test);
 }
