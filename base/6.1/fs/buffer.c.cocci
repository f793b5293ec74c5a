// SPDX-License-Identifier: GPL-2.0
// Users are mapped in another way there.

// places: 2
@userns@
@@
 block_getattr(
-	struct mnt_idmap *idmap
+	struct user_namespace *mnt_userns
 	, ...)
 {
 	...
-	generic_fillattr(idmap, request_mask, inode, stat);
+	generic_fillattr(mnt_userns, inode, stat);
 	...
 }
