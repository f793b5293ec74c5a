// SPDX-License-Identifier: GPL-2.0

@tell_queue@
symbol q, SDpnt, SHpnt;
@@

 DATA = (void *) SDpnt;
+VARY = SHpnt->hostt->can_do_varyio;
