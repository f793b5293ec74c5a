// SPDX-License-Identifier: GPL-2.0
// O_DIRECT taken away makes I/O buffered.

@@ @@
 raw_rw(...) {
 <+...
-iocb->ki_flags |= IOCB_DIRECT;
 ...+>
 }
