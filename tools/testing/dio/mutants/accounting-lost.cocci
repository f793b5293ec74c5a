// SPDX-License-Identifier: GPL-2.0
// The task is not charged for what it writes.

@@ @@
 dio_submit(...) {
 <+...
-	task_io_account_write(...);
+	;
 ...+>
 }
