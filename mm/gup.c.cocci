// SPDX-License-Identifier: GPL-2.0
// A pin that is added to a pinned folio was not counted, while dropping it was: after direct I/O
// that puts a page into bios piece by piece, nr_foll_pin_released in /proc/vmstat was ahead of
// nr_foll_pin_acquired, and whoever looked there for leaks saw less than none.

@count_added@
identifier folio;
@@
 void folio_add_pin(struct folio *folio)
 {
 	...
+	node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, 1);
 }

// Each pin, and each unpin, of a page was added to a counter of its node by itself. Where pages are
// pinned one PTE after the other, and where many are unpinned at once, the counter now hears once
// for all that lie on one node. Huge pages are counted at once as before. /proc/vmstat shows the
// same.

@pins depends on count_added@
identifier check = sanity_check_pinned_pages;
@@
+/* Pins of folios on one node, which its counter has not heard of yet */
+struct pins {
+	int nid;
+	int nr;
+};
+
+static inline void report_pins(struct pins *pins, enum node_stat_item item)
+{
+	if (pins->nr)
+		mod_node_page_state(NODE_DATA(pins->nid), item, pins->nr);
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

// places: 3
@put depends on pins@
identifier folio, refs, flags;
@@
-static void gup_put_folio(struct folio *folio, int refs, unsigned int flags)
+/* Not of the zero page, and the caller counts the pins. */
+static void __gup_put_folio(struct folio *folio, int refs, unsigned int flags)
 {
 	if (flags & FOLL_PIN) {
-		if (is_zero_folio(folio))
-			return;
-		node_stat_mod_folio(folio, NR_FOLL_PIN_RELEASED, refs);
 		...
 	}
 	...
 }
+
+static void gup_put_folio(struct folio *folio, int refs, unsigned int flags)
+{
+	if (flags & FOLL_PIN) {
+		if (is_zero_folio(folio))
+			return;
+		node_stat_mod_folio(folio, NR_FOLL_PIN_RELEASED, refs);
+	}
+	__gup_put_folio(folio, refs, flags);
+}

@put_counted depends on put@
identifier folio, refs, flags;
@@
 static void gup_put_folio(struct folio *folio, int refs, unsigned int flags)
 {
 	...
 }
+
+static inline void unpin_counted(struct folio *folio, int refs, struct pins *pins)
+{
+	if (is_zero_folio(folio))
+		return;
+	count_pins(pins, folio, refs, NR_FOLL_PIN_RELEASED);
+	__gup_put_folio(folio, refs, FOLL_PIN);
+}

// places: 6
@unpin depends on put_counted@
identifier f =~ "^unpin_user_page(s|_range_dirty_lock)$", npages, i, nr;
@@
 void f(..., unsigned long npages, ...)
 {
+	struct pins pins = { };
 	unsigned long i;
 	...
 	unsigned int nr;
 	...
 	for (i = 0; i < npages; i += nr) {
 		...
-		gup_put_folio(folio, nr, FOLL_PIN);
+		unpin_counted(folio, nr, &pins);
 	}
+	report_pins(&pins, NR_FOLL_PIN_RELEASED);
 }

@declare depends on unpin@
attribute name __always_inline;
@@
 static inline void mm_set_has_pinned_flag(...)
 {
 	...
 }
+
+#ifdef CONFIG_HAVE_GUP_FAST
+static __always_inline struct folio *grab_fast(struct page *page, int refs, unsigned int flags,
+					       struct pins *pins);
+#endif

// places: 2
@grab depends on declare@
identifier page, refs, flags;
@@
-static struct folio *try_grab_folio_fast(struct page *page, int refs, unsigned int flags)
+static struct folio *try_grab_folio_fast(struct page *page, int refs, unsigned int flags)
+{
+	struct pins pins = { };
+	struct folio *folio = grab_fast(page, refs, flags, &pins);
+
+	report_pins(&pins, NR_FOLL_PIN_ACQUIRED);
+	return folio;
+}
+
+/* The same, but that the caller reports the pins. */
+static struct folio *grab_fast(struct page *page, int refs, unsigned int flags, struct pins *pins)
 {
 <+...
-	node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, refs);
+	count_pins(pins, folio, refs, NR_FOLL_PIN_ACQUIRED);
 ...+>
 }

