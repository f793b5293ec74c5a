// SPDX-License-Identifier: GPL-2.0
// A held stream never gets its full windows back.

@@ @@
 ra_hold_less(...)
 {
 <+...
-size < soon ? min(2 * size, soon) : size + size / 16 + 1
+size
 ...+>
 }
