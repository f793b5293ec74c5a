// SPDX-License-Identifier: GPL-2.0
// The plug stays.

@@ @@
 dio_submit_all(...) {
 <+...
-	blk_finish_plug(...);
+	;
 ...+>
 }
