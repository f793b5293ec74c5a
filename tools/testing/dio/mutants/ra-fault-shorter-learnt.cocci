// SPDX-License-Identifier: GPL-2.0
// A run of faults that did not reach its first mark is learnt as one page shorter.

@@
expression last;
@@
 ra_run_learn(...) {
 <+...
-ra->state == RA_FAULTS && !ask->guess && ra_is_habit(ra) && end < last
+false
 ...+>
 }
