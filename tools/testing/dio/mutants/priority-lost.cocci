// SPDX-License-Identifier: GPL-2.0
// bios do not carry the priority of the request.

@@ @@
 dio_new_bio(...) {
 <+...
-	bio->bi_ioprio = dio->iocb->ki_ioprio;
 ...+>
 }
