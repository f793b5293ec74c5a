// SPDX-License-Identifier: GPL-2.0
// The submitter is looked for in what it may have freed.

@@ @@
-blk_wake_io_task(waiter);
+blk_wake_io_task(waiter ? dio->waiter ?: waiter : NULL);
