// SPDX-License-Identifier: GPL-2.0
// Where only pages tell how long a run was, one large folio says that all of it was used.

@@
identifier ask;
@@
 ra_run_order(...)
 {
 <+...
-if (ask->touched)
-	return 0;
 ...+>
 }
