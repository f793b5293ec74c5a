// SPDX-License-Identifier: GPL-2.0
// A direct write that goes on in the page cache reads blocks that it covers only in part. It has
// dropped the inode lock in between, so a direct write to another part of such a block may have
// been sent since. 7.3 and 6.1.192 wait here; other file systems of 6.12: mm/filemap.c.cocci.

@wait@
identifier inode;
@@
 ext4_buffered_write_iter(...)
 {
 	...
 	inode_lock(inode);
+	/* What is on its way to a part of a block must not be written over with what was. */
+	inode_dio_wait(inode);
 	...
 }
