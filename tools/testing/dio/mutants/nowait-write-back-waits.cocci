// SPDX-License-Identifier: GPL-2.0
// IOCB_NOWAIT waits for the page cache.

@@ @@
 dio_write_back(...) {
 <+...
-		return filemap_range_needs_writeback(...) ? -EAGAIN : 0;
+		;
 ...+>
 }
