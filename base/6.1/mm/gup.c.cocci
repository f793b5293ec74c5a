// SPDX-License-Identifier: GPL-2.0
// Each pin, and each unpin, of a page was added to a counter of its node: 75 of the 300
// instructions that direct I/O spends on a page of memory. Where pages are pinned one PTE after the
// other, and where an array of them is unpinned, the counter now hears once for all that lie on one
// node. Huge pages are counted at once as before. /proc/vmstat shows the same.

@pins@
identifier ctx = follow_page_context;
@@
 struct ctx {
 	...
 };

+
+/* Pins of folios on one node, which its counter has not heard of yet */
+struct pins {
+	int nid;
+	int nr;
+};

@pins_functions depends on pins@
identifier check = sanity_check_pinned_pages;
@@
+static struct folio *grab_folio(struct page *page, int refs, unsigned int flags, struct pins *pins);
+
+static inline void report_pins(struct pins *pins, enum node_stat_item item)
+{
+	if (pins->nr)
+		mod_node_page_state(NODE_DATA(pins->nid), item, pins->nr);
+}
+
+/* Of pins that were taken; interrupts are off. */
+static inline void __report_pins(struct pins *pins)
+{
+	if (pins->nr)
+		__mod_node_page_state(NODE_DATA(pins->nid), NR_FOLL_PIN_ACQUIRED, pins->nr);
+}
+
+/* @nr more, not of the zero page. If @folio lies on another node, those so far are reported. */
+static inline void count_pins(struct pins *p, struct folio *folio, int nr, enum node_stat_item item)
+{
+	if (unlikely(p->nid != folio_nid(folio))) {
+		report_pins(p, item);
+		p->nid = folio_nid(folio);
+		p->nr = 0;
+	}
+	p->nr += nr;
+}
+
 static inline void check(...)
 {
 	...
 }

// places: 2
@grab depends on pins_functions@
identifier page, refs, flags;
@@
-struct folio *try_grab_folio(struct page *page, int refs, unsigned int flags)
+struct folio *try_grab_folio(struct page *page, int refs, unsigned int flags)
+{
+	struct pins pins = { };
+	struct folio *folio = grab_folio(page, refs, flags, &pins);
+
+	report_pins(&pins, NR_FOLL_PIN_ACQUIRED);
+	return folio;
+}
+
+/* The same, but that the caller reports the pins. */
+static struct folio *grab_folio(struct page *page, int refs, unsigned int flags, struct pins *pins)
 {
 <+...
-	node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, refs);
+	count_pins(pins, folio, refs, NR_FOLL_PIN_ACQUIRED);
 ...+>
 }

// rules of mm/gup.c.cocci: put put_counted unpin

// places: 2
@pin_ptes depends on unpin@
identifier folio, page, flags;
@@
 static int gup_pte_range(...)
 {
+	struct pins pins = { };
 <+...
-	folio = try_grab_folio(page, 1, flags);
+	folio = grab_folio(page, 1, flags, &pins);
 ...+>
 }

@tell_ptes depends on pin_ptes@
expression ptem;
@@
 static int gup_pte_range(...)
 {
 <+...
+	__report_pins(&pins);
 	pte_unmap(ptem);
 ...+>
 }

// What bio_vecs hold was let go folio by folio.

// rules of mm/gup.c.cocci: include_bvec

@unpin_bvecs depends on include_bvec@
identifier next = unpin_user_pages_lockless;
@@
+/**
+ * unpin_user_bvecs() - let go of pinned memory that bio_vecs hold
+ * @bvecs: each holds one pin of each of its pages
+ * @nr: how many there are
+ * @only_dirty: stop where a page is not dirty
+ *
+ * Context: any.
+ *
+ * Return: how many were let go, @nr unless @only_dirty. Of the next one the pages in front of the
+ * one that is not dirty were let go, too, and cut off.
+ */
+unsigned int unpin_user_bvecs(struct bio_vec *bvecs, unsigned int nr, bool only_dirty)
+{
+	struct bio_vec *end = bvecs + nr;
+	struct pins pins = { };
+	struct bio_vec *bv;
+
+	for (bv = bvecs; bv < end; bv++) {
+		struct page *page = bv->bv_page + bv->bv_offset / PAGE_SIZE, *start = page;
+		unsigned int bytes = offset_in_page(bv->bv_offset) + bv->bv_len;
+		unsigned int left = DIV_ROUND_UP(bytes, PAGE_SIZE), pages;
+
+		for (; left; left -= pages, page += pages) {
+			struct folio *folio = gup_folio_range_next(page, left, 0, &pages);
+
+			if (only_dirty && !folio_test_dirty(folio)) {
+				if (page != start) {
+					bv->bv_len -= (page - bv->bv_page) * PAGE_SIZE;
+					bv->bv_len += bv->bv_offset;
+					bv->bv_offset = 0;
+					bv->bv_page = page;
+				}
+				goto out;
+			}
+			unpin_counted(folio, pages, &pins);
+		}
+	}
+out:
+	report_pins(&pins, NR_FOLL_PIN_RELEASED);
+	return bv - bvecs;
+}
+
 static void next(...)
 {
 	...
 }
