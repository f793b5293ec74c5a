// SPDX-License-Identifier: GPL-2.0
// A direct write asks twice whether its pages are in the cache. Mostly it is one, and is not there:
// then two arrays of this function, half a kilobyte, were cleared in vain.

// places: 2
@one_page@
identifier mapping, start, end, indices, fbatch, index, N;
@@
 invalidate_inode_pages2_range(struct address_space *mapping, pgoff_t start, pgoff_t end)
 {
-	pgoff_t indices[N];
-	struct folio_batch fbatch;
 	pgoff_t index;
 	...
-	if (mapping_empty(mapping))
-		return 0;
+	if (mapping_empty(mapping))
+		return 0;
+	/* So it is with most direct writes of a block: a look at its place is enough. */
+	if (start == end && !dax_mapping(mapping) && !xa_load(&mapping->i_pages, start))
+		return 0;
 	...
 }

@not_cleared depends on one_page@
attribute name __uninitialized;
identifier index, one_page.N;
@@
 invalidate_inode_pages2_range(...)
 {
+	pgoff_t indices[N] __uninitialized;
+	struct folio_batch fbatch __uninitialized;
 	pgoff_t index;
 	...
 }
