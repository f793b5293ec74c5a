// SPDX-License-Identifier: GPL-2.0
// Behind the head that others have read somebody waits for all of a window.

@@
expression a, b, c;
@@
 ra_stream_extend(...)
 {
 <+...
-min(size, max3(a, b, c))
+size
 ...+>
 }
