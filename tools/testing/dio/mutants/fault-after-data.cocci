// SPDX-License-Identifier: GPL-2.0
// Bad memory behind good is an error although data has moved.

@@ @@
 dio_submit_all(...) {
 <+...
-	if (ret == -EFAULT && short_is_fine)
-		ret = 0;
 ...+>
 }
