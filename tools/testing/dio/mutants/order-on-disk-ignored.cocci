// SPDX-License-Identifier: GPL-2.0
// A bio goes on where the disk does not.

@@
expression f;
@@
 dio_prepare_bio(...) {
 <+...
-	if (bio_end_sector(bio) == sector && f)
+	if (f)
 		return;
 ...+>
 }
