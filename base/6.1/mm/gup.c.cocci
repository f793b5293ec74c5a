// SPDX-License-Identifier: GPL-2.0
// Each pin, and each unpin, of a page was added to a counter of its node: 75 of the 300
// instructions that direct I/O spends on a page of memory. Where pages are pinned one PTE after the
// other, and where an array of them is unpinned, the counter now hears once for all that lie on one
// node. Huge pages are counted at once as before. /proc/vmstat shows the same.

// rules of mm/gup.c.cocci: pins

@declare depends on pins@
@@
+static struct folio *grab_folio(struct page *page, int refs, unsigned int flags, struct pins *pins);
+
 struct folio *try_grab_folio(...)
 { ... }

// places: 2
@grab depends on declare@
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

// places: 3
@pin_ptes depends on unpin@
identifier folio, page, flags;
expression ptem;
@@
 static int gup_pte_range(...)
 {
+	struct pins pins = { };
 <+...
(
-	folio = try_grab_folio(page, 1, flags);
+	folio = grab_folio(page, 1, flags, &pins);
|
+	report_pins(&pins, NR_FOLL_PIN_ACQUIRED);
	pte_unmap(ptem);
)
 ...+>
 }

// What bio_vecs hold was let go folio by folio.

// rules of mm/gup.c.cocci: include_bvec unpin_bvecs
