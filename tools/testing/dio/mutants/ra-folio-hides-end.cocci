// SPDX-License-Identifier: GPL-2.0
// Where only pages tell how long a run was, one large folio says that all of it was used, for ever.

@@
identifier ra, hidden;
@@
 ra_count_agreed(...)
 {
 <+...
-len != ra->last || hidden
+len != ra->last
 ...+>
 }
