// SPDX-License-Identifier: GPL-2.0
// A page that goes into two bio_vecs is held once.

@@ @@
 dio_hold_page(...) {
 <+...
-	return try_grab_page(...) ? 0 : -ENOMEM;
+	return 0;
 ...+>
 }
