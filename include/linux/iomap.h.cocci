// SPDX-License-Identifier: GPL-2.0
// Reads of one block have a way of their own, and a write over a block needs no more than they do.

@declared@
symbol iocb, iter, iomi;
@@
-ssize_t __iomap_dio_read_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi);
+ssize_t __iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi);

// places: 2
@rename depends on declared@
attribute name __always_inline;
typedef iomap_iter_begin_fn;
symbol iocb, iter, begin;
@@
 static ssize_t __always_inline
-iomap_dio_read_simple(struct kiocb *iocb, struct iov_iter *iter, iomap_iter_begin_fn begin)
+iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter,
+						iomap_iter_begin_fn begin)
 {
 <+...
-__iomap_dio_read_simple
+__iomap_dio_simple
 (...)
 ...+>
 }

// With the prototype goes what is said of it.

@was depends on rename@
@@
-ssize_t __iomap_dio_simple(...);

@is depends on was@
attribute name __always_inline;
identifier iocb, iter, begin;
@@
+
+/*
+ * Direct I/O of no more than a block that one bio does for: a read, or a synchronous write over
+ * what is mapped and was written, which allocates nothing and leaves nothing to be changed. For a
+ * write i_rwsem is held, for reading at least: the block stays mapped, and is shared by none.
+ *
+ * @begin maps as for a read. There is no place for iomap_dio_ops, flags or private data. Blocks
+ * that are encrypted or checked by the file system, the end of the file, and writes that are
+ * queued, must not wait, or are synced or atomic, are left to iomap_dio_rw().
+ *
+ * Return: as iomap_dio_rw() does, but -ENOTBLK says that it has to be called.
+ */
+ssize_t __iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter, struct iomap_iter *iomi);
+
+/* Nobody else is told when such a write is done, and nothing of it is cached. */
+static inline int iomap_dio_simple_write(struct kiocb *iocb, size_t len)
+{
+	if (!is_sync_kiocb(iocb) || iocb_is_dsync(iocb) ||
+	    (iocb->ki_flags & (IOCB_ATOMIC | IOCB_NOWAIT)))
+		return -ENOTBLK;
+	/* What is behind the end of the file in its last block may have to be zeroed. */
+	if (iocb->ki_pos + len >= i_size_read(file_inode(iocb->ki_filp)))
+		return -ENOTBLK;
+	return kiocb_invalidate_pages(iocb, len) ? -ENOTBLK : 0;
+}
+
 static ssize_t __always_inline
 iomap_dio_simple(struct kiocb *iocb, struct iov_iter *iter, iomap_iter_begin_fn begin)
 {
 	...
 }

@both depends on is@
identifier iomi, ret;
@@
 iomap_dio_simple(...)
 {
 	...
+	if (iov_iter_rw(iter) == READ)
+		ret = kiocb_write_and_wait(iocb, iomi.len);
+	else
+		ret = iomap_dio_simple_write(iocb, iomi.len);
-	ret = kiocb_write_and_wait(iocb, iomi.len);
 	if (ret)
 		return ret;
 	...
 }
