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
-	if (file_ref_put(&file->f_ref))
+	if (file_ref_put(&file->f_ref)) {
+		file_ra_state_end(file);
 		__fput(file);
+	}
 }

// places: 2
@at_close depends on now@
identifier file;
@@
 void fput_close_sync(struct file *file)
 {
-	if (likely(file_ref_put_close(&file->f_ref)))
+	if (likely(file_ref_put_close(&file->f_ref))) {
+		file_ra_state_end(file);
 		__fput(file);
+	}
 }
