// SPDX-License-Identifier: GPL-2.0
// A bio whose memory ends inside a logical block gives that end back. Memory of one folio that
// spans several pages is one entry of the bio, with a pin for each page: one pin was dropped for an
// entry that went as a whole, and none for pages at the end of one that was shortened.

@unpin_tail@
@@
+/* @bv is to lose its last @nbytes: drop the pins of those pages that nothing else of it lies in. */
+static void bvec_unpin_tail(struct bio_vec *bv, size_t nbytes)
+{
+	size_t left = bv->bv_len - nbytes, nr = DIV_ROUND_UP(bv->bv_offset + bv->bv_len, PAGE_SIZE);
+	size_t keep = bv->bv_offset / PAGE_SIZE;
+
+	if (left)
+		keep = DIV_ROUND_UP(bv->bv_offset + left, PAGE_SIZE);
+	if (nr > keep)
+		unpin_user_page_range_dirty_lock(bv->bv_page + keep, nr - keep, false);
+}
+
 static int bio_iov_iter_align_down(...)
 {
 	...
 }

// places: 2
@align_down depends on unpin_tail@
expression bio, bv, nbytes;
@@
 bio_iov_iter_align_down(...)
 {
 	...
 	while (nbytes >= bv->bv_len) {
 		if (bio_flagged(bio, BIO_PAGE_PINNED))
-			unpin_user_page(bv->bv_page);
+			bvec_unpin_tail(bv, bv->bv_len);
 		...
 	}
+	if (bio_flagged(bio, BIO_PAGE_PINNED))
+		bvec_unpin_tail(bv, nbytes);
 	bv->bv_len -= nbytes;
 	...
 }

// What direct I/O read into must be marked dirty, and let go in the end. Each page was locked for
// that, though memory that is used again is dirty from the last time.

// places: 3
@mark depends on align_down@
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
+	unsigned int done = 0;

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

// A bio_vec of memory that a bounce buffer was copied to may have several folios, too.

// places: 2
@unbounce depends on rest@
identifier bv, mark_dirty, folio, nr_pages;
expression pages;
@@
 static void bvec_unpin(struct bio_vec *bv, bool mark_dirty)
 {
-	struct folio *folio = bvec_folio(bv);
-	size_t nr_pages = pages;
 	if (mark_dirty)
-		folio_mark_dirty_lock(folio);
+		bvec_mark_dirty(bv);
-	unpin_user_folio(folio, nr_pages);
+	unpin_user_bvecs(bv, 1, false);
 }

// Who waited for a bio slept on a completion, which takes its lock twice, though all that he needs
// is to be woken. What the completion's map was for is told to lockdep before the bio is sent: a
// driver may send it on to another disk.

@wake depends on unbounce@
identifier bio;
@@
 static void bio_wait_end_io(struct bio *bio)
 {
-	complete(bio->bi_private);
+	struct task_struct *waiter = bio->bi_private;
+
+	guard(rcu)();
+	/* From here on the waiter may go on, and exit before it is woken. */
+	smp_store_release(&bio->bi_private, NULL);
+	blk_wake_io_task(waiter);
 }

// places: 3
@wait depends on wake@
// comment:  * Note: this overrides the bi_private and bi_end_io fields in the bio. =>  * Note: this overrides bi_private and bi_end_io, which nobody else may change.
identifier bio, done;
@@
 bio_await(struct bio *bio, ...)
 {
	...
-	bio->bi_private = &done;
+	might_sleep();
+	lock_map_acquire(&bio->bi_bdev->bd_disk->lockdep_map);
+	lock_map_release(&bio->bi_bdev->bd_disk->lockdep_map);
+	bio->bi_private = current;
	...
-	blk_wait_io(&done);
+	for (;;) {
+		set_current_state(TASK_UNINTERRUPTIBLE);
+		/* Pairs with bio_wait_end_io() */
+		if (!smp_load_acquire(&bio->bi_private))
+			break;
+		blk_io_schedule();
+	}
+	__set_current_state(TASK_RUNNING);
 }

@not_complete depends on wait@
declarer name DECLARE_COMPLETION_ONSTACK_MAP;
identifier done;
@@
 bio_await(...)
 {
-	DECLARE_COMPLETION_ONSTACK_MAP(done, ...);
-
	...
 }
