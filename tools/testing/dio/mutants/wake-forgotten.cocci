// SPDX-License-Identifier: GPL-2.0
// The submitter is not woken.

@@ @@
 dio_put(...) {
 <+...
-	blk_wake_io_task(...);
 ...+>
 }
