/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOBUF_H
#define IOBUF_H

struct kiobuf
{
	int		nr_pages;
	unsigned int	locked : 1,
			dovary : 1,	/* vary-io */
			initialized:1;
};

int	expand_kiobuf(struct kiobuf *, int);
void	kiobuf_wait_for_io(struct kiobuf *);
extern int alloc_kiobuf_bhs(struct kiobuf *);

#endif
