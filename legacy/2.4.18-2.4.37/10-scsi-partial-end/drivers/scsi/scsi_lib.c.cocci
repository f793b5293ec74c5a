// SPDX-License-Identifier: GPL-2.0
// Called with what was transferred, which may end in the middle of a buffer.

@whole_buffers@
symbol bh, nsect, uptodate, sectors;
@@

 nsect = bh->b_size >> 9;
+if (uptodate && nsect > sectors)
+	break;	/* only a part of it arrived */
 blk_finished_io(nsect);

@no_further@
symbol sectors, bh;
@@

-sectors && bh
+sectors > 0 && bh
