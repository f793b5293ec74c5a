// SPDX-License-Identifier: GPL-2.0
// A submitter that is woken for nothing goes on.

@@ @@
 dio_sleep(...) {
 <+...
-	for (;;) {
+	do {
 		set_current_state(...);
 		if (...)
 			break;
 		blk_io_schedule();
-	}
+	} while (0);
 ...+>
 }
