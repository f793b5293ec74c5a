// SPDX-License-Identifier: GPL-2.0
// A bio is made with fewer bio_vecs than the memory needs.

@@
expression e;
@@
 dio_vecs_left(...) {
 <+...
-	return bio_max_segs(e);
+	return bio_max_segs((e) - 2);
 ...+>
 }
