// SPDX-License-Identifier: GPL-2.0
// __blockdev_direct_IO() has no submit_io any more.

@no_submit@
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
