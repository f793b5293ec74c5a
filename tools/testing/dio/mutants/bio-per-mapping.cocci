// SPDX-License-Identifier: GPL-2.0
// Each mapping gets a bio of its own.

@@ @@
 dio_map(...) {
 ...
+	if (cur->bio)
+		dio_submit(dio, cur, true);
 	map_bh_request(...);
 ...
 }
