/* SPDX-License-Identifier: GPL-2.0 */
/* A vendor's vary-io. */

int brw_kiovec(int rw, int nr, struct kiobuf *iovec[],
	       kdev_t dev, unsigned long b[], int size)
{
	struct kiobuf *	iobuf = iovec[0];
	int iosize = size;

	if (iobuf->dovary)
		iosize = RAWIO_BLOCKSIZE;
	return iosize;
}
