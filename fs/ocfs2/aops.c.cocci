// SPDX-License-Identifier: GPL-2.0
// What fsync() waits for are the transactions that an inode remembers, and the one that makes the
// blocks of a direct write part of the file, or sets its size, was never among them.

// places: 3
@remember@
@@
 ocfs2_dio_end_io_write(...)
 {
 <+...
+		ocfs2_update_inode_fsync_trans(handle, inode, 1);
 		ocfs2_commit_trans(osb, handle);
 ...+>
 }

// A page larger than clusters is mapped a cluster at a time, and each forgot which blocks of the
// others are new.

// places: 2
@new_in_range@
identifier map =~ "^ocfs2_map_(page|folio)_blocks$", bh, from, to, start, end;
@@
 map(...)
 {
 <+...
-clear_buffer_new(bh);
 if (start >= to || end <= from) { ... }
+clear_buffer_new(bh);
 ...+>
 }

// A buffered write whose memory could not be read was told to have reached its whole block: what
// the page had held before, in another file or in the kernel, became the block's data, cached and
// on disk.

@no_data exists@
identifier wc, target;
expression f, from, to;
@@
 ocfs2_write_end_nolock(..., unsigned copied, void *fsdata)
 {
 <+...
 if (f == wc->target) { ... } else { ... }
 ...
-block_commit_write(f, from, to);
+/* No data came: what is new is zeros, what is old is yet to be read. */
+if (!copied && f == wc->target) {
+	ocfs2_zero_new_buffers(f, from, to);
+	continue;
+}
+block_commit_write(f, from, to);
 ...+>
 }
