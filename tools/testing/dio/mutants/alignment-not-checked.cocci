// SPDX-License-Identifier: GPL-2.0
// A request that the disk cannot do is sent.

@@
expression e;
symbol unlock;
@@
 __blockdev_direct_IO(...) {
 <+...
 	ret = -EINVAL;
 ...
-	if (align & e)
-		goto unlock;
+	;
 	cur.start = iocb->ki_pos;
 ...+>
 }