// places: 3
@pin_ptes depends on grab@
identifier folio, page, flags;
expression ptem;
@@
 static int gup_fast_pte_range(...)
 {
+	struct pins pins = { };
 <+...
(
-	folio = try_grab_folio_fast(page, 1, flags);
+	folio = grab_fast(page, 1, flags, &pins);
|
+	report_pins(&pins, NR_FOLL_PIN_ACQUIRED);
	pte_unmap(ptem);
)
 ...+>
 }

// Of a large folio that is mapped by PTEs each page was grabbed by itself: one or two atomic
// operations, two looks at its PTE and one at the pmd. Now one page is grabbed as before, and what
// the PTEs behind it map of the folio follows at once.

// places: 3
@grab_runs depends on pin_ptes@
typedef pmd_t, pte_t;
identifier range = gup_fast_pte_range, pages, nr, page, folio;
@@
+/*
+ * A page of a large folio was grabbed, and the PTE at @ptep was found to map it still, as @pte.
+ * Grab the folio once more for each PTE behind that one, of @max in all, that maps the next page of
+ * it and is like @pte in all else. One look at each is enough: whoever takes pages from a process,
+ * or has processes share them, finds the folio grabbed since before that look.
+ *
+ * Return: how many more were grabbed.
+ */
+static int gup_fast_run(pmd_t pmd, pmd_t *pmdp, pte_t *ptep, pte_t pte, int max, unsigned int flags)
+{
+	struct page *page = pte_page(pte);
+	struct folio *folio = page_folio(page);
+	int nr;
+
+	max = min_t(long, max, folio_nr_pages(folio) - folio_page_idx(folio, page));
+	for (nr = 1; nr < max; nr++) {
+		pte = pte_next_pfn(pte);
+		if (pte_val(pte) != pte_val(ptep_get_lockless(ptep + nr)))
+			break;
+		if (!pte_write(pte) && gup_must_unshare(NULL, flags, page + nr))
+			break;
+	}
+	if (--nr == 0 || pmd_val(pmd) != pmd_val(pmdp_get_lockless(pmdp)))
+		return 0;
+	return try_grab_folio(folio, nr, flags) ? 0 : nr;
+}
+
 static int range(...)
 {
+	int run;
 <+...
 		folio_set_referenced(folio);
 		pages[*nr] = page;
 		(*nr)++;
+		if (addr + PAGE_SIZE == end || !folio_test_large(folio))
+			continue;
+		run = gup_fast_run(pmd, pmdp, ptep, pte, (end - addr) / PAGE_SIZE, flags);
+		for (; run; run--, ptep++, addr += PAGE_SIZE) {
+			pages[*nr] = pages[*nr - 1] + 1;
+			(*nr)++;
+		}
 ...+>
 }

// Whether a mapping lets its pages be pinned was asked for each page, though nothing but files has
// one that may not.

