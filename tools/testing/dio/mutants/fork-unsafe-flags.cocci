// SPDX-License-Identifier: GPL-2.0
// Memory that the disk writes to is pinned for reading.

@@
expression e, f;
@@
 dio_pin_user_pages(...) {
 <+...
-	unsigned int gup = (dio->write ? 0 : FOLL_WRITE) | (f);
+	unsigned int gup = f;
 ...+>
 }
