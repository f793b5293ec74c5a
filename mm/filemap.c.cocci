// SPDX-License-Identifier: GPL-2.0
// Direct I/O writes back what is cached of a file, and waits, before each request. For a file that
// has pages in the cache, but none dirty or under writeback, the tree was searched for them.
//
// And a direct write that goes on in the page cache reads blocks that it covers only in part, while
// another part of them may be on its way to the disk.

@ask_the_tags@
identifier mapping;
@@
 mapping_needs_writeback(struct address_space *mapping)
 {
-	return mapping->nrpages;
+	/* Looked at first: a page is tagged for writeback before it is no longer tagged dirty. */
+	bool dirty = mapping_tagged(mapping, PAGECACHE_TAG_DIRTY);
+
+	return dirty || mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK);
 }

@wait_function depends on ask_the_tags@
identifier write = __generic_file_write_iter, iocb, from;
@@
+/*
+ * What is left of a direct write is about to go through the page cache, which reads the block at a
+ * seam inside a block. If a direct write to another part of that block is in flight, it would be
+ * undone by writing the block back. Seams are where the rest begins and ends, and where the file
+ * ended if the rest is behind it: file systems without holes fill up from there.
+ */
+static void wait_at_seams(struct inode *inode, loff_t pos, size_t len)
+{
+	loff_t seams = pos | len | min(pos, i_size_read(inode));
+
+	if (seams & (i_blocksize(inode) - 1))
+		inode_dio_wait(inode);
+}
+
 ssize_t write(struct kiocb *iocb, struct iov_iter *from)
 {
 	...
 }

@wait depends on wait_function@
identifier iocb, from, ret;
@@
 __generic_file_write_iter(...)
 {
 	<+...
+		wait_at_seams(inode, iocb->ki_pos, iov_iter_count(from));
 		ret = direct_write_fallback(iocb, from, ret, generic_perform_write(iocb, from));
 	...+>
 }
