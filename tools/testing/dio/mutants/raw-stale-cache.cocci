// SPDX-License-Identifier: GPL-2.0
// What readers cached during a write stays.

@@ @@
 raw_write_iter(...) {
 <+...
-if (ret > 0)
-	raw_invalidate(iocb, pos, ret);
 ...+>
 }
