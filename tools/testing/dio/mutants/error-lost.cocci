// SPDX-License-Identifier: GPL-2.0
// The error of a bio is forgotten.

@@ @@
 dio_end_io(...) {
 <+...
-	WRITE_ONCE(dio->error, ...);
+	;
 ...+>
 }
