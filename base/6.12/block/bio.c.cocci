// SPDX-License-Identifier: GPL-2.0
// What direct I/O read into must be marked dirty, and let go in the end. Each page was locked for
// that, though memory that is used again is dirty from the last time.

// places: 3
@mark@
typedef bool;
identifier bio, fi;
iterator name bio_for_each_folio_all, bio_for_each_bvec_all;
@@
+/*
+ * Would it change anything to mark @folio dirty? A folio of a file system may be dirty in part.
+ * Anonymous and shared memory has but the flag; with the folio unlocked somebody may clean it
+ * right after this was asked, as well as right after it was marked.
+ */
+static inline bool folio_needs_dirtying(struct folio *folio)
+{
+	if (!folio_test_dirty(folio))
+		return true;
+	return !folio_test_swapbacked(folio) && !folio_test_hugetlb(folio);
+}
+
+static void __bvec_mark_dirty(struct bio_vec *bv)
+{
+	struct page *page = bv->bv_page + bv->bv_offset / PAGE_SIZE, *end;
+	struct folio *folio;
+
+	end = bv->bv_page + DIV_ROUND_UP(bv->bv_offset + bv->bv_len, PAGE_SIZE);
+	for (; page < end; page = folio_page(folio, folio_nr_pages(folio))) {
+		folio = page_folio(page);
+		if (folio_needs_dirtying(folio)) {
+			folio_lock(folio);
+			folio_mark_dirty(folio);
+			folio_unlock(folio);
+		}
+	}
+}
+
+/* Most are one page that needs nothing. */
+static inline void bvec_mark_dirty(struct bio_vec *bv)
+{
+	bool one_page = bv->bv_offset + bv->bv_len <= PAGE_SIZE;
+
+	if (!one_page || folio_needs_dirtying(page_folio(bv->bv_page)))
+		__bvec_mark_dirty(bv);
+}
+
 void __bio_release_pages(struct bio *bio, bool mark_dirty)
 {
 	struct folio_iter fi;
+
+	if (mark_dirty)
+		bio_set_pages_dirty(bio);

 	bio_for_each_folio_all(fi, bio) {
 		...
-		if (mark_dirty) {
-			folio_lock(fi.folio);
-			folio_mark_dirty(fi.folio);
-			folio_unlock(fi.folio);
-		}
 		...
 	}
 }

// places: 2
@set depends on mark@
identifier bio, fi;
iterator name bio_for_each_folio_all, bio_for_each_bvec_all;
@@
 void bio_set_pages_dirty(struct bio *bio)
 {
-	struct folio_iter fi;
+	struct bio_vec *bv;
+	int i;
+
-	bio_for_each_folio_all(fi, bio) {
-		folio_lock(fi.folio);
-		folio_mark_dirty(fi.folio);
-		folio_unlock(fi.folio);
-	}
+	bio_for_each_bvec_all(bv, bio, i)
+		bvec_mark_dirty(bv);
 }

// Pages were visited to see that they are dirty, and again to be let go.

// places: 2
@release depends on set@
identifier bio, mark_dirty, fi;
iterator name bio_for_each_folio_all;
@@
 void __bio_release_pages(struct bio *bio, bool mark_dirty)
 {
-	struct folio_iter fi;
-
 	if (mark_dirty)
 		bio_set_pages_dirty(bio);

-	bio_for_each_folio_all(fi, bio) {
-		...
-	}
+	unpin_user_bvecs(bio->bi_io_vec, bio->bi_vcnt, false);
 }

// places: 3
@check depends on release@
identifier bio, fi, flags;
iterator name bio_for_each_folio_all;
@@
 void bio_check_pages_dirty(struct bio *bio)
 {
-	struct folio_iter fi;
 	unsigned long flags;
+	unsigned int done = bio->bi_vcnt;

-	bio_for_each_folio_all(fi, bio) {
-		...
-	}
+	if (bio_flagged(bio, BIO_PAGE_PINNED))
+		done = unpin_user_bvecs(bio->bi_io_vec, bio->bi_vcnt, true);
+	if (unlikely(done != bio->bi_vcnt))
+		goto defer;
-	bio_release_pages(bio, false);
	bio_put(bio);
	...
 }

@rest depends on check@
identifier flags;
@@
 bio_check_pages_dirty(...)
 {
	<+...
+	/* What is left. The table must begin where it did, for whoever frees it. */
+	bio->bi_vcnt -= done;
+	memmove(bio->bi_io_vec, bio->bi_io_vec + done, bio->bi_vcnt * sizeof(struct bio_vec));
	spin_lock_irqsave(&bio_dirty_lock, flags);
	...+>
 }
