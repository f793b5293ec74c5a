// SPDX-License-Identifier: GPL-2.0
// The way that reads of one block have is open to writes over a block, which have nothing to allocate
// or to convert.

@rename@
@@
-iomap_dio_read_simple
+iomap_dio_simple
 (...)

@overwrite depends on rename@
identifier iocb, from, ret, dio_flags;
@@
 ext4_dio_write_iter(struct kiocb *iocb, struct iov_iter *from)
 {
 	<+...
-	ret = iomap_dio_rw(iocb, from, &ext4_iomap_ops, &ext4_dio_write_ops,
-			   dio_flags, NULL, 0);
+	ret = -ENOTBLK;
+	if (!dio_flags)
+		ret = iomap_dio_simple(iocb, from, ext4_iomap_begin);
+	if (ret == -ENOTBLK)
+		ret = iomap_dio_rw(iocb, from, &ext4_iomap_ops, &ext4_dio_write_ops,
+				   dio_flags, NULL, 0);
 	...+>
 }
