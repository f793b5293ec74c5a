// SPDX-License-Identifier: GPL-2.0
// Where a write found memory that it cannot read, the rest of the block was filled up with zeros,
// and that this worked was told instead of the fault: the write returned 0.

@tail@
expression pad, len;
identifier iter, dio, pos, ret;
@@
 iomap_dio_bio_iter(...)
 {
 <+...
-	if (pad)
-		ret = iomap_dio_zero(iter, dio, pos, len);
+	if (pad) {
+		int err = iomap_dio_zero(iter, dio, pos, len);
+
+		ret = ret ?: err;
+	}
 ...+>
 }
