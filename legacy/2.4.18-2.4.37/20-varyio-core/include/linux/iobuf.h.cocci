// SPDX-License-Identifier: GPL-2.0

@declare_iosize@
@@

+int	kio_iosize(unsigned long *, int, int, int);
 void kiobuf_wait_for_io(struct kiobuf *);
