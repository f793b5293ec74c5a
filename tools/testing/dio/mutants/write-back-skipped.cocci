// SPDX-License-Identifier: GPL-2.0
// A read goes past data that is still in the page cache.

@@ @@
 dio_write_back(...) {
 <+...
-	return filemap_write_and_wait_range(...);
+	return 0;
 ...+>
 }
