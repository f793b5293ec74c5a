// SPDX-License-Identifier: GPL-2.0
// New blocks that an error kept from being written show what was on the disk.

@@
type T;
expression e;
@@
 dio_zero_rest(...) {
 <+...
-	T len = ret ? cur->map_len : e;
+	T len = e;
 ...+>
 }
