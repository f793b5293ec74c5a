// SPDX-License-Identifier: GPL-2.0
// The size of the first buffer says nothing of where the others end.

@exact_sector@
symbol block_sectors;
@@

-if (SCpnt->request.bh != NULL)
-	block_sectors = SCpnt->request.bh->b_size >> 9;
 switch (SCpnt->device->sector_size) {
 case 1024: ...
 }
