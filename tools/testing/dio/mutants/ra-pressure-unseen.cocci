// SPDX-License-Identifier: GPL-2.0
// Windows are stretched where the cache does not hold what is read.

@@ @@
 ra_warming(...) {
 <+...
-ra_any_evicted(ask, more)
+false
 ...+>
 }
