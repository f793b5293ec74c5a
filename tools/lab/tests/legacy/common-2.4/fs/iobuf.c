/* SPDX-License-Identifier: GPL-2.0 */

static int kiobuf_init(struct kiobuf *iobuf)
{
	iobuf->array_len = 0;
	iobuf->nr_pages = 0;
	iobuf->locked = 0;
	iobuf->bh = NULL;
	return expand_kiobuf(iobuf, 16);
}

int alloc_kiovec(int nr, struct kiobuf **bufp)
{
	int i;
	struct kiobuf *iobuf;

	for (i = 0; i < nr; i++) {
		iobuf = kmem_cache_alloc(kiobuf_cachep, GFP_KERNEL);
		if (!iobuf)
			return -ENOMEM;
		bufp[i] = iobuf;
	}
	return 0;
}
