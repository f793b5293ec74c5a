// SPDX-License-Identifier: GPL-2.0
// A large hole is mapped again for each of its blocks.

@@ @@
 dio_map(...) {
 <+...
-	if (map->b_size >= want || !map->b_size)
 		map->b_size = 1UL << cur->blkbits;
 ...+>
 }
