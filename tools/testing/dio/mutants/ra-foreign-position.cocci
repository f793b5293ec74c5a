// SPDX-License-Identifier: GPL-2.0
// Where the last read ended says nothing, if that is elsewhere; so do the pages.

@@ @@
 ra_learn(...)
 {
 <+...
-ra_used_to(ractl->mapping, view, &gap)
+view->origin
 ...+>
 }
