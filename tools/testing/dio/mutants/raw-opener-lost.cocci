// SPDX-License-Identifier: GPL-2.0
// What could not be opened counts as open.

@@ @@
 raw_open(...) {
 <+...
-raw_unuse(inode);
 ...+>
 }
