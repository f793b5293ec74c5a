// SPDX-License-Identifier: GPL-2.0
// The tail of a new block is not zeroed.

@@
type T;
expression e;
@@
 dio_zero_rest(...) {
 <+...
-	T len = ret ? cur->map_len : e;
+	T len = ret ? cur->map_len : 0;
 ...+>
 }
