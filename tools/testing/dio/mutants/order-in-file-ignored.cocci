// SPDX-License-Identifier: GPL-2.0
// With a submit_io, a bio goes on where the file does not.

@@
expression e, f, g;
@@
 dio_prepare_bio(...) {
 <+...
-	if (e && f && (g))
+	if (e && f)
 		return;
 ...+>
 }
