// SPDX-License-Identifier: GPL-2.0
// An asynchronous write goes on without the queue that it completes in.

@@ @@
 dio_run_allocated(...) {
 <+...
-	ret = dio_prepare_defer(dio);
+	ret = 0;
 ...+>
 }
