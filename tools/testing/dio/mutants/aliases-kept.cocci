// SPDX-License-Identifier: GPL-2.0
// Old aliases of new blocks stay in the page cache of the disk.

@@ @@
 dio_map(...) {
 <+...
-	clean_bdev_aliases(...);
 ...+>
 }
