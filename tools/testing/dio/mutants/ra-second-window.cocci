// SPDX-License-Identifier: GPL-2.0
// 2.6.6: a second window is opened with the first.

@@
expression E;
@@
 ra_runs_miss(...)
 {
 <+...
-first ? E : end
+2 * end - index
 ...+>
 }
