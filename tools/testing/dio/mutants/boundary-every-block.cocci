// SPDX-License-Identifier: GPL-2.0
// The boundary is honoured at each block of a mapping (2.6.19-rc, field report 5).

@@
expression len;
@@
 dio_send(...) {
 <+...
+	len = min_t(size_t, len, 1U << cur->blkbits);
 	if (!dio_add(...)) { ... }
 	dio_step(cur, len);
+	if (buffer_boundary(&cur->map) && cur->bio &&
+	    !((cur->pos + sent + len) & ((1UL << cur->blkbits) - 1)))
+		dio_submit(dio, cur, true);
+	if (!cur->bio && sent + len < left)
+		dio_prepare_bio(dio, cur, cur->sector + ((sent + len) >> SECTOR_SHIFT));
 ...+>
 }

@@ @@
 dio_send(...) {
 <+...
-	if (!cur->offset)
+	if (!cur->offset && !buffer_boundary(&cur->map))
 		sent += dio_add_pages(...);
 ...+>
 }
