// SPDX-License-Identifier: GPL-2.0
// Who reads beyond the head that others have read begins with small windows once more.

@@
expression a;
@@
 ra_stream_extend(...)
 {
 <+...
-a && ra_is_guessed_head(ra, ask)
+false
 ...+>
 }
