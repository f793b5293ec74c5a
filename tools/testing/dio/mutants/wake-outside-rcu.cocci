// SPDX-License-Identifier: GPL-2.0
// The submitter may have exited before it is woken.

@@ @@
-rcu_read_lock();
 ...
 blk_wake_io_task(...);
-rcu_read_unlock();
