// SPDX-License-Identifier: GPL-2.0
// Access mode 3 asks for no right to the disk.

@@ @@
 raw_open_disk(...) {
 <+...
-mode ?: BLK_OPEN_READ | BLK_OPEN_WRITE
+mode
 ...+>
 }
