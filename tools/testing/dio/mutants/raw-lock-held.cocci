// SPDX-License-Identifier: GPL-2.0
// All wait for one that opens its disk.

@@ @@
 raw_open(...) {
 <+...
+mutex_lock(&raw_lock);
 ret = bound.dev ? raw_open_disk(...) : -ENXIO;
+mutex_unlock(&raw_lock);
 ...+>
 }
