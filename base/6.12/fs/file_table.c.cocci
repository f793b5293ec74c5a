// SPDX-License-Identifier: GPL-2.0
// Readahead is told that a file is closed, before the place of its state is taken for what fput()
// does later.

@include_pagemap@
@@
 #include <linux/mount.h>
+#include <linux/pagemap.h>

@later depends on include_pagemap@
identifier file;
expression never_opened;
@@
 	if (never_opened) {
 		file_free(file);
 		return;
 	}
+	file_ra_state_end(file);

// places: 2
@now depends on later@
identifier file;
@@
 void __fput_sync(struct file *file)
 {
-	if (atomic_long_dec_and_test(&file->f_count))
+	if (atomic_long_dec_and_test(&file->f_count)) {
+		file_ra_state_end(file);
 		__fput(file);
+	}
 }
