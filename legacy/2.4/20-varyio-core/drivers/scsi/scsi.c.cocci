// SPDX-License-Identifier: GPL-2.0

@tell_queue@
symbol q, SDpnt, SHpnt;
@@

 q->queuedata = (void *) SDpnt;
+q->vary_io = SHpnt->hostt->can_do_varyio;
