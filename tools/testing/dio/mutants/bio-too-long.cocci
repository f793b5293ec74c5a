// SPDX-License-Identifier: GPL-2.0
// A bio takes more bytes than it can count.

@@
type T;
@@
 dio_add_pages(...) {
 <+...
-	T nr = min_t(size_t, left / PAGE_SIZE, room);
+	T nr = left / PAGE_SIZE;
 ...+>
 }
