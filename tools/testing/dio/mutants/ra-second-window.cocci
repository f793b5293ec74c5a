// SPDX-License-Identifier: GPL-2.0
// 2.6.6: a second window is opened with the first, also on random access.

@second_window@
expression want, most;
@@
 ra_run_begin(...)
 {
 <+...
-want > most ? ra->size : 0
+ra->size
 ...+>
 }
