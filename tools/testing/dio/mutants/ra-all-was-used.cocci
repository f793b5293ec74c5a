// SPDX-License-Identifier: GPL-2.0
// What was read for a run is taken for what was used of it.

@@ @@
 ra_look_for_end(...) {
 <+...
-folio_test_referenced(folio)
+true
 ...+>
 }
