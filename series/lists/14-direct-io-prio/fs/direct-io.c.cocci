// SPDX-License-Identifier: GPL-2.0
// The request's I/O priority, which its bios did not have.

@prio@
identifier dio, bio, first_sector;
@@
 dio_bio_alloc(struct dio *dio, ...)
 {
 <+...
 	bio->bi_iter.bi_sector = first_sector;
+	bio->bi_ioprio = dio->iocb->ki_ioprio;
 ...+>
 }
