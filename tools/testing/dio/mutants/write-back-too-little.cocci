// SPDX-License-Identifier: GPL-2.0
// Of what a read will meet in the page cache, only the first byte is written back.

@@ @@
 __blockdev_direct_IO(...) {
 <+...
-	ret = dio_write_back(iocb, cur.start, cur.end - 1);
+	ret = dio_write_back(iocb, cur.start, cur.start);
 ...+>
 }
