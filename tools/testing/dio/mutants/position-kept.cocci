// SPDX-License-Identifier: GPL-2.0
// An asynchronous request does not move the position.

@@ @@
 dio_complete_async(...) {
 <+...
-	iocb->ki_pos += ret;
 ...+>
 }
