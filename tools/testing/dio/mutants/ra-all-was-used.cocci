// SPDX-License-Identifier: GPL-2.0
// What was read for a run is taken for what was used of it.

@@ @@
 ra_look_for_end(...) {
 <+...
-ra_was_used(ask->mapping, index)
+true
 ...+>
 }
