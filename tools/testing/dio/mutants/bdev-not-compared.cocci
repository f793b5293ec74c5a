// SPDX-License-Identifier: GPL-2.0
// Blocks of another disk go into the bio, if their numbers follow.

@@ @@
-bio_end_sector(bio) == sector && bio->bi_bdev == cur->map.b_bdev
+bio_end_sector(bio) == sector
