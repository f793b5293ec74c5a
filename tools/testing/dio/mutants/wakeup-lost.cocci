// SPDX-License-Identifier: GPL-2.0
// The wakeup comes before the submitter says that it sleeps.

@@ @@
 dio_sleep(...) {
 <+...
-set_current_state(TASK_UNINTERRUPTIBLE);
 if (...)
 	break;
+set_current_state(TASK_UNINTERRUPTIBLE);
 ...+>
 }
