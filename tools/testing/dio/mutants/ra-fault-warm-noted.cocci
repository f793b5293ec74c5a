// SPDX-License-Identifier: GPL-2.0
// Marks of a run of faults are taken for a stream's where more was read behind the run.

@@ @@
 ra_noted(...) {
 <+...
-ask->index >= ra->run_start
+ask->index >= ra->start
 ...+>
 }
