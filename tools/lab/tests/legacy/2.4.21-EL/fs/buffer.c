/* SPDX-License-Identifier: GPL-2.0 */

int brw_kiovec(int rw, int nr, struct kiobuf *iovec[],
	       kdev_t dev, unsigned long b[], int size)
{
	struct kiobuf *	iobuf = iovec[0];
	int iosize = size;

	iosize += tmp->b_size;
	while (length > 0) {
		blocknr = b[bufind];
		if (iobuf->varyio) {
			int block_iter;

			iosize = length;
			for (block_iter = 1; block_iter < (iosize >> size_shift); block_iter++) {
				if (blocknr + block_iter != b[bufind + block_iter]) {
					iosize = size;
					break;
				}
			}
		}
		tmp = bhs[bhind++];
		tmp->b_size = iosize;
		tmp->b_rsector = blocknr << (size_shift - 9);
		bufind += iosize >> size_shift;
		length -= iosize;
		offset += iosize;
	}
	return iosize;
}
