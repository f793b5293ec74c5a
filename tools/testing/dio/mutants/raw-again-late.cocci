// SPDX-License-Identifier: GPL-2.0
// What a ring forbids to wait goes on, and may fail when it is too late.

@@ @@
 raw_rw(...) {
 <+...
-iocb->ki_flags &= ~(IOCB_NOWAIT | IOCB_HIPRI);
+iocb->ki_flags &= ~IOCB_HIPRI;
 ...+>
 }
