// SPDX-License-Identifier: GPL-2.0
// At a boundary the bio goes out before the last part has been added.

@@ @@
 dio_send(...) {
 ...
+	if (buffer_boundary(&cur->map) && left == cur->map_len && cur->bio)
+		dio_submit(dio, cur, true);
 	if (dio_go_on(...))
 		sent = left;
 	else
 		dio_prepare_bio(...);
 ...
-	if (!cur->map_len && buffer_boundary(&cur->map) && cur->bio)
-		dio_submit(...);
 ...
 }
