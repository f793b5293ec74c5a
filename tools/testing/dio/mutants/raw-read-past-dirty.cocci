// SPDX-License-Identifier: GPL-2.0
// A ring's read waits for dirty pages to be written.

@@ @@
 raw_rw(...) {
 <+...
-mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) || mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK)
+mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK)
 ...+>
 }
