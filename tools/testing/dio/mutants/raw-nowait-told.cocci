// SPDX-License-Identifier: GPL-2.0
// A raw device says that it can tell what would wait, as its disk does.

@@ @@
 raw_open_disk(...) {
 <+...
-FMODE_CAN_ODIRECT
+(FMODE_NOWAIT | FMODE_CAN_ODIRECT)
 ...+>
 }
