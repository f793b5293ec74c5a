// SPDX-License-Identifier: GPL-2.0
// What was learnt of the runs of a file is forgotten with its inode.

@nothing_is_known@
identifier inode, mapping;
@@
 inode->i_mapping = mapping;
+inode->i_ra_runs = 0;
