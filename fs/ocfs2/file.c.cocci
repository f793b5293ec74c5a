// SPDX-License-Identifier: GPL-2.0
// O_DSYNC and O_DIRECT: nobody synced what was written. The engine does so for what ends later, all
// else is left to whoever called, as with other file systems.

// places: 2
@sync@
@@
 ocfs2_file_write_iter(...)
 {
 ...
-	if (unlikely(written <= 0))
-		goto out;
-
-	if (((file->f_flags & O_DSYNC) && !direct_io) ||
-	    IS_SYNC(inode)) {
-		ret = filemap_fdatawrite_range(...);
-		if (ret < 0)
-			written = ret;
-
-		if (!ret) {
-			ret = jbd2_journal_force_commit(...);
-			if (ret < 0)
-				written = ret;
-		}
-
-		if (!ret)
-			ret = filemap_fdatawait_range(...);
-	}
-
 out:
 ...
 	inode_unlock(inode);
 
+	if (written > 0)
+		written = generic_write_sync(iocb, written);
 	if (written)
 		ret = written;
 	return ret;
 }

// statx() tells what direct I/O wants, but not of what lies in the inode, which is cached.

@statx@
identifier inode, stat, mask;
expression list all;
@@
 ocfs2_getattr(..., struct kstat *stat, u32 mask, ...)
 {
 	...
 	struct inode *inode = d_inode(...);
 	...
-	generic_fillattr(all);
+	generic_fillattr(all);
+	if (!(OCFS2_I(inode)->ip_dyn_features & OCFS2_INLINE_DATA_FL))
+		block_statx_dio(inode, mask, stat);
 	...
 }
