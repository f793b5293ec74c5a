// SPDX-License-Identifier: GPL-2.0
// A request is looked at when it may be over and gone.

@@
expression cond, live;
@@
 raw_rw(...) {
 <+...
-unlikely(cond) && !disk_live(live)
+!disk_live(live) && cond
 ...+>
 }
