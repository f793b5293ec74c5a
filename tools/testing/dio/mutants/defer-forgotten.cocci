// SPDX-License-Identifier: GPL-2.0
// A mapping that asked for completion in process context does not get it.

@@ @@
 dio_map(...) {
 <+...
-	return buffer_defer_completion(map) ? dio_defer(dio) : 0;
+	return 0;
 ...+>
 }
