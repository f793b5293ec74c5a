// SPDX-License-Identifier: GPL-2.0
// A mapped file is read further where memory has no room for it.

@@ @@
 ra_faults_warm(...) {
 <+...
-!ra_has_room(ask)
+false
 ...+>
 }
