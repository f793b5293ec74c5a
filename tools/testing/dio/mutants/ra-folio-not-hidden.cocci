// SPDX-License-Identifier: GPL-2.0
// All of a large folio is taken for used, and a habit goes on that is none any more.

@@
identifier ask;
@@
 ra_look_for_end(...)
 {
 <+...
-ask->hidden = ...;
+ask->hidden = false;
 ...+>
 }
