// SPDX-License-Identifier: GPL-2.0
// Where a kiobuf is made, and where one that was used before is handed out.

@new_kiobuf@
symbol iobuf;
@@

 iobuf->nr_pages = 0;
 iobuf->locked = 0;
+iobuf->dovary = 0;

@used_kiobuf@
symbol bufp, iobuf, i;
@@

+iobuf->dovary = 0;
 bufp[i] = iobuf;
