// SPDX-License-Identifier: GPL-2.0
// A held stream waits for each of its windows.

@@ @@
 ra_hold_less(...)
 {
 <+...
-ra->async_size = size;
+ra->async_size = 0;
 ...+>
 }
