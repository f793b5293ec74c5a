// SPDX-License-Identifier: GPL-2.0
// The boundary is honoured at the first block of a mapping, and then forgotten.

@@ @@
 dio_send(...) {
 ...
+	if (buffer_boundary(&cur->map) && left > (1U << cur->blkbits))
+		left = 1U << cur->blkbits;
 	if (dio_go_on(...))
 		sent = left;
 	else
 		dio_prepare_bio(...);
 	while (...) { ... }
 <...
-	if (!cur->map_len && buffer_boundary(&cur->map) && cur->bio)
+	if (buffer_boundary(&cur->map) && cur->bio) {
 		dio_submit(...);
+		cur->map.b_state &= ~(1UL << BH_Boundary);
+	}
 ...>
 }
