// SPDX-License-Identifier: GPL-2.0
// Direct I/O writes back what is cached of a file, and waits, before each request. For a file that
// has pages in the cache, but none dirty or under writeback, the tree was searched for them.

@ask_the_tags@
identifier mapping;
@@
 mapping_needs_writeback(struct address_space *mapping)
 {
-	return mapping->nrpages;
+	bool dirty = mapping_tagged(mapping, PAGECACHE_TAG_DIRTY);
+
+	/* Asked after it: a page gets this tag before it loses the one for dirty. */
+	return dirty || mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK);
 }