@anon_first depends on grab_runs@
identifier range = gup_fast_pte_range, folio, flags;
@@
 static int range(...)
 {
 <+...
-	if (!gup_fast_folio_allowed(folio, flags)) {
+	if (!folio_test_anon(folio) && !gup_fast_folio_allowed(folio, flags)) {
 		...
 	}
 ...+>
 }

// A request of one page, as most small ones are, went through five nested loops, and the checks of
// its arguments were made at run time though callers pass constants.

@const_args depends on anon_first@
typedef bool;
attribute name __always_inline;
identifier check = sanity_check_pinned_pages;
@@
+/* In line: what all callers pass for @locked and @to_set is constant. */
+static __always_inline bool is_valid_gup_args(struct page **pages, int *locked,
+					      unsigned int *gup_flags_p, unsigned int to_set);
+
 static inline void check(...)
 {
	...
 }

@in_line depends on const_args@
attribute name __always_inline;
@@
 static inline void mm_set_has_pinned_flag(...)
 {
 	...
 }
+
+#ifdef CONFIG_HAVE_GUP_FAST
+/* In line: for one page its loop is gone. */
+static __always_inline int gup_fast_pte_range(pmd_t pmd, pmd_t *pmdp, unsigned long addr,
+					      unsigned long end, unsigned int flags,
+					      struct page **pages, int *nr);
+#endif

@one depends on in_line@
typedef pgd_t, p4d_t, pud_t, pmd_t;
identifier next, pgdp, loops = gup_fast_pgd_range;
@@
+static void gup_fast_many(unsigned long addr, unsigned long end, unsigned int flags,
+			  struct page **pages, int *nr);
+
+/*
+ * One page, as small direct I/O asks for: no end to find at each level, and no loops. All levels
+ * are variables of one function, for an entry of one that is folded is that of the level above.
+ */
+static void gup_fast_one(unsigned long addr, unsigned int flags, struct page **pages, int *nr)
+{
+	unsigned long end = addr + PAGE_SIZE;
+	pgd_t *pgdp = pgd_offset(current->mm, addr);
+	pgd_t pgd = pgdp_get(pgdp);
+	p4d_t *p4dp;
+	pud_t *pudp;
+	pmd_t *pmdp;
+	p4d_t p4d;
+	pud_t pud;
+	pmd_t pmd;
+
+	if (pgd_none(pgd) || pgd_leaf(pgd))
+		goto long_way;
+	p4dp = p4d_offset_lockless(pgdp, pgd, addr);
+	p4d = p4dp_get(p4dp);
+	if (!p4d_present(p4d) || p4d_leaf(p4d))
+		goto long_way;
+	pudp = pud_offset_lockless(p4dp, p4d, addr);
+	pud = pudp_get(pudp);
+	if (!pud_present(pud) || pud_leaf(pud))
+		goto long_way;
+	pmdp = pmd_offset_lockless(pudp, pud, addr);
+	pmd = pmdp_get_lockless(pmdp);
+	if (!pmd_present(pmd) || (pmd_leaf(pmd) && pmd_protnone(pmd)))
+		return;
+	if (unlikely(pmd_leaf(pmd))) {
+		gup_fast_pmd_leaf(pmd, pmdp, addr, end, flags, pages, nr);
+		return;
+	}
+	gup_fast_pte_range(pmd, pmdp, addr, end, flags, pages, nr);
+	return;
+
+long_way:
+	gup_fast_many(addr, end, flags, pages, nr);
+}
+
+/* What the page tables from the top on map */
+static inline void gup_fast_pgd_range(unsigned long addr, unsigned long end,
+				      unsigned int flags, struct page **pages, int *nr)
+{
+	if (end - addr == PAGE_SIZE)
+		gup_fast_one(addr, flags, pages, nr);
+	else
+		gup_fast_many(addr, end, flags, pages, nr);
+}
+
 static void loops(...)
 {
	unsigned long next;
	pgd_t *pgdp;
	...
 }

@many depends on one@
identifier addr, end, flags, pages, nr, next, pgdp;
@@
-static void gup_fast_pgd_range(unsigned long addr, unsigned long end, unsigned int flags,
-			       struct page **pages, int *nr)
+static void gup_fast_many(unsigned long addr, unsigned long end, unsigned int flags,
+			  struct page **pages, int *nr)
 {
	unsigned long next;
	pgd_t *pgdp;
	...
 }

// What bio_vecs hold was let go folio by folio.

@include_bvec depends on many@
@@
 #include <linux/secretmem.h>
+#include <linux/bvec.h>

@unpin_bvecs depends on include_bvec@
identifier next =~ "^(gup_fast_unpin_user_pages|unpin_user_pages_lockless)$";
@@
+static unsigned int __unpin_user_bvecs(struct bio_vec *bvecs, unsigned int nr, bool only_dirty)
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
+	struct folio *folio;
+
+	if (nr != 1 || bvecs->bv_offset + bvecs->bv_len > PAGE_SIZE)
+		return __unpin_user_bvecs(bvecs, nr, only_dirty);
+	/* Of one page there is nothing to count together. */
+	folio = page_folio(bvecs->bv_page);
+	if (only_dirty && !folio_test_dirty(folio))
+		return 0;
+	gup_put_folio(folio, 1, FOLL_PIN);
+	return 1;
+}
+
 static void next(...)
 {
 	...
 }
