// SPDX-License-Identifier: GPL-2.0
// IOCB_NOWAIT does not reach the bio.

@@
expression e;
@@
 dio_opf(...) {
 <+...
-	return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE | (e);
+	return REQ_OP_WRITE | REQ_SYNC | REQ_IDLE;
 ...+>
 }
