// SPDX-License-Identifier: GPL-2.0
// In a file that comes to be in memory all that is left of a long run is waited for at once.

@@
expression e;
@@
 ra_run_begin(...)
 {
 <+...
-want > need && need <= e
+want > need
 ...+>
 }
