// SPDX-License-Identifier: GPL-2.0
// An asynchronous read that fails half way waits for what it has sent.

@@ @@
 dio_submit_all(...) {
 <+...
-	if (ret && dio->may_queue && !dio->write && dio->result) { ... }
 ...+>
 }
