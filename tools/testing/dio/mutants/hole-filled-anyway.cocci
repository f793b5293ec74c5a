// SPDX-License-Identifier: GPL-2.0
// A file system that does not want holes below i_size filled is asked to.

@@ @@
 dio_map(...) {
 <+...
-	if (create && cur->skip_holes) { ... }
 ...+>
 }
