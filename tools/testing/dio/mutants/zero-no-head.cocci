// SPDX-License-Identifier: GPL-2.0
// The head of a new block is not zeroed.

@@ @@
 dio_map(...) {
 <+...
-	dio_zero(...);
+	;
 ...+>
 }
