// SPDX-License-Identifier: GPL-2.0
// Once lengths have scattered no run of faults is looked at any more.

@@ @@
 ra_run_learn(...) {
 <+...
-ra->first = RA_DIFFERED;
 ...+>
 }
