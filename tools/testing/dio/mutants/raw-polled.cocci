// SPDX-License-Identifier: GPL-2.0
// Polled requests go on, and may find no tag.

@@ @@
 raw_rw(...) {
 <+...
-iocb->ki_flags &= ~IOCB_HIPRI;
+;
 ...+>
 }
