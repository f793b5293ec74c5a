// SPDX-License-Identifier: GPL-2.0
// A bio_vec ended with its folio, though what follows in memory may be the next page of the
// request: memory of single pages took one bio_vec for each, and everything that walks over
// bio_vecs came around as often. Whoever releases such bio_vecs goes by folios.

@include_xen@
@@
 #include <linux/iov_iter.h>
+#include <xen/xen.h>

@contiguous depends on include_xen@
typedef bool;
@@
+/*
+ * May one bio_vec go on from @page to @next? It may where the block layer would join two of
+ * them (biovec_phys_mergeable()); with Xen or KMSAN only within a folio.
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

// places: 2
@call depends on gone@
// comment:  * contained in a single folio as a single bvec instead of multiple entries. =>  * as a single bvec instead of multiple entries, also those of several folios.
expression list args;
@@
-get_contig_folio_len
+get_contig_len
 (args)

// Memory of one page, as small requests have, was taken by way of a table of pages.

// places: 3
@gup_flags depends on call@
identifier i, extraction_flags, gup_flags;
@@
+static unsigned int iter_gup_flags(const struct iov_iter *i, iov_iter_extraction_t extraction_flags)
+{
+	unsigned int gup_flags = 0;
+
+	if (i->data_source == ITER_DEST)
+		gup_flags |= FOLL_WRITE;
+	if (extraction_flags & ITER_ALLOW_P2PDMA)
+		gup_flags |= FOLL_PCI_P2PDMA;
+	if (i->nofault)
+		gup_flags |= FOLL_NOFAULT;
+	return gup_flags;
+}
+
 iov_iter_extract_user_pages(struct iov_iter *i, ..., iov_iter_extraction_t extraction_flags, ...)
 {
 	...
-	unsigned int gup_flags = 0;
+	unsigned int gup_flags = iter_gup_flags(i, extraction_flags);
 	...
-	if (i->data_source == ITER_DEST)
-		gup_flags |= FOLL_WRITE;
-	if (extraction_flags & ITER_ALLOW_P2PDMA)
-		gup_flags |= FOLL_PCI_P2PDMA;
-	if (i->nofault)
-		gup_flags |= FOLL_NOFAULT;
 	...
 }

@one_page depends on gup_flags@
typedef bool;
identifier f = iov_iter_extract_bvecs;
@@
+static inline bool iter_is_one_page(const struct iov_iter *i)
+{
+	size_t left = PAGE_SIZE - offset_in_page(i->ubuf + i->iov_offset);
+
+	return iter_is_ubuf(i) && i->count && i->count <= left;
+}
+
+/* All of @i, as the first of @bv */
+static ssize_t extract_one_page(struct iov_iter *i, struct bio_vec *bv, unsigned short *nr_vecs,
+				iov_iter_extraction_t extraction_flags)
+{
+	unsigned long addr = (unsigned long)i->ubuf + i->iov_offset;
+	size_t len = i->count;
+	struct page *page;
+	int ret;
+
+	ret = pin_user_pages_fast(addr, 1, iter_gup_flags(i, extraction_flags), &page);
+	if (unlikely(ret <= 0))
+		return ret ? ret : -EFAULT;
+	bvec_set_page(bv, page, len, offset_in_page(addr));
+	*nr_vecs = 1;
+	i->iov_offset += len;
+	i->count = 0;
+	return len;
+}
+
 ssize_t f(...)
 { ... }

@one_page_first depends on one_page@
identifier mask, iter, bv, max_size, nr_vecs, max_vecs, extraction_flags;
@@
 iov_iter_extract_bvecs(struct iov_iter *iter, struct bio_vec *bv, size_t max_size,
			unsigned short *nr_vecs, unsigned short max_vecs, unsigned mask,
			iov_iter_extraction_t extraction_flags)
 {
	...
 	if (...) { ... } else if (iov_iter_alignment(iter) & mask) { ... }
+	if (!*nr_vecs && max_vecs && max_size >= PAGE_SIZE && iter_is_one_page(iter))
+		return extract_one_page(iter, bv, nr_vecs, extraction_flags);
	...
 }
