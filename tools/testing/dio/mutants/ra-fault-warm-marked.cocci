// SPDX-License-Identifier: GPL-2.0
// All that is read behind a run of faults has marks, each of which takes a fault.

@@ @@
 ra_marks_end(...) {
 <+...
-ask->first ? 1 : ra->size
+ra->size
 ...+>
 }
