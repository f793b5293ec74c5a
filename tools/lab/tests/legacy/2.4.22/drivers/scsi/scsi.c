/* SPDX-License-Identifier: GPL-2.0 */

void  scsi_initialize_queue(Scsi_Device * SDpnt, struct Scsi_Host * SHpnt)
{
	request_queue_t *q = &SDpnt->request_queue;

	blk_init_queue(q, scsi_request_fn);
	q->queuedata = (void *) SDpnt;
}
