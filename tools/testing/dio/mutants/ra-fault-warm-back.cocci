// SPDX-License-Identifier: GPL-2.0
// Faults that go backwards from a run are not seen where more was read behind it.

@@ @@
 ra_plan_fault(...) {
 <+...
-ra->state == RA_FAULTS ? ra->run_start : ra->start
+ra->start
 ...+>
 }
