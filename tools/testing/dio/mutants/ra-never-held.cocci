// SPDX-License-Identifier: GPL-2.0
// A stream whose pages were thrown away unread gets its full windows again.

@never_held@
@@
 ra_hold(...)
 {
 <+...
-ra->size / 2UL
+ask->max
 ...+>
 }
