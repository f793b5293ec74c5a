// SPDX-License-Identifier: GPL-2.0
// Direct I/O waits for pages under writeback before each request. Of a file that has pages in the
// cache, but none under writeback, the tree was searched for them: 280 instructions of 2,700.

@wait_for_some@
identifier mapping, start, end;
@@
 static void __filemap_fdatawait_range(struct address_space *mapping, loff_t start, loff_t end)
 {
 	...
 	if (end < start)
 		return;

+	if (!mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK))
+		return;	/* pages get this tag before they lose the one for dirty */
 	pagevec_init(...);
 	...
 }
