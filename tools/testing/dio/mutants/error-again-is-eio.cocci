// SPDX-License-Identifier: GPL-2.0
// A bio that would have waited is reported as EIO.

@@
expression e;
@@
 dio_end_io(...) {
 <+...
-	WRITE_ONCE(dio->error, e);
+	WRITE_ONCE(dio->error, -EIO);
 ...+>
 }
