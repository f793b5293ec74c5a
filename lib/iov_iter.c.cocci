// SPDX-License-Identifier: GPL-2.0
// A bio_vec ended with its folio, though what follows in memory may be the next page of the request:
// memory of single pages took one bio_vec for each, and everything that walks over bio_vecs came
// around as often. Whoever releases such bio_vecs goes by folios.

@include_xen@
@@
 #include <linux/iov_iter.h>
+#include <xen/xen.h>

@contiguous depends on include_xen@
typedef bool;
@@
+/*
+ * May one bio_vec go on from @page to @next? Within a folio, which its first page in the bio_vec
+ * tells, always; besides where the block layer would join bio_vecs, too (biovec_phys_mergeable()).
+ */
+static inline bool pages_adjoin(struct page *page, struct page *next)
+{
+	if (next != page + 1)
+		return false;
+	if (IS_ENABLED(CONFIG_KMSAN) || xen_domain())
+		return page_folio(page) == page_folio(next);
+	/* Without a virtual memmap its sections are not side by side as memory is. */
+	if (memdesc_section(&page->flags) != memdesc_section(&next->flags))
+		return false;
+	return zone_device_pages_have_same_pgmap(page, next);
+}
+
+/* How many of @left bytes, from @offset into the first of @pages on, lie side by side in memory? */
+static size_t get_contig_len(struct page **pages, unsigned int *nr, size_t left, size_t offset)
+{
+	unsigned int max = DIV_ROUND_UP(offset + left, PAGE_SIZE), i = 1;
+
+	while (i < max && pages_adjoin(pages[0] + i - 1, pages[i]))
+		i++;
+	*nr = i;
+	return min(i * PAGE_SIZE - offset, left);
+}
+
 static unsigned int get_contig_folio_len(...)
 { ... }

@gone depends on contiguous@
@@
-static unsigned int get_contig_folio_len(...)
-{ ... }

@call depends on gone@
expression list args;
@@
-get_contig_folio_len
+get_contig_len
 (args)
