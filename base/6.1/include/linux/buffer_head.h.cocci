// SPDX-License-Identifier: GPL-2.0
// Users are mapped in another way there.

@userns@
@@
-int block_getattr(struct mnt_idmap *idmap, const struct path *path, struct kstat *stat,
+int block_getattr(struct user_namespace *mnt_userns, const struct path *path, struct kstat *stat,
 		  u32 request_mask, unsigned int query_flags);
