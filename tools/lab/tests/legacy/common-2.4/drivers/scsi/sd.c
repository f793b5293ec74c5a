/* SPDX-License-Identifier: GPL-2.0 */

static void rw_intr(Scsi_Cmnd * SCpnt)
{
	int good_sectors = SCpnt->bufflen >> 9;
	int block_sectors = 1;
	long error_sector = sense_sector(SCpnt);

	if (failed(SCpnt)) {
		if (SCpnt->request.bh != NULL)
			block_sectors = SCpnt->request.bh->b_size >> 9;
		switch (SCpnt->device->sector_size) {
		case 1024:
			error_sector <<= 1;
			if (block_sectors < 2)
				block_sectors = 2;
			break;
		default:
			break;
		}
		error_sector &= ~(block_sectors - 1);
		good_sectors = error_sector - SCpnt->request.sector;
	}
	scsi_io_completion(SCpnt, good_sectors, block_sectors);
}
