// SPDX-License-Identifier: GPL-2.0
// A hole leaves memory as it was.

@@ @@
 dio_read_hole(...) {
 <+...
-	memzero_page(...);
 ...+>
 }
