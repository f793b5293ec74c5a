// SPDX-License-Identifier: GPL-2.0
// A file that memory has no room for is taken for one that comes to be there.

@@ @@
 ra_look_around(...) {
 <+...
-!ra_has_room(ask)
+false
 ...+>
 }
