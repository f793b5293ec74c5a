// SPDX-License-Identifier: GPL-2.0
// Of what a read will meet in the page cache, only the first byte is written back.

@@ @@
 __blockdev_direct_IO(...) {
 <+...
-	ret = filemap_write_and_wait_range(iocb->ki_filp->f_mapping, cur.start, cur.end - 1);
+	ret = filemap_write_and_wait_range(iocb->ki_filp->f_mapping, cur.start, cur.start);
 ...+>
 }
