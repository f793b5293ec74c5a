// SPDX-License-Identifier: GPL-2.0
// A position that another stream left is taken for the end of a run.

@position@
@@
 ra_prev_tells(...) {
 <+...
-end > ra->run_start && end <= ra->start + ra->size
+end > ra->run_start
 ...+>
 }

@learnt depends on position@
@@
 ra_run_learn(...) {
 <+...
-end <= ra->run_start || end > ra->start + ra->size
+end <= ra->run_start
 ...+>
 }
