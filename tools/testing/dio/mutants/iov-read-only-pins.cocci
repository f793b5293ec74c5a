// SPDX-License-Identifier: GPL-2.0
// Memory that the disk writes to is pinned for reading.

@@
expression e;
@@
 extract_user_pages(...) {
 <+...
-	iov_iter_rw(i) == READ ? FOLL_WRITE : 0
+	0
 ...+>
 }
