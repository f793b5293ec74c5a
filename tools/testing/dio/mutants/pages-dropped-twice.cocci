// SPDX-License-Identifier: GPL-2.0
// The page the cursor stands in is released although a bio has it.

@@ @@
 dio_step(...) {
 <+...
-	cur->head++;
 	cur->offset = 0;
 ...+>
 }
