// SPDX-License-Identifier: GPL-2.0
// An asynchronous O_DSYNC write does not reach the medium.

@@ @@
 dio_complete_async(...) {
 <+...
-	if (write)
-		ret = generic_write_sync(...);
 ...+>
 }
