// SPDX-License-Identifier: GPL-2.0
// A file that comes to be in memory is read run by run.

@@ @@
 ra_warmth(...) {
 <+...
-min(READ_ONCE(ask->mapping->nrpages), ask->file)
+0
 ...+>
 }
