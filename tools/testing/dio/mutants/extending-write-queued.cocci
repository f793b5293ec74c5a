// SPDX-License-Identifier: GPL-2.0
// A write that extends the file is not waited for: the size is told before the data is there.

@@
expression e;
@@
 dio_init(...) {
 <+...
-	dio->may_queue = !is_sync_kiocb(iocb) && !(e);
+	dio->may_queue = !is_sync_kiocb(iocb);
 ...+>
 }
