// SPDX-License-Identifier: GPL-2.0
// A run of faults that did not reach its one mark is learnt as one page shorter.

@@ @@
 ra_run_learn(...) {
 <+...
-ra->state == RA_FAULTS && end < ra->start + ra->size && !ask->guess && ra_one_mark(ra)
+false
 ...+>
 }
