// SPDX-License-Identifier: GPL-2.0
// What is read by itself begins within a block.

@@ @@
 ra_warmth(...) {
 <+...
-ask->mapping->host->i_blkbits > PAGE_SHIFT
+false
 ...+>
 }
