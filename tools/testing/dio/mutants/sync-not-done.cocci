// SPDX-License-Identifier: GPL-2.0
// An asynchronous O_DSYNC write does not reach the medium.

@@ @@
 dio_complete_async(...) {
 <+...
-	dio->write && iocb_is_dsync(iocb)
+	false
 ...+>
 }
