// SPDX-License-Identifier: GPL-2.0
// A page that two bio_vecs share is held once too often.

@@ @@
 dio_add(...) {
 <+...
-	if (offset && !cur->lent)
-		dio_release_pages(...);
 ...+>
 }
