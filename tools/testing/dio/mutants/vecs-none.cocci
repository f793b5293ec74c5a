// SPDX-License-Identifier: GPL-2.0
// The segments of an iterator that has none are counted: no bio_vec is left for zeros.

@@
type T;
@@
 dio_vecs_left(...) {
 <+...
-	T segs = many ? iter->nr_segs : 1;
+	T segs = iter->nr_segs;
 ...+>
 }
