// SPDX-License-Identifier: GPL-2.0
// A buffered reader comes back for its page as long as somebody waits for ip_alloc_sem, which
// down_read() does not wait behind. In a kernel that preempts nobody a writer to be woken on this
// CPU never is.

// rules of base/6.12/fs/ocfs2/aops.c.cocci: yield

// __blockdev_direct_IO() has no submit_io any more.

@no_submit depends on yield@
symbol ocfs2_dio_end_io;
expression list[5] first;
@@
 ocfs2_direct_IO(...)
 {
 <+...
 __blockdev_direct_IO(first, ocfs2_dio_end_io,
-		     NULL,
 		     0)
 ...+>
 }
