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
