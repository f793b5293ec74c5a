/* SPDX-License-Identifier: GPL-2.0 */

static Scsi_Cmnd *__scsi_end_request(Scsi_Cmnd * SCpnt, int uptodate, int sectors)
{
	struct request *req = &SCpnt->request;
	struct buffer_head *bh;
	int nsect;

	do {
		if ((bh = req->bh) != NULL) {
			nsect = bh->b_size >> 9;
			blk_finished_io(nsect);
			req->bh = bh->b_reqnext;
			sectors -= nsect;
			bh->b_end_io(bh, uptodate);
			bh = req->bh;
		}
	} while (sectors && bh);

	return req->bh ? SCpnt : NULL;
}
