// SPDX-License-Identifier: GPL-2.0
// i386 gets more than it has room for.

@@ @@
 raw_ctl(...) {
 <+...
-compat_need_64bit_alignment_fixup()
+false
 ...+>
 }
