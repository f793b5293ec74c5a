// SPDX-License-Identifier: GPL-2.0
// brw_kiovec() is below raw devices and O_DIRECT. A buffer head covers as many blocks as lie side
// by side on the disk and in one page, of a size that divides their position.

// places: 2
@count_bytes@
symbol iosize, size, tmp, bh, i;
@@

-iosize += size;
 tmp = bh[i];
+iosize += tmp->b_size;

@declare@
symbol iobuf, map;
@@

 struct kiobuf *iobuf = NULL;
+request_queue_t *q;
+int iosize;
+int vary;
 struct page *map;

@ask_driver@
symbol q, vary, dev, bufind, bhind, transferred, err;
@@

 bufind = bhind = transferred = err = 0;
+q = blk_get_queue(dev);
+vary = q && q->vary_io;

@one_block@
symbol blocknr, b, bufind, iosize, size;
@@

-blocknr = b[bufind++];
+blocknr = b[bufind];
+iosize = size;

@or_more@
symbol vary, iosize, b, bufind, size, length, offset, tmp, bhs, bhind;
@@

+if (vary)
+	iosize = kio_iosize(&b[bufind], size, length, offset);
 tmp = bhs[bhind++];

@this_large@
symbol tmp, map, offset, size, iosize;
@@

-tmp->b_size = size;
+tmp->b_size = iosize;
 set_bh_page(tmp, map, offset);

@in_its_unit@
symbol tmp, dev, blocknr, iosize, size;
@@

 tmp->b_dev = dev;
-tmp->b_blocknr = blocknr;
+tmp->b_blocknr = blocknr / (iosize / size);

@step@
symbol bufind, length, offset, size, iosize;
@@

-length -= size;
-offset += size;
+bufind += iosize / size;
+length -= iosize;
+offset += iosize;
