// SPDX-License-Identifier: GPL-2.0
// Two need the work queue at once: one queue is lost.

@@ @@
-if (cmpxchg(&sb->s_dio_done_wq, NULL, wq))
-	destroy_workqueue(wq);
+cmpxchg(&sb->s_dio_done_wq, NULL, wq);
