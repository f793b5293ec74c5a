/* SPDX-License-Identifier: GPL-2.0 */

int brw_kiovec(int rw, int nr, struct kiobuf *iovec[],
	       kdev_t dev, unsigned long b[], int size)
{
	struct kiobuf *	iobuf = iovec[0];
	int iosize = size;

	iosize += tmp->b_size;
	while (length > 0) {
		blocknr = b[bufind];
		if (iobuf->dovary && (offset == 0)) {
			iosize = RAWIO_BLOCKSIZE;
			if (iosize > length)
				iosize = length;
		}
		bufind += (iosize/size);
		tmp = bhs[bhind++];
		tmp->b_size = iosize;
		if (iobuf->dovary)
			submit_bh_blknr(rw, tmp);
		else
			submit_bh(rw, tmp);
		length -= iosize;
		offset += iosize;
	}
	return iosize;
}
