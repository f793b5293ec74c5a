// SPDX-License-Identifier: GPL-2.0
// All is cleared for each I/O, the page pointers too (RHEL 5.3, field report 4; see field/).

@@ @@
 dio_init(...) {
+	memset(dio, 0, offsetof(struct dio, bio));
 ...
 }

@@ @@
 __blockdev_direct_IO(...) {
 <+...
+	memset(&cur, 0, sizeof(cur));
 	cur.start = iocb->ki_pos;
 ...+>
 }
