// SPDX-License-Identifier: GPL-2.0
// Direct I/O writes back what is cached of a file, and waits, before each request. For a file that
// has pages in the cache, but none dirty or under writeback, the tree was searched for them.

@ask_the_tags@
identifier mapping;
@@
 mapping_needs_writeback(struct address_space *mapping)
 {
-	return mapping->nrpages;
+	/* One look at both: a page gets the tag for writeback before it loses the one for dirty. */
+	gfp_t tags = READ_ONCE(mapping->i_pages.xa_flags);
+
+	return tags & (XA_FLAGS_MARK(PAGECACHE_TAG_DIRTY) | XA_FLAGS_MARK(PAGECACHE_TAG_WRITEBACK));
 }
