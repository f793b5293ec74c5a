// SPDX-License-Identifier: GPL-2.0
// Each pin, and each unpin, of a page was added to a counter of its node: 75 of the 300 instructions
// that direct I/O spends on a page of memory. Of pages that are pinned or unpinned together, the
// counter now hears once. /proc/vmstat shows the same.

@count_pins@
identifier ctx = follow_page_context;
@@
 struct ctx {
 	...
 };

+
+/* In the flags of functions below: the caller counts the pins. */
+#define FOLL_COUNTED	BIT(31)
+
+/* Count @nr pins: @taken, while interrupts are off, or dropped. Pages of one node count at once. */
+static inline void count_pins(struct page **pages, unsigned long nr, bool taken)
+{
+	unsigned long i = 0;
+
+	while (i < nr) {
+		pg_data_t *node = page_pgdat(pages[i]);
+		long pins = 0;
+
+		for (; i < nr && page_pgdat(pages[i]) == node; i++)
+			pins += !is_zero_page(pages[i]);
+		if (taken)
+			__mod_node_page_state(node, NR_FOLL_PIN_ACQUIRED, pins);
+		else
+			mod_node_page_state(node, NR_FOLL_PIN_RELEASED, pins);
+	}
+}

@grab depends on count_pins@
identifier folio, refs, flags;
@@
 struct folio *try_grab_folio(struct page *page, int refs, unsigned int flags)
 {
 <+...
-	node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, refs);
+	if (!(flags & FOLL_COUNTED))
+		node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, refs);
 ...+>
 }

@grab_slow depends on grab@
identifier folio, flags;
@@
 try_grab_page(struct page *page, unsigned int flags)
 {
 <+...
-	node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, 1);
+	if (!(flags & FOLL_COUNTED))
+		node_stat_mod_folio(folio, NR_FOLL_PIN_ACQUIRED, 1);
 ...+>
 }

@put depends on grab_slow@
identifier folio, refs, flags;
@@
 static void gup_put_folio(struct folio *folio, int refs, unsigned int flags)
 {
 <+...
-	node_stat_mod_folio(folio, NR_FOLL_PIN_RELEASED, refs);
+	if (!(flags & FOLL_COUNTED))
+		node_stat_mod_folio(folio, NR_FOLL_PIN_RELEASED, refs);
 ...+>
 }

@undo depends on put@
identifier page, flags;
@@
 undo_dev_pagemap(...)
 {
 <+...
-	if (flags & FOLL_PIN)
-		unpin_user_page(page);
-	else
-		put_page(page);
+	gup_put_folio(page_folio(page), 1, flags);
 ...+>
 }

// places: 2
@unpin depends on undo@
identifier pages, npages;
@@
 void unpin_user_pages(struct page **pages, unsigned long npages)
 {
 ...
 	sanity_check_pinned_pages(pages, npages);
+	count_pins(pages, npages, false);
 <+...
-	gup_put_folio(folio, nr, FOLL_PIN);
+	gup_put_folio(folio, nr, FOLL_PIN | FOLL_COUNTED);
 ...+>
 }

@pin_fast depends on unpin@
identifier gup_flags, pages, nr, irq, start, end;
@@
 static unsigned long lockless_pages_from_mm(...)
 {
 ...
 	local_irq_save(irq);
-	gup_pgd_range(start, end, gup_flags, pages, &nr);
+	gup_pgd_range(start, end, gup_flags | FOLL_COUNTED, pages, &nr);
+	if (gup_flags & FOLL_PIN)
+		count_pins(pages, nr, true);
 	local_irq_restore(irq);
 ...
 }
