// SPDX-License-Identifier: GPL-2.0
// Readahead is told that a file is closed; its state has a place of its own here.

@include_pagemap@
@@
 #include <linux/mount.h>
+#include <linux/pagemap.h>

@at_the_end depends on include_pagemap@
identifier file;
@@
 static void __fput(struct file *file)
 {
 	...
 	might_sleep();
+	file_ra_state_end(file);
 	...
 }
