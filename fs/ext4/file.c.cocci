// SPDX-License-Identifier: GPL-2.0
// A direct write of one block that is mapped and was written has nothing to allocate or to convert.

@overwrite@
identifier iocb, from, ret, dio_flags;
@@
 ext4_dio_write_iter(struct kiocb *iocb, struct iov_iter *from)
 {
 	<+...
-	ret = iomap_dio_rw(iocb, from, &ext4_iomap_ops, &ext4_dio_write_ops,
-			   dio_flags, NULL, 0);
+	ret = -ENOTBLK;
+	/* Its end_io() has nothing to do then. */
+	if (!dio_flags)
+		ret = iomap_dio_overwrite(iocb, from, ext4_iomap_begin, NULL);
+	if (ret == -ENOTBLK)
+		ret = iomap_dio_rw(iocb, from, &ext4_iomap_ops, &ext4_dio_write_ops,
+				   dio_flags, NULL, 0);
 	...+>
 }
