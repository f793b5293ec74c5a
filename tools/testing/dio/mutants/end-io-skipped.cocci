// SPDX-License-Identifier: GPL-2.0
// The file system does not hear of the end.

@@ @@
 dio_complete(...) {
 <+...
-	if (dio->end_io) { ... }
 ...+>
 }
