// SPDX-License-Identifier: GPL-2.0
// AIO that must not wait does.

@@ @@
 raw_rw(...) {
 <+...
-!(iocb->ki_flags & IOCB_AIO_RW)
+true
 ...+>
 }
