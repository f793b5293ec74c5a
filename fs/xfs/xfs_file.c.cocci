// SPDX-License-Identifier: GPL-2.0
// The way that reads of one block have is open to writes over a block, which have nothing to allocate
// or to convert.

@rename@
@@
-iomap_dio_read_simple
+iomap_dio_simple
 (...)

@overwrite depends on rename@
identifier ip, iocb, from, ops, dops, dio_flags, ac, ret;
@@
 xfs_file_dio_write_aligned(
 	struct xfs_inode	*ip,
 	struct kiocb		*iocb,
 	struct iov_iter		*from,
 	const struct iomap_ops	*ops,
 	const struct iomap_dio_ops *dops,
 	struct xfs_zone_alloc_ctx *ac)
 {
 	<+...
-	ret = iomap_dio_rw(iocb, from, ops, dops, dio_flags, ac, 0);
+	ret = -ENOTBLK;
+	/* Blocks of zoned files and of those that may be shared are written elsewhere. */
+	if (!dio_flags && !ac && !xfs_is_cow_inode(ip)) {
+		ret = iomap_dio_simple(iocb, from, xfs_read_iomap_begin);
+		if (ret > 0 && xfs_is_shutdown(ip->i_mount))
+			ret = -EIO;
+		if (ret > 0)
+			XFS_STATS_ADD(ip->i_mount, xs_write_bytes, ret);
+	}
+	if (ret == -ENOTBLK)
+		ret = iomap_dio_rw(iocb, from, ops, dops, dio_flags, ac, 0);
 	...+>
 }
