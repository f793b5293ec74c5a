// SPDX-License-Identifier: GPL-2.0
// A file that comes to be in memory is read run by run.

@@ @@
 ra_warmth(...) {
 <+...
-ra_in_memory(ask)
+0
 ...+>
 }
