// SPDX-License-Identifier: GPL-2.0
// Runs of any lengths have large folios, and so have those whose pages will have to tell.

@@
identifier ra, ask;
@@
 ra_run_order(...)
 {
 <+...
-!ra->agreed || ask->touched
+0
 ...+>
 }
