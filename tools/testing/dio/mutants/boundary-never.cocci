// SPDX-License-Identifier: GPL-2.0
// The boundary is not honoured.

@@ @@
 dio_send(...) {
 <+...
-	if (!cur->map_len && buffer_boundary(&cur->map) && cur->bio)
-		dio_submit(...);
 ...+>
 }
