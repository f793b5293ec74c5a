// SPDX-License-Identifier: GPL-2.0
// Small mapped files, all of which reading around faults has soon in memory, are read run by run.

@@
expression E, F;
@@
 ra_runs_fault(...)
 {
 <+...
-i_size_read(E) >> PAGE_SHIFT <= F
+false
 ...+>
 }
