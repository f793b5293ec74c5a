// SPDX-License-Identifier: GPL-2.0
// Where only pages tell how long a run was, one large folio says that all of it was used, for ever.

@@
identifier ra, ask;
@@
 ra_run_learn(...)
 {
 <+...
-len != ra->last || ask->hidden
+len != ra->last
 ...+>
 }
