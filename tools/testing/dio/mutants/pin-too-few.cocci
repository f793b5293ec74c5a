// SPDX-License-Identifier: GPL-2.0
// A page that goes into two bio_vecs is pinned once.

@@ @@
 dio_hold(...) {
 <+...
-	folio_add_pin(...);
+	;
 ...+>
 }
