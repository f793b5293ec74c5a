// SPDX-License-Identifier: GPL-2.0
// The page of zeros, which nobody holds, goes into one bio_vec with memory that lies next to it.

@@ @@
 dio_zero(...) {
 <+...
-	cur->next = NULL;
 ...+>
 }
