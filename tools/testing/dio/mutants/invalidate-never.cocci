// SPDX-License-Identifier: GPL-2.0
// A write leaves what is cached of the file.

@@ @@
 dio_complete(...) {
 <+...
-	kiocb_invalidate_post_direct_write(...);
+	;
 ...+>
 }
