/* SPDX-License-Identifier: GPL-2.0 */

static int wait_kio(int rw, int nr, struct buffer_head *bh[], int size)
{
	int iosize, i;
	struct buffer_head *tmp;

	iosize = 0;
	for (i = nr; --i >= 0; ) {
		iosize += size;
		tmp = bh[i];
		wait_on_buffer(tmp);
		if (!buffer_uptodate(tmp))
			iosize = 0;
	}
	return iosize;
}

int brw_kiovec(int rw, int nr, struct kiobuf *iovec[],
	       kdev_t dev, unsigned long b[], int size)
{
	int		length;
	int		transferred;
	int		i;
	int		bufind;
	int		bhind;
	int		offset;
	unsigned long	blocknr;
	struct kiobuf *	iobuf = NULL;
	struct page *	map;
	struct buffer_head *tmp, **bhs = NULL;

	if (!nr)
		return 0;

	bufind = bhind = transferred = err = 0;
	for (i = 0; i < nr; i++) {
		iobuf = iovec[i];
		offset = iobuf->offset;
		length = iobuf->length;
		bhs = iobuf->bh;
		map = iobuf->maplist[0];
		while (length > 0) {
			blocknr = b[bufind++];
			if (blocknr == -1UL) {
				transferred += size;
				goto skip_block;
			}
			tmp = bhs[bhind++];

			tmp->b_size = size;
			set_bh_page(tmp, map, offset);
			tmp->b_dev = dev;
			tmp->b_blocknr = blocknr;
			submit_bh(rw, tmp);
		skip_block:
			length -= size;
			offset += size;
		}
	}
	return transferred + wait_kio(rw, bhind, bhs, size);
}
