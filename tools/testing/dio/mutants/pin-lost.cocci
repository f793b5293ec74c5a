// SPDX-License-Identifier: GPL-2.0
// Memory is not released when a bio has ended.

@@ @@
 dio_unpin(...) {
 <+...
-	done = unpin_user_bvecs(...);
+	;
 ...+>
 }
