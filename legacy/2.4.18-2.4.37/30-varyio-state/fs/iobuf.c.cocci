// SPDX-License-Identifier: GPL-2.0
// Every kiobuf comes from here, made anew or used before.

@handed_out@
symbol bufp, iobuf, i;
@@

+iobuf->STATE = 0;
 bufp[i] = iobuf;
