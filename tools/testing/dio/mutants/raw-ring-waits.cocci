// SPDX-License-Identifier: GPL-2.0
// A ring's request waits for the page cache.

@@ @@
 raw_rw(...) {
 <+...
-raw_cached(...)
+false
 ...+>
 }
