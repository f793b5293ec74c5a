// SPDX-License-Identifier: GPL-2.0
// A position that another stream left is taken for the end of a run.

@foreign_position@
expression end;
@@
 ra_run_learn(...)
 {
 <+...
-!ra_in_run(ra) || end <= ra->run_start || end > ra->start + ra->size
+!ra_in_run(ra) || end <= ra->run_start
 ...+>
 }
