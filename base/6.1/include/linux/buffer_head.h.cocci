// SPDX-License-Identifier: GPL-2.0
// Users are mapped in another way there.

@userns@
@@
 int block_getattr(
-	struct mnt_idmap *idmap
+	struct user_namespace *mnt_userns
 	, ...);
